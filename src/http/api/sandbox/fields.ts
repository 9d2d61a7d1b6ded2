import { type TProperties, type TSchema, Type } from 'typebox';
import type { ErrorCode } from '../../../errors.ts';
import { largestId, type Rules } from '../../schemas.ts';

/* Input and output of the sandbox's actions. */

export const Name = (description: string, maxLength = 64, example?: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    description,
    ...(example === undefined ? {} : { examples: [example] }),
  });
export const MessageId = Type.Integer({
  minimum: 1,
  maximum: largestId,
  description: 'The message.',
});
export const Text = Type.String({
  minLength: 1,
  maxLength: 4_096,
  description: 'The text.',
  examples: ['Hello'],
});

/** People, bots and chats are named by id or username. */
export function Ref(description: string, example = 'anna') {
  return Type.Union(
    [
      Type.Integer({ minimum: -largestId, maximum: largestId }),
      Type.String({ minLength: 1, maxLength: 64 }),
    ],
    { description: `${description} ID or username.`, examples: [example] },
  );
}

/** A practice bot. */
export const Bot = (description = 'The bot.') => Ref(description, 'practice_bot');

export const chatFields = {
  user: Ref('The person who acts.'),
  chat: Ref('The chat. A bot or a person means the private chat with them.', 'practice_bot'),
};
export const message = { ...chatFields, message_id: MessageId };
export const replyTo = Type.Optional({ ...MessageId, description: 'Message to reply to.' });

export const Lines = Type.Array(
  Type.Object(
    {
      ...chatFields,
      text: Text,
      after_seconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 86_400 * 365,
          description: 'Time to pass before this line.',
        }),
      ),
      reply: Type.Optional(
        Type.Boolean({ description: 'Reply to the line before it in the same chat.' }),
      ),
    },
    { additionalProperties: false },
  ),
  { maxItems: 1_000, description: 'What is said, in order.' },
);
export const Said = Type.Object({
  message_ids: Type.Array(Type.Integer(), { description: 'Message IDs of the lines, in order.' }),
});

export const newBot: TProperties = {
  username: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z][A-Za-z0-9_]{2,28}[Bb][Oo][Tt]$',
      description: 'Ends in bot.',
      examples: ['tea_bot'],
    }),
  ),
  first_name: Type.Optional(Name('The name shown.', 64, 'Tea shop')),
  description: Type.Optional(Type.String({ maxLength: 512, description: 'What it is for.' })),
  privacy_mode: Type.Optional(
    Type.Boolean({ description: 'In groups, receives only messages meant for it.' }),
  ),
  can_join_groups: Type.Optional(Type.Boolean({ description: 'May be added to groups.' })),
  inline_mode: Type.Optional(Type.Boolean({ description: 'Accepts inline queries.' })),
  join_request_queries: Type.Optional(Type.Boolean({ description: 'Can be a guard bot.' })),
};

export const IssuedBot = Type.Object({
  id: Type.Integer({ description: 'ID in the sandbox, not the ID it gets when you add it.' }),
  token: Type.String({ description: 'For POST /api/bots/add.' }),
  username: Type.String(),
  first_name: Type.String(),
});

export const Content = (description: string, example?: object) =>
  Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description,
        ...(example === undefined ? {} : { examples: [example] }),
      },
    ),
  );

export const Time = Type.Object({
  now: Type.Integer({ description: 'Unix seconds.' }),
  ahead_seconds: Type.Integer({ description: 'Ahead of real time; negative if behind.' }),
});

export interface SandboxAction {
  summary: string;
  description?: string;
  fields?: TProperties;
  answer?: TSchema;
  /** Rules beyond the types of the fields. */
  rules?: Rules;
  /** Errors beyond those of every action. */
  errors?: readonly ErrorCode[];
  reads?: true;
}
