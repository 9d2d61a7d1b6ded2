import { Type } from 'typebox';

/* Fields that several actions share. */

/** IDs are JSON numbers, so none may exceed the range that every client represents exactly. */
export const largestId = 2 ** 52 - 1;

/** Requires one of these words. */
export function Choice<const Words extends readonly string[]>(
  words: Words,
  options: { description?: string; default?: Words[number]; examples?: Words[number][] } = {},
) {
  return Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], ...options });
}

const shown = (example: unknown) => (example === undefined ? {} : { examples: [example] });

export const Flag = (description: string) => Type.Optional(Type.Boolean({ description }));

export const Whole = (description: string, minimum: number, maximum: number, example?: number) =>
  Type.Integer({ minimum, maximum, description, ...shown(example) });

export const MessageId = (description = 'The message.', example?: number) =>
  Whole(description, 1, largestId, example);

export const Name = (description: string, maxLength = 64, example?: string) =>
  Type.String({ minLength: 1, maxLength, description, ...shown(example) });

/** Unlike a name, this text may be empty. */
export const AnyText = (description: string, maxLength: number, example?: string) =>
  Type.String({ maxLength, description, ...shown(example) });

export const Matching = (pattern: string, description: string, example: string) =>
  Type.String({ pattern, description, examples: [example] });

export const Text = Name('The text.', 4_096, 'Hello');

/** The Bot API defines the fields of this object. */
export const Plain = (description: string, example?: object) =>
  Type.Object({}, { additionalProperties: true, description, ...shown(example) });

/** People, bots and chats are named by id or username. */
export const Ref = (description: string, example = 'anna') =>
  Type.Union(
    [
      Type.Integer({ minimum: -largestId, maximum: largestId }),
      Type.String({ minLength: 1, maxLength: 64 }),
    ],
    { description: `${description} ID or username.`, examples: [example] },
  );

export const Bot = (description = 'The bot.') => Ref(description, 'practice_bot');

export const user = Ref('The person who acts.');
export const inChat = {
  user,
  chat: Ref('The chat. A bot or a person means the private chat with them.', 'practice_bot'),
};
export const atMessage = { ...inChat, message_id: MessageId() };
export const replyTo = Type.Optional(MessageId('Message to reply to.'));
export const messageThreadId = Type.Optional(MessageId('The topic; 1 or none is General.'));
