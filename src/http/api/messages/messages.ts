import { Type } from 'typebox';
import { limits } from '../../../core/limits.ts';
import type { MessageService } from '../../../manage/messages/messages.ts';
import { type Endpoint, get, post } from '../../endpoint.ts';
import { createCachedText } from '../../cached-text.ts';
import { Message, MessageQuery } from './message-schema.ts';
import { IdempotencyHeaders, SendMessageBody } from './send-schema.ts';

export function messageEndpoints({ messages }: { messages: MessageService }): Endpoint[] {
  const listed = createCachedText();
  return [
    get('Messages', '/api/messages', {
      scope: 'read',
      summary: 'List messages',
      description: 'Newest first, sorted by date and ID.',
      query: MessageQuery,
      response: Type.Array(Message),
      errors: ['bot_not_found', 'bot_not_allowed', 'message_not_found'],
      async handler({ caller, query, raw }) {
        const { limit = limits.messagesByDefault, offset = 0 } = query;
        return listed.of(raw.reply, await messages.list(caller, { ...query, limit, offset }));
      },
    }),
    post('Messages', '/api/messages/send', {
      audit: { waits: false },
      scope: 'send',
      summary: 'Send a message',
      description:
        "Takes a text with its formatting, or a rich message, and the options of Telegram's own methods. Returns the stored message. Markup that Telegram refuses is 422, and nothing is stored. If Telegram accepted the request but did not answer, the outcome is unknown: you get 504, and the relay does not send it a second time.",
      body: SendMessageBody,
      headers: IdempotencyHeaders,
      response: Message,
      errors: [
        'bot_not_found',
        'bot_not_allowed',
        'bot_disabled',
        'idempotency_mismatch',
        'platform_refused',
        'platform_rate_limited',
        'platform_unreachable',
        'platform_timeout',
      ],
      handler(request) {
        const { caller, body } = request;
        const key = request.headers['idempotency-key'];
        return messages.send(
          caller,
          body,
          key === undefined ? key : { key, signal: request.signal },
        );
      },
    }),
  ];
}
