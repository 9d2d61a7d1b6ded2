import { Type } from 'typebox';
import type { ScheduledMessages } from '../../../manage/messages/scheduled.ts';
import { type Endpoint, get, post } from '../../endpoint.ts';
import {
  Body,
  Choice,
  Closed,
  Detail,
  Id,
  Integer,
  largestId,
  Optional,
  Query,
  Text,
} from '../../schemas.ts';
import { MessageAuthor } from './message-schema.ts';
import { replyMarkup, words, wordsRules } from './send-schema.ts';

export const ScheduledMessage = Closed({
  scheduled_id: Integer('ID of the scheduled message.', 7),
  bot_id: Integer('The bot that will send it.', 1),
  chat_id: Integer('Target chat.', 123456789),
  send_at: Integer('Unix timestamp at which it is due.', 1_767_225_600),
  state: Choice(['scheduled', 'held'], {
    description: 'held: it was due and is not sent until somebody acts; `error` says why.',
    examples: ['scheduled'],
  }),
  error: Text('Why it is held; empty otherwise.', ''),
  error_detail: Detail('error'),
  text: Text('The text as it was given, or the caption.', 'We open at nine.'),
  format: Optional.Text('`markdown` if the relay formats the text.', 'markdown'),
  parse_mode: Optional.Text('The markup in the text.', 'HTML'),
  media_type: Optional.Text('Kind of media.', 'photo'),
  file_name: Optional.Text('Name of the uploaded file.', 'menu.jpg'),
  message_thread_id: Optional.Integer('Topic.', 4),
  reply_to_message_id: Optional.Integer('The message it replies to.', 41),
  author: Type.Optional(MessageAuthor),
  created_at: Integer('Unix timestamp of the request.', 1_767_200_000),
});

const scheduledId = Id('ID of the scheduled message.');

const UpdateBody = Body(
  {
    scheduled_id: scheduledId,
    send_at: Optional.Integer('Unix time to send it at, up to a year ahead.', 1_767_229_200, {
      minimum: 1,
      maximum: largestId,
    }),
    ...words('The new text, or the new caption of media, with its formatting.', 'We open at ten.'),
    ...replyMarkup,
  },
  [],
  { if: { anyOf: [{ required: ['text'] }, { required: ['rich_message'] }] }, then: wordsRules() },
);

export function scheduledEndpoints({ scheduled }: { scheduled: ScheduledMessages }): Endpoint[] {
  return [
    get('Messages', '/api/messages/scheduled', {
      scope: 'read',
      chats: 'filtered',
      summary: 'List scheduled messages',
      description:
        'Messages sent with `send_at` that are not sent yet, the next one first. A message whose bot is disabled is held, and sent if the bot is enabled within a day. What was due more than a day ago, or between a restored backup and its restore, stays held until you set a new time or cancel it.',
      query: Query({
        bot_id: Optional.Id('Only of this bot.'),
        chat_id: Optional.ChatId('Only in this chat.'),
        limit: Optional.Integer('At most this many.', undefined, {
          minimum: 1,
          maximum: 200,
          default: 50,
        }),
        after_id: Optional.Id('Only those after this one, for paging.'),
      }),
      response: Type.Array(ScheduledMessage),
      errors: ['bot_not_found', 'bot_not_allowed', 'not_found'],
      handler: ({ caller, query: { bot_id, chat_id, after_id, limit = 50 } }) =>
        scheduled.list(caller, {
          limit,
          ...(bot_id === undefined ? {} : { botId: bot_id }),
          ...(chat_id === undefined ? {} : { chatId: chat_id }),
          ...(after_id === undefined ? {} : { afterId: after_id }),
        }),
    }),
    post('Messages', '/api/messages/scheduled/update', {
      audit: {},
      scope: 'send',
      chats: 'filtered',
      summary: 'Change a scheduled message',
      description:
        'Sets another time or text. What is left out stays, but a new text comes with its own formatting. Also releases a held message, when you set a new time.',
      body: UpdateBody,
      response: ScheduledMessage,
      errors: ['not_found', 'bot_not_allowed', 'chat_not_allowed', 'conflict'],
      handler: ({ caller, body }) => scheduled.update(caller, body),
    }),
    post('Messages', '/api/messages/scheduled/cancel', {
      audit: {},
      scope: 'send',
      chats: 'filtered',
      summary: 'Cancel a scheduled message',
      description: 'Returns it as it was. A message that is being sent cannot be canceled.',
      body: Body({ scheduled_id: scheduledId }),
      response: ScheduledMessage,
      errors: ['not_found', 'bot_not_allowed', 'chat_not_allowed', 'conflict'],
      handler: ({ caller, body }) => scheduled.cancel(caller, body.scheduled_id),
    }),
  ];
}
