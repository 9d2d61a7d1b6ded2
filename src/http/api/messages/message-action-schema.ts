import { Type } from 'typebox';
import { limits } from '../../../core/limits.ts';
import { mediaTypes } from '../../../manage/messages/send-calls.ts';
import {
  Body,
  Bytes,
  ChatId,
  Choice,
  Flag,
  Id,
  Integer,
  largestId,
  Optional,
  Query,
  stated,
  Text,
} from '../../schemas.ts';
import { Message } from './message-schema.ts';
import {
  Entities,
  format,
  parseMode,
  replyMarkup,
  replyRules,
  sendAt,
  sendTarget,
  words,
  wordsRules,
} from './send-schema.ts';

const target = {
  bot_id: Id('Bot that acts.'),
  chat_id: ChatId('Chat ID.'),
  message_id: Integer(
    'Message ID. For a message of a business account, its `id` as listed; the action happens in the name of that account.',
    42,
    { minimum: -largestId, maximum: largestId, not: { const: 0 } },
  ),
};

export const ActionQuery = Query(target);

export const PinQuery = Query({
  ...target,
  notify: Optional.Flag('Whether members are notified.', undefined, { default: false }),
});

export const EditBody = Body(
  { ...words('The new text, or the new caption of media.', 'See you at noon'), ...replyMarkup },
  [],
  wordsRules(),
);

export const ActionAnswer = Type.Object({
  ok: Flag('Telegram did it.', true),
  message: Type.Optional(Message),
});

const destination = {
  bot_id: Id('Bot to send from.'),
  chat_id: ChatId('Target chat.'),
  type: Choice(mediaTypes, { description: 'Kind of media.' }),
  caption: Optional.Text(
    `Not with stickers and video notes. Up to ${limits.captionLength}; with \`format\`, without its markup.`,
    undefined,
    { maxLength: limits.messageLength },
  ),
  ...format('caption', '`caption_entities`'),
  ...parseMode,
  caption_entities: Entities('caption', 'caption'),
  ...sendTarget,
  ...sendAt,
};

/** The fields of a form, before its file. */
export const UploadFields = Query(destination);

/** Sending a known file needs no upload. */
export const FileIdBody = Body(
  {
    ...destination,
    file_id: Text('file_id of a file the bot has seen.', 'AgACAgIAAxkBAAIB', {
      minLength: 1,
      maxLength: 512,
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
