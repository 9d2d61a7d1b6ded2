import { Type } from 'typebox';
import { limits } from '../../../core/limits.ts';
import {
  Body,
  ChatId,
  Closed,
  Flag,
  Id,
  largestId,
  List,
  Optional,
  type Rules,
  Text,
} from '../../schemas.ts';
import { MessageEntity } from './message-schema.ts';

/** An object that is passed to Telegram as it is. */
const Passed = (description: string, example: object) =>
  Type.Optional(Type.Object({}, { additionalProperties: true, description, examples: [example] }));

export const Entities = (of: string, field: string) =>
  Type.Optional(
    Type.Array(Type.Object({}, { additionalProperties: true }), {
      maxItems: 1_000,
      description: `Formatting of the ${of}, as Telegram's MessageEntity; offsets and lengths in UTF-16 units. Telegram keeps up to 100. Not together with \`parse_mode\`.`,
      examples: [[{ type: 'bold', offset: 0, length: field.length }]],
    }),
  );

export const parseMode = {
  parse_mode: Optional.Choice(['HTML', 'MarkdownV2', 'Markdown'], {
    description: 'The markup in the text, which Telegram reads.',
    examples: ['HTML'],
  }),
};

export const replyMarkup = {
  reply_markup: Passed(
    "Buttons: Telegram's InlineKeyboardMarkup, ReplyKeyboardMarkup, ReplyKeyboardRemove or ForceReply.",
    { inline_keyboard: [[{ text: 'Track it', url: 'https://example.com/track' }]] },
  ),
};

/** Further fields that address a message, and how it is sent. */
export const sendTarget = {
  reply_to_message_id: Optional.Integer(
    'Message to reply to. In a chat of a business account, its `id` as listed or the number in that account.',
    41,
    { minimum: -largestId, maximum: largestId, not: { const: 0 } },
  ),
  business_connection_id: Optional.Text(
    'Sends in the name of a business account. Take it from a message of that chat. Telegram allows it for 24 hours after the last message of the customer.',
    '',
    { maxLength: limits.connectionLength },
  ),
  message_thread_id: Optional.Integer(
    'Topic of a forum, or of a private chat with topics. 1, the topic General, is left out, because Telegram refuses it.',
    7,
    { minimum: 1, maximum: largestId },
  ),
  disable_notification: Optional.Flag('Sends without a sound.', true),
  protect_content: Optional.Flag('Prevents forwarding and saving.', true),
  message_effect_id: Optional.Text(
    'Effect of the message; in private chats.',
    '5104841245755180586',
    { maxLength: 64 },
  ),
  ...replyMarkup,
};

export const format = (of: string, entities: string) => ({
  format: Optional.Choice(['markdown'], {
    description: `The relay reads the ${of} as Markdown, as people and language models write it, and sends it with entities, so that Telegram never refuses it. Not together with \`parse_mode\` and ${entities}.`,
    examples: [],
  }),
});
export const sendAt = {
  send_at: Optional.Integer(
    'Unix time to send it at, up to a year ahead. The response then has the `id` 0 and a `scheduled_id`.',
    undefined,
    { minimum: 1, maximum: largestId },
  ),
};

/** The fields of what a message says. */
export const words = (description: string, example: string) => ({
  text: Optional.Text(
    `${description} Up to ${limits.messageLength} without \`format\`. Left out only with \`rich_message\`.`,
    example,
    { minLength: 1, maxLength: limits.markdownLength },
  ),
  ...format('text', '`entities`'),
  ...parseMode,
  entities: Entities('text', example),
  link_preview_options: Passed("Telegram's LinkPreviewOptions.", { is_disabled: true }),
  rich_message: Passed("Telegram's InputRichMessage, instead of `text`.", {
    markdown: '# Your order\n\n- [x] paid\n- [ ] sent',
  }),
});

const not = (...names: string[]) => ({
  not: { anyOf: names.map((name) => ({ required: [name] })) },
});

/** A rich message stands alone; a text has one kind of markup. `more` holds in either case. */
export function wordsRules(more: Rules = {}): Rules {
  return {
    if: { required: ['rich_message'] },
    then: { ...not('text', 'format', 'parse_mode', 'entities', 'link_preview_options'), ...more },
    else: {
      required: ['text'],
      if: { required: ['format'] },
      then: { ...not('parse_mode', 'entities'), ...more },
      else: {
        properties: { text: { maxLength: limits.messageLength } },
        not: { required: ['parse_mode', 'entities'] },
        ...more,
      },
    },
  };
}

/** Only messages of business accounts have ids below 1. */
export const replyRules: Rules = {
  if: {
    required: ['business_connection_id'],
    properties: { business_connection_id: { minLength: 1 } },
  },
  then: {},
  else: { properties: { reply_to_message_id: { minimum: 1 } } },
};

export const SendMessageBody = Body(
  {
    bot_id: Id('Bot to send from.'),
    chat_id: ChatId('Target chat (may be a negative number for group chats).'),
    ...words('Message text, counted in UTF-16 units.', 'Your refund is on its way.'),
    ...sendTarget,
    ...sendAt,
  },
  [],
  wordsRules(replyRules),
);

export const PreviewBody = Body({
  text: Text('Markdown.', '**Ready**: see [your order](https://example.com/)', {
    minLength: 1,
    maxLength: limits.markdownLength,
  }),
});

export const Preview = Closed({
  parts: List(
    Closed({
      text: Text('The text without markup.', 'Ready: see your order'),
      entities: List(MessageEntity, 'Its formatting.'),
    }),
    'The messages, or the caption of the file.',
  ),
  is_file: Flag('True if it is too long for five messages, so that it is sent as a file.', false),
});

export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Optional.Text(
    'Within 24 hours, requests with the same key send once and return the same response. The same key with another body is refused.',
    'refund-4711',
    { minLength: 1, maxLength: limits.idempotencyKeyLength },
  ),
});
