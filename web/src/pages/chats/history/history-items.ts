import type { Message } from '../../../api/client/types.ts';
import type { Note } from '../../../api/people.ts';

export type HistoryItem =
  | { kind: 'day'; key: string; date: number }
  | { kind: 'start'; key: string }
  | { kind: 'note'; key: string; note: Note }
  | { kind: 'message'; key: string; message: Message; leads: boolean; own: boolean };

const sameSpeakerSeconds = 300;

/** Returns messages with days between them; `leads` marks the first of several by the same person. */
export function historyItems(
  messages: Message[],
  options: { botPlatformId: number; complete: boolean },
): HistoryItem[] {
  const items: HistoryItem[] = [];
  if (options.complete && messages.length > 0) items.push({ kind: 'start', key: 'start' });
  let nextDay = Number.NEGATIVE_INFINITY;
  let thisDay = 0;
  let before: Message | undefined;
  for (const message of messages) {
    const at = message.date * 1_000;
    // The calendar is used only at the end of a day, because there may be thousands of messages.
    if (at >= nextDay || at < thisDay) {
      thisDay = new Date(at).setHours(0, 0, 0, 0);
      nextDay = new Date(thisDay).setHours(24);
      items.push({ kind: 'day', key: `day-${thisDay}`, date: at });
      before = undefined;
    }
    const leads =
      before === undefined ||
      before.user_id !== message.user_id ||
      before.business_connection_id !== message.business_connection_id ||
      message.date - before.date > sameSpeakerSeconds;
    items.push({
      kind: 'message',
      key: `m${message.id}`,
      message,
      leads,
      own: isOwn(message, options.botPlatformId),
    });
    before = message;
  }
  return items;
}

/**
 * Puts internal notes between the messages, by time. Notes from before the first or after the last
 * loaded message wait until these messages are loaded.
 */
export function withNotes(
  items: HistoryItem[],
  notes: readonly Note[],
  { complete, latest }: { complete: boolean; latest: boolean },
): HistoryItem[] {
  const left = notes.toSorted((a, b) => a.created_at.localeCompare(b.created_at));
  const first = items.find((item) => item.kind === 'message');
  if (left.length === 0 || !first) return items;
  const firstAt = complete ? 0 : first.message.date * 1_000;
  while (left[0] && Date.parse(left[0].created_at) < firstAt) left.shift();
  const merged: HistoryItem[] = [];
  const put = (note: Note) => merged.push({ kind: 'note', key: `n${note.id}`, note });
  for (const item of items) {
    const at = item.kind === 'message' ? item.message.date * 1_000 : 0;
    while (left[0] && Date.parse(left[0].created_at) < at) put(left.shift() as Note);
    merged.push(item);
  }
  if (latest) for (const note of left) put(note);
  return merged;
}

/** True for messages of the bot, or of the business account it is connected to. */
function isOwn(message: Message, botPlatformId: number): boolean {
  if (isBusiness(message)) return message.user_id !== message.chat_id;
  return message.user_id === botPlatformId;
}

/** True for messages received through a business account. */
export function isBusiness(message: Message): boolean {
  return message.business_connection_id !== undefined;
}

/** A business account that the customer of a chat writes to. */
export interface Account {
  connection: string;
  /** The owner's name; '' until somebody has answered from the account. */
  owner: string;
}

/** Returns the accounts of a chat by connection, the latest last. */
export function accountsIn(messages: Message[]): Map<string, Account> {
  const accounts = new Map<string, Account>();
  for (const message of messages) {
    const { business_connection_id: connection } = message;
    if (connection === undefined) continue;
    const known = accounts.get(connection)?.owner ?? '';
    const owner = message.user_id === message.chat_id ? known : speakerName(message);
    accounts.delete(connection);
    accounts.set(connection, { connection, owner });
  }
  return accounts;
}

export function speakerName(message: {
  first_name: string;
  last_name: string;
  username: string;
}): string {
  const name = [message.first_name, message.last_name].filter(Boolean).join(' ');
  return name || (message.username ? `@${message.username}` : '');
}
