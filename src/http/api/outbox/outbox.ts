import { Type } from 'typebox';
import type { OutboxService, SendView } from '../../../manage/outbox/outbox.ts';
import { type Endpoint, endpoint } from '../../endpoint.ts';
import { isoTime } from '../../../core/iso-time.ts';
import { Detail, Choice, Id, Moment, Query } from '../../schemas.ts';

const states = ['queued', 'sending', 'sent', 'failed', 'unknown'] as const;

export const Send = Type.Object({
  id: Type.Integer({ description: 'Send ID, for paging.', examples: [1] }),
  bot_id: Type.Integer({ description: 'The bot it goes through.', examples: [1] }),
  chat_id: Type.Integer({ description: 'The chat; 0 where the method has none.', examples: [42] }),
  method: Type.String({ description: 'The Bot API method.', examples: ['sendMessage'] }),
  origin: Type.String({
    description: 'sent (by the API), routed, answer (of a backend) or hook.',
    examples: ['sent'],
  }),
  state: Type.String({
    description:
      'unknown: the connection was lost after the request, or the platform failed at it; it is not repeated unless asked for.',
    examples: ['sent'],
  }),
  attempts: Type.Integer({ description: 'How often it was tried from the queue.', examples: [0] }),
  error: Type.String({ description: 'Why it failed or waits; empty otherwise.', examples: [''] }),
  error_detail: Detail('error'),
  message_id: Type.Integer({
    description: 'The message it became; 0 when it became none, or not yet.',
    examples: [7],
  }),
  text: Type.String({
    description:
      'The first words of the message as it is stored, or of what is still to be sent or failed; empty where there are none, or where the message was forgotten.',
    examples: ['Your refund is on its way.'],
  }),
  created_at: Moment('When it was asked for.'),
  updated_at: Moment('When its state last changed.'),
});

export function outboxEndpoints({ outbox }: { outbox: OutboxService }): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/outbox',
      scope: 'read',
      tag: 'Messages',
      summary: 'List what the relay sent, or means to send',
      description: 'Newest first. What a bot sends itself through the gateway is not among it.',
      query: Query({
        bot_id: Type.Optional(Id('Only what goes through this bot.')),
        state: Type.Optional(Choice(states, { description: 'Only sends in this state.' })),
        before_id: Type.Optional(Id('Only older ones than this send, for paging.')),
        limit: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 200,
            default: 50,
            description: 'At most this many.',
          }),
        ),
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
    endpoint({
      method: 'POST',
      path: '/api/outbox/send-again',
      audit: {},
      scope: 'send',
      tag: 'Messages',
      summary: 'Send once more what failed or may not have arrived',
      description:
        'For a send whose state is failed or unknown; look into the chat first, as an unknown one may have arrived. It is queued and sent as if it were new, with the same content. What is no message, such as a ban, needs the scope `manage`.',
      query: Query({ id: Id('Send ID.') }),
      response: Send,
      errors: ['not_found', 'bot_not_allowed', 'conflict'],
      handler: async ({ caller, query: { id } }) => show(await outbox.sendAgain(caller, id)),
    }),
  ];
}

/** Of the parameters only the words: the rest is between the bot and the platform. */
function show(send: SendView) {
  return {
    id: send.id,
    bot_id: send.botId,
    chat_id: send.chatId,
    method: send.method,
    origin: send.origin,
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
