import { Type } from 'typebox';
import { type ConditionType, conditionTypes } from '../../../core/routing/condition-types.ts';
import { conditionRules, returnModes, routeActions } from '../../../core/routing/conditions.ts';
import { limits } from '../../../core/limits.ts';
import { textPattern } from '../../../core/people/plain-text.ts';
import {
  Body,
  Choice,
  Closed,
  Flag,
  Id,
  Integer,
  largestId,
  Optional,
  type Rules,
  Text,
} from '../../schemas.ts';

const chatOrNone = (description: string) =>
  Integer(description, 0, { minimum: -largestId, maximum: largestId, default: 0 });

const topicOrNone = (description: string) =>
  Integer(description, 0, { minimum: 0, maximum: largestId, default: 0 });

/** Returns "an ID in digits for chat_id and user_id, a word for keyword, …". */
function valueWords(): string {
  const byValue = Map.groupBy(conditionTypes, (type) => conditionRules[type].value);
  return [...byValue]
    .filter(([value]) => value !== '')
    .map(([value, types]) => {
      const notes = types.flatMap((type) => conditionRules[type].note ?? []);
      return `${value} for ${types.join(' and ')}${notes.map((note) => ` (${note})`).join('')}`;
    })
    .join(', ');
}

export const routeFields = {
  source_bot_id: Id('Source bot that receives messages.'),
  target_bot_id: Id('Target bot that sends them.'),
  action: Choice(routeActions, {
    description: 'forward shows the origin, copy hides it, drop stops the evaluation of routes.',
  }),
  condition_type: Optional.Choice([...conditionTypes, ''], {
    default: 'all',
    description: 'Condition to match.',
  }),
  condition_value: Optional.Text(`Value for the condition: ${valueWords()}.`, 'refund', {
    maxLength: limits.conditionLength,
    default: '',
  }),
  target_chat_id: Type.Optional(
    chatOrNone('Chat that messages are routed to; 0 means the chat they came from.'),
  ),
  enabled: Optional.Flag('Whether the route is active.', true, { default: true }),
  description: Optional.Text('Human-readable description.', 'Refunds go to the finance group', {
    maxLength: limits.descriptionLength,
    pattern: textPattern,
    default: '',
  }),
  priority: Optional.Integer(
    'Lower numbers act first; routes with equal priority act in the order of their IDs.',
    0,
    { minimum: -1_000_000, maximum: 1_000_000, default: 0 },
  ),
  source_chat_id: Type.Optional(chatOrNone('Only messages of this chat; 0 means every chat.')),
  source_thread_id: Type.Optional(
    topicOrNone('Only messages of this topic of `source_chat_id`; 1 is General, 0 any topic.'),
  ),
  target_thread_id: Type.Optional(
    topicOrNone(
      'The topic of `target_chat_id`; 0 means none. With `target_chat_id` 0, messages of a group stay in their topic.',
    ),
  ),
  return_mode: Optional.Choice(returnModes, {
    default: 'reply',
    description:
      'Return path for replies: off, reply (replies to the routed message), latest (in a private chat, every message goes to the last writer).',
  }),
};

/** States the format of each condition's value. The service checks later that a pattern compiles. */
function conditionSchema(): Rules {
  const byPattern = new Map<string, ConditionType[]>();
  for (const type of conditionTypes) {
    const { pattern } = conditionRules[type];
    if (pattern !== undefined) byPattern.set(pattern, [...(byPattern.get(pattern) ?? []), type]);
  }
  const schemas = [...byPattern].map(
    ([pattern, types]): Rules => ({
      if: { required: ['condition_type'], properties: { condition_type: { enum: types } } },
      then: {
        ...(types.some((type) => conditionRules[type].isOptional)
          ? {}
          : { required: ['condition_value'] }),
        properties: { condition_value: { pattern } },
      },
    }),
  );
  return schemas.reduceRight((rest, schema) => ({ ...schema, else: rest }));
}

export const conditionRule = conditionSchema();

export const AddRouteBody = Body(routeFields, ['id'], conditionRule);
export const UpdateRouteBody = Body(
  { id: Id('Route ID to update.'), ...routeFields },
  [],
  conditionRule,
);

export const Route = Closed({
  id: Id('Route ID.'),
  source_bot_id: Id('Source bot that receives messages.'),
  target_bot_id: Id('Target bot that sends them.'),
  condition_type: Text('Condition to match.', 'keyword'),
  condition_value: Text('Value to match.', 'refund'),
  action: Text('Action to take.', 'forward'),
  target_chat_id: Integer(
    'Chat that messages are routed to; 0 means the chat they came from.',
    -1001234567890,
  ),
  enabled: Flag('Whether the route is active.', true),
  description: Text('Human-readable description.', 'Refunds go to the finance group'),
  priority: Integer('Lower numbers act first.', 0),
  source_chat_id: Integer('Only messages of this chat; 0 means every chat.', 0),
  source_thread_id: Integer('Only messages of this topic; 0 means any.', 0),
  target_thread_id: Integer('The topic of the target chat; 0 means none.', 0),
  return_mode: Text('Return path for replies.', 'reply'),
});
