import { Type } from 'typebox';
import {
  conditionTypes,
  routableMedia,
  returnModes,
  routeActions,
} from '../../../core/routing/conditions.ts';
import { limits } from '../../../core/limits.ts';
import { textPattern } from '../../../core/people/plain-text.ts';
import { Body, Choice, Id, largestId } from '../../schemas.ts';

const chatOrNone = (description: string) =>
  Type.Integer({ minimum: -largestId, maximum: largestId, default: 0, description, examples: [0] });

const fields = {
  source_bot_id: Id('Source bot that receives messages.'),
  target_bot_id: Id('Target bot that forwards messages.'),
  action: Choice(routeActions, {
    description: 'forward shows the origin, copy does not, drop ends the list of routes.',
  }),
  condition_type: Type.Optional(
    Choice([...conditionTypes, ''], { default: 'all', description: 'Condition to match.' }),
  ),
  condition_value: Type.Optional(
    Type.String({
      maxLength: limits.conditionLength,
      default: '',
      description:
        'Value for the condition: an ID in digits for chat_id and user_id, a word for keyword, RE2 syntax for regex, a command for command, kinds separated by commas for media (empty: any), examples for llm (a line each, none needed).',
      examples: ['refund'],
    }),
  ),
  target_chat_id: Type.Optional(
    chatOrNone('Target chat ID; 0 is the chat that the message came from.'),
  ),
  enabled: Type.Optional(
    Type.Boolean({ default: true, description: 'Whether the route is active.', examples: [true] }),
  ),
  description: Type.Optional(
    Type.String({
      maxLength: limits.descriptionLength,
      pattern: textPattern,
      default: '',
      description: 'Human-readable description.',
      examples: ['Refunds go to the finance group'],
    }),
  ),
  priority: Type.Optional(
    Type.Integer({
      minimum: -1_000_000,
      maximum: 1_000_000,
      default: 0,
      description: 'Lower acts first; equal ones act in the order of their IDs.',
      examples: [0],
    }),
  ),
  source_chat_id: Type.Optional(
    chatOrNone('The only chat whose messages are looked at; 0 is every chat.'),
  ),
  return_mode: Type.Optional(
    Choice(returnModes, {
      default: 'reply',
      description:
        'How an answer goes back: off, reply (by replying to the carried message), latest (any message of a one-to-one chat goes to whoever wrote last).',
    }),
  ),
};

const ofType = (...types: string[]) => ({
  required: ['condition_type'],
  properties: { condition_type: { enum: types } },
});
const valueLike = (pattern: string) => ({
  required: ['condition_value'],
  properties: { condition_value: { pattern } },
});
const kind = `(${routableMedia.join('|')})`;
const kinds = `^[\\s,]*(${kind}(\\s*,[\\s,]*${kind})*[\\s,]*)?$`;
/** What the value of a condition looks like; whether a pattern compiles is found out when it is sent. */
const conditionRules = {
  if: ofType('chat_id'),
  then: valueLike('^-?[0-9]{1,16}$'),
  else: {
    if: ofType('user_id'),
    then: valueLike('^[0-9]{1,16}$'),
    else: {
      if: ofType('keyword', 'regex'),
      then: valueLike('[\\s\\S]'),
      else: {
        if: ofType('command'),
        then: valueLike('^/?[A-Za-z0-9_]{1,32}$'),
        else: {
          if: ofType('media'),
          then: { properties: { condition_value: { pattern: kinds } } },
        },
      },
    },
  },
};

export const AddRouteBody = Body(fields, ['id'], conditionRules);
export const UpdateRouteBody = Body(
  { id: Id('Route ID to update.'), ...fields },
  [],
  conditionRules,
);

export const Route = Type.Object(
  {
    id: Id('Route ID.'),
    source_bot_id: Id('Source bot that receives messages.'),
    target_bot_id: Id('Target bot that forwards messages.'),
    condition_type: Type.String({ description: 'Condition to match.', examples: ['keyword'] }),
    condition_value: Type.String({ description: 'Value to match.', examples: ['refund'] }),
    action: Type.String({ description: 'Action to take.', examples: ['forward'] }),
    target_chat_id: Type.Integer({
      description: 'Chat that messages are routed to; 0 is the chat they came from.',
      examples: [-1001234567890],
    }),
    enabled: Type.Boolean({ description: 'Whether the route is active.', examples: [true] }),
    description: Type.String({
      description: 'Human-readable description.',
      examples: ['Refunds go to the finance group'],
    }),
    priority: Type.Integer({ description: 'Lower acts first.', examples: [0] }),
    source_chat_id: Type.Integer({
      description: 'The only chat looked at; 0 is every chat.',
      examples: [0],
    }),
    return_mode: Type.String({ description: 'How an answer goes back.', examples: ['reply'] }),
  },
  { additionalProperties: false },
);
