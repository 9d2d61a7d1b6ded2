import type { Clock } from '../../clock.ts';
import { type Caller, requireBot, requireScope } from '../../core/access/access.ts';
import { readableChats, requireChats } from '../../core/access/chat-limits.ts';
import { archivedId } from '../../core/messages/business-messages.ts';
import { broadcastKeyPrefix } from '../../core/messages/broadcast.ts';
import { reason } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import type { OutboxRecord, OutboxState } from '../../store/outbox/outbox-record.ts';
import type { Store } from '../../store/store.ts';

/** A send in the form shown to people. */
export interface SendView extends Omit<OutboxRecord, 'chatId' | 'messageId'> {
  /** 0 for methods without a chat. */
  chatId: number;
  /** The message ID in the archive; 0 if there is no message, or none yet. */
  messageId: number;
  /** The first words of the message. */
  text: string;
}

export interface OutboxQuery {
  botId?: number;
  state?: OutboxState;
  beforeId?: number;
  limit: number;
}

export interface OutboxService {
  /** Newest first. */
  list(caller: Caller, query: OutboxQuery): Promise<SendView[]>;
  /** Queues a send again that failed or may not have arrived. */
  sendAgain(caller: Caller, id: number): Promise<SendView>;
}

const isMessage = /^(send|copy|forward)/i;
const shownLength = 200;

export function createOutboxService(deps: {
  store: Pick<Store, 'outbox' | 'messages'>;
  clock: Clock;
  /** Wakes the senders of these bots. */
  onQueued(botIds: ReadonlySet<number>): void;
}): OutboxService {
  const { clock, onQueued } = deps;
  const { messages, outbox } = deps.store;

  return {
    async list(caller, { botId, ...filter }) {
      if (botId !== undefined) requireBot(caller, botId);
      const sends = await outbox.list({
        ...filter,
        botIds: botId === undefined ? caller.botIds : [botId],
        chatIds: readableChats(caller),
      });
      const stored = sends.filter(({ messageId }) => messageId !== null);
      const keys = stored.map((send) => ({
        botId: send.botId,
        chatId: chatOf(send),
        id: messageOf(send),
      }));
      const words = await messages.beginnings(keys, shownLength);
      const textById = new Map(stored.map(({ id }, index) => [id, words[index] ?? '']));
      return sends.map((send) => viewOf(send, textById.get(send.id) ?? askedWords(send)));
    },
    async sendAgain(caller, id) {
      const send = await outbox.get(id);
      if (!send) {
        throw new RelayError('not_found', reason('no_such_send', { send_id: id }));
      }
      requireBot(caller, send.botId);
      requireChats(caller, 'reads and writes', chatOf(send));
      // Only managers may send these methods, so only they may repeat them.
      if (!isMessage.test(send.method)) requireScope(caller, 'manage');
      if (send.intentKey?.startsWith(broadcastKeyPrefix)) {
        throw new RelayError('conflict', reason('broadcast_not_repeated', { send_id: id }));
      }
      if (send.context.includes('"desk":{"topicId":')) {
        throw new RelayError('conflict', reason('desk_step_not_repeated', { send_id: id }));
      }
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
      return viewOf(queued, askedWords(queued));
    },
  };
}

function viewOf(send: OutboxRecord, text: string): SendView {
  return { ...send, chatId: chatOf(send), messageId: messageOf(send), text };
}

const paramsOf = ({ params }: OutboxRecord) => JSON.parse(params) as Record<string, unknown>;

/** Says whether a send had an uploaded file, of which only the name is stored. */
function hasUpload(send: OutboxRecord): boolean {
  return Object.values(paramsOf(send)).some(
    (value) => typeof value === 'object' && value !== null && 'upload' in value,
  );
}

/** Sends that are no messages are sent without a chat, so that its limits do not delay them. */
function chatOf(send: OutboxRecord): number {
  if (send.chatId !== 0) return send.chatId;
  const { chat_id: chatId } = paramsOf(send);
  return Number.isSafeInteger(chatId) ? (chatId as number) : 0;
}

/** The message ID as the archive has it. */
function messageOf(send: OutboxRecord): number {
  if (send.messageId === null) return 0;
  const { business_connection_id: connection } = paramsOf(send);
  return archivedId(typeof connection === 'string' ? connection : '', send.messageId);
}

function askedWords(send: OutboxRecord): string {
  const { text, caption } = paramsOf(send);
  const words = [text, caption].find((one) => typeof one === 'string') as string | undefined;
  // Cut by characters, so that none is cut in half.
  return Array.from(words ?? '')
    .slice(0, shownLength)
    .join('');
}
