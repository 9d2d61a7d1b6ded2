import { reason } from '../../../core/reasons/reason.ts';
import { Type } from 'typebox';
import type { Clock } from '../../../clock.ts';
import { requireBot, requireScope } from '../../../core/access/access.ts';
import { archivedId } from '../../../core/messages/business-messages.ts';
import { RelayError } from '../../../errors.ts';
import type { MessageRepository } from '../../../store/messages/messages.ts';
import type { OutboxRecord, OutboxRepository } from '../../../store/outbox/outbox.ts';
import { type Endpoint, endpoint } from '../../endpoint.ts';
import { isoMoment } from '../../moment.ts';
import { Choice, Id, Moment, Query } from '../../schemas.ts';

const isMessage = /^(send|copy|forward)/i;
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

export interface OutboxEndpointsDeps {
  outbox: OutboxRepository;
  messages: Pick<MessageRepository, 'beginnings'>;
  clock: Clock;
  /** Has whoever sends for these bots look. */
  onQueued(botIds: ReadonlySet<number>): void;
}

const shownLength = 200;

export function outboxEndpoints(deps: OutboxEndpointsDeps): Endpoint[] {
  const { outbox, clock, messages, onQueued } = deps;

  async function showAll(sends: readonly OutboxRecord[]) {
    const stored = sends.filter(({ messageId }) => messageId !== null);
    const keys = stored.map((send) => ({
      botId: send.botId,
      chatId: chatOf(send),
      id: messageOf(send),
    }));
    const words = await messages.beginnings(keys, shownLength);
    const wordsOf = new Map(stored.map(({ id }, index) => [id, words[index] ?? '']));
    return sends.map((send) => show(send, wordsOf.get(send.id) ?? askedWords(send)));
  }

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
      async handler({ caller, query }) {
        const { bot_id: botId, state, before_id: beforeId, limit = 50 } = query;
        if (botId !== undefined) requireBot(caller, botId);
        const sends = await outbox.list({
          botIds: botId === undefined ? caller.botIds : [botId],
          limit,
          ...(state === undefined ? {} : { state }),
          ...(beforeId === undefined ? {} : { beforeId }),
        });
        return showAll(sends);
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
      async handler({ caller, query: { id } }) {
        const send = await outbox.get(id);
        if (!send) {
          throw new RelayError('not_found', reason('no_such_send', { send_id: id }));
        }
        requireBot(caller, send.botId);
        // What only managers may begin, only they may begin again.
        if (!isMessage.test(send.method)) requireScope(caller, 'manage');
        if (hasUpload(send)) {
          throw new RelayError('conflict', reason('file_not_kept', { send_id: id }));
        }
        const queued = await outbox.sendAgain(id, clock.now());
        if (!queued) {
          throw new RelayError(
            'conflict',
            reason('not_to_be_sent_again', { send_id: id, state: send.state }),
          );
        }
        onQueued(new Set([queued.botId]));
        return show(queued, askedWords(queued));
      },
    }),
  ];
}

/** Of the parameters only the words: the rest is between the bot and the platform. */
function show(send: OutboxRecord, text: string) {
  return {
    id: send.id,
    bot_id: send.botId,
    chat_id: chatOf(send),
    method: send.method,
    origin: send.origin,
    state: send.state,
    attempts: send.attempts,
    error: send.error,
    message_id: messageOf(send),
    text,
    created_at: isoMoment(send.createdAt),
    updated_at: isoMoment(send.updatedAt),
  };
}

const paramsOf = ({ params }: OutboxRecord) => JSON.parse(params) as Record<string, unknown>;

/** Of what was uploaded, only the name is kept. */
function hasUpload(send: OutboxRecord): boolean {
  return Object.values(paramsOf(send)).some(
    (value) => typeof value === 'object' && value !== null && 'upload' in value,
  );
}

/** What is no message is sent without a chat, so that its limits do not hold it back. */
function chatOf(send: OutboxRecord): number {
  if (send.chatId !== 0) return send.chatId;
  const { chat_id: chatId } = paramsOf(send);
  return Number.isSafeInteger(chatId) ? (chatId as number) : 0;
}

/** Under the number that the archive has it. */
function messageOf(send: OutboxRecord): number {
  if (send.messageId === null) return 0;
  const { business_connection_id: connection } = paramsOf(send);
  return archivedId(typeof connection === 'string' ? connection : '', send.messageId);
}

function askedWords(send: OutboxRecord): string {
  const { text, caption } = paramsOf(send);
  const words = [text, caption].find((one) => typeof one === 'string') as string | undefined;
  // By characters, so that none is cut in half.
  return Array.from(words ?? '')
    .slice(0, shownLength)
    .join('');
}
