import { archivedId } from '../../core/messages/business-messages.ts';
import { topicOf } from '../../core/messages/topics.ts';
import type { EventBus } from '../../core/ports.ts';
import type { Reason } from '../../core/reasons/reason.ts';
import { readReason } from '../../core/reasons/stored.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { RelayEvents } from './relay-events.ts';

const messageKinds = /^(edited_)?(message|channel_post|business_message)$/;

type Wire = Record<string, unknown> & {
  business_connection_id?: string;
  message_id?: number;
  chat?: { id: number };
  message?: Wire;
};

/**
 * Tells clients the IDs of messages that were received and sent; their content is only for those who
 * may read it.
 */
export function streamMessages(events: RelayEvents): void {
  events.on('stored', (botId, entries) => {
    if (events.isHeard) publishEntries(events, botId, entries);
  });
  events.on('sent', (botId, { messages, author }) => {
    if (!events.isHeard) return;
    for (const { chatId, id, threadId } of messages) {
      if (id === 'from-position') continue;
      const about = { ...inTopic(threadId), ...(author ? { author } : {}) };
      events.publish('message', botId, { chat_id: chatId, id, kind: 'sent', ...about });
    }
  });
}

function publishEntries(events: EventBus, botId: number, entries: readonly LogEntry[]): void {
  for (const { kind, raw, position } of entries) {
    const isMessage = messageKinds.test(kind);
    if (!isMessage && kind !== 'callback_query') continue;
    const part = (JSON.parse(raw) as Record<string, Wire | undefined>)[kind];
    const message = isMessage ? part : part?.message;
    const chatId = message?.chat?.id;
    if (chatId === undefined) continue;
    const id = isMessage ? idOf(part) : -position;
    const topic = inTopic(message && topicOf(message));
    events.publish('message', botId, { chat_id: chatId, id, kind, ...topic });
  }
}

function inTopic(threadId: number | null | undefined): { message_thread_id?: number } {
  return typeof threadId === 'number' ? { message_thread_id: threadId } : {};
}

/** Publishes whether a bot runs, and why it does not. */
export function publishState(
  events: EventBus,
  botId: number,
  state: string,
  lastError: Reason | null,
): void {
  const { text } = readReason(lastError);
  const data = { change: 'state', state, last_error: text, last_error_detail: lastError };
  events.publish('bot', botId, data);
}

/** Returns the message ID as the archive has it. */
function idOf(message: Wire | undefined): number | undefined {
  const { message_id: id, business_connection_id: connection = '' } = message ?? {};
  return id === undefined ? undefined : archivedId(connection, id);
}
