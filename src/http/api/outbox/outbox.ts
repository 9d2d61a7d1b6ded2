import { Type } from 'typebox';
import type { OutboxService, SendView } from '../../../manage/outbox/outbox.ts';
import { MessageAuthor } from '../messages/message-schema.ts';
import { type Endpoint, get, post } from '../../endpoint.ts';
import { isoTime } from '../../../core/iso-time.ts';
import { Detail, Id, Integer, Moment, Optional, Query, Text } from '../../schemas.ts';

const states = ['queued', 'sending', 'sent', 'failed', 'unknown'] as const;

export const Send = Type.Object({
  id: Integer('Send ID, for paging.', 1),
  bot_id: Integer('The bot it goes through.', 1),
  chat_id: Integer('The chat; 0 if the method has none.', 42),
  method: Text('The Bot API method.', 'sendMessage'),
  origin: Text('sent (by the API), routed, answer (of a backend) or hook.', 'sent'),
  author: Type.Optional(MessageAuthor),
  state: Text(
    'unknown: the connection was lost after the request, or Telegram failed. The relay does not send it a second time automatically.',
    'sent',
  ),
  attempts: Integer('Attempts from the queue.', 0),
  error: Text('Why it failed or is waiting; empty otherwise.', ''),
  error_detail: Detail('error'),
  message_id: Integer('ID of the sent message; 0 if there is none yet.', 7),
  text: Text(
    'The beginning of the message; empty if it has no text or the chat was forgotten.',
    'Your refund is on its way.',
  ),
  created_at: Moment('When it was requested.'),
  updated_at: Moment('When its state last changed.'),
});

export function outboxEndpoints({ outbox }: { outbox: OutboxService }): Endpoint[] {
  return [
    get('Messages', '/api/outbox', {
      scope: 'read',
      chats: 'filtered',
      summary: 'List the outbox',
      description:
        'Sent and queued messages, newest first. Messages that a client sends through the gateway are not included.',
      query: Query({
        bot_id: Optional.Id('Only entries of this bot.'),
        state: Optional.Choice(states, { description: 'Only sends in this state.' }),
        before_id: Optional.Id('Only entries older than this one, for paging.'),
        limit: Optional.Integer('At most this many.', undefined, {
          minimum: 1,
          maximum: 200,
          default: 50,
        }),
      }),
      response: Type.Array(Send),
      errors: ['bot_not_allowed'],
      async handler({ caller, query: { bot_id, before_id, limit = 50, ...filter } }) {
        const sends = await outbox.list(caller, {
          ...filter,
          limit,
          ...(bot_id === undefined ? {} : { botId: bot_id }),
          ...(before_id === undefined ? {} : { beforeId: before_id }),
        });
        return sends.map(show);
      },
    }),
    post('Messages', '/api/outbox/send-again', {
      audit: {},
      scope: 'send',
      chats: 'filtered',
      summary: 'Send a failed message again',
      description:
        'For entries in the state `failed` or `unknown`. Check the chat first: an unknown one may have arrived. The same content is queued as a new send. Entries that are not messages, such as bans, need the scope `manage`.',
      query: Query({ id: Id('Send ID.') }),
      response: Send,
      errors: ['not_found', 'bot_not_allowed', 'conflict'],
      handler: async ({ caller, query: { id } }) => show(await outbox.sendAgain(caller, id)),
    }),
  ];
}

/** Only the text of the parameters is shown. */
function show(send: SendView) {
  return {
    id: send.id,
    bot_id: send.botId,
    chat_id: send.chatId,
    method: send.method,
    origin: send.origin,
    ...(send.author ? { author: send.author } : {}),
    state: send.state,
    attempts: send.attempts,
    error: send.error,
    error_detail: send.errorDetail,
    message_id: send.messageId,
    text: send.text,
    created_at: isoTime(send.createdAt),
    updated_at: isoTime(send.updatedAt),
  };
}
