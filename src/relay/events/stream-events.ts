import { archivedId } from '../../core/messages/business-messages.ts';
import type { EventBus } from '../../core/ports.ts';
import type { Reason } from '../../core/reasons/reason.ts';
import { readReason } from '../../core/reasons/stored.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { RelayEvents } from './relay-events.ts';

const messageKinds = /^(edited_)?(message|channel_post|business_message)$/;

interface Wire {
  business_connection_id?: string;
  message_id?: number;
  chat?: { id: number };
  message?: Wire;
}

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
    for (const { chatId, id } of messages) {
      if (id === 'from-position') continue;
      const by = author ? { author } : {};
      events.publish('message', botId, { chat_id: chatId, id, kind: 'sent', ...by });
    }
  });
}

function publishEntries(events: EventBus, botId: number, entries: readonly LogEntry[]): void {
  for (const { kind, raw, position } of entries) {
    const isMessage = messageKinds.test(kind);
    if (!isMessage && kind !== 'callback_query') continue;
    const part = (JSON.parse(raw) as Record<string, Wire | undefined>)[kind];
    const chatId = (isMessage ? part : part?.message)?.chat?.id;
    if (chatId === undefined) continue;
    const id = isMessage ? idOf(part) : -position;
    events.publish('message', botId, { chat_id: chatId, id, kind });
  }
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
