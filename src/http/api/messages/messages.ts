import { Type } from 'typebox';
import { limits } from '../../../core/limits.ts';
import { previewOf } from '../../../manage/messages/message-words.ts';
import type { MessageService } from '../../../manage/messages/messages.ts';
import { type Endpoint, get, post } from '../../endpoint.ts';
import { createCachedText } from '../../cached-text.ts';
import { Message, MessageQuery, SentMessage } from './message-schema.ts';
import { IdempotencyHeaders, Preview, PreviewBody, SendMessageBody } from './send-schema.ts';

export function messageEndpoints({ messages }: { messages: MessageService }): Endpoint[] {
  const listed = createCachedText();
  return [
    get('Messages', '/api/messages', {
      scope: 'read',
      chats: 'reads',
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
    post('Messages', '/api/messages/preview', {
      audit: 'none',
      scope: 'send',
      chats: 'none',
      summary: 'Preview Markdown',
      description:
        'Shows the messages that a text with `format: "markdown"` becomes. Nothing is sent.',
      body: PreviewBody,
      response: Preview,
      handler: ({ body }) => previewOf(body.text),
    }),
    post('Messages', '/api/messages/send', {
      audit: { waits: false },
      scope: 'send',
      chats: 'writes',
      summary: 'Send a message',
      description:
        "Takes a text with its formatting, or a rich message, and the options of Telegram's own methods. Returns the stored message. Markup that Telegram refuses is 422, and nothing is stored. With `format`, long text becomes up to five messages, which the outbox sends one after the other, and longer text a file; `parts` has their IDs. If Telegram accepted the request but did not answer, the outcome is unknown: you get 504, and the relay does not send it a second time.",
      body: SendMessageBody,
      headers: IdempotencyHeaders,
      response: SentMessage,
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
