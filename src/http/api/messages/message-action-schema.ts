import { Type } from 'typebox';
import { limits } from '../../../core/limits.ts';
import { mediaTypes } from '../../../manage/messages/message-actions.ts';
import { Body, Bytes, ChatId, Choice, Id, largestId, Query, stated } from '../../schemas.ts';
import { Message, replyRules, sendTarget } from './message-schema.ts';

const target = {
  bot_id: Id('Bot that acts.'),
  chat_id: ChatId('Chat ID.'),
  message_id: Type.Integer({
    minimum: -largestId,
    maximum: largestId,
    not: { const: 0 },
    description:
      'Message ID. For a message of a business account, its `id` as listed; the action happens in the name of that account.',
    examples: [42],
  }),
};

export const ActionQuery = Query(target);

export const PinQuery = Query({
  ...target,
  notify: Type.Optional(
    Type.Boolean({ default: false, description: 'Whether members are notified.' }),
  ),
});

export const EditBody = Body({
  text: Type.String({
    minLength: 1,
    maxLength: limits.messageLength,
    description: 'The new text, or the new caption of media.',
    examples: ['See you at noon'],
  }),
});

export const ActionAnswer = Type.Object({
  ok: Type.Boolean({ description: 'Telegram did it.', examples: [true] }),
  message: Type.Optional(Message),
});

const destination = {
  bot_id: Id('Bot to send from.'),
  chat_id: ChatId('Target chat.'),
  type: Choice(mediaTypes, { description: 'Kind of media.' }),
  caption: Type.Optional(
    Type.String({ maxLength: 1_024, description: 'Not with stickers and video notes.' }),
  ),
  ...sendTarget,
};

/** The fields of a form, before its file. */
export const UploadFields = Query(destination);

/** Sending a known file needs no upload. */
export const FileIdBody = Body(
  {
    ...destination,
    file_id: Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'file_id of a file the bot has seen.',
      examples: ['AgACAgIAAxkBAAIB'],
    }),
  },
  [],
  replyRules,
);

/** The form, for the API reference. */
export const UploadForm = Type.Object(
  { ...destination, file: Type.Optional(Bytes('The file itself, as the last field.')) },
  {
    additionalProperties: false,
    // Required, but not in `required`: generated clients send those first, and the file must be last.
    ...stated({ dependentRequired: { bot_id: ['file'] } }),
  },
);
