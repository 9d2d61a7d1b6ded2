import type { Message } from '../../api/types.ts';

export type HistoryItem =
  | { kind: 'day'; key: string; date: number }
  | { kind: 'start'; key: string }
  | { kind: 'message'; key: string; message: Message; leads: boolean; own: boolean };

const sameSpeakerSeconds = 300;

/** Messages with days between them; `leads` marks the first of a row by the same person. */
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
    // Asked of the calendar only where a day ends: there may be thousands of messages.
    if (at >= nextDay || at < thisDay) {
      thisDay = new Date(at).setHours(0, 0, 0, 0);
      nextDay = new Date(thisDay).setHours(24);
      items.push({ kind: 'day', key: `day-${thisDay}`, date: at });
      before = undefined;
    }
    const leads =
      before === undefined ||
      before.user_id !== message.user_id ||
      isBusiness(before) !== isBusiness(message) ||
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

/** Written by the bot, or from the business account it is connected to. */
function isOwn(message: Message, botPlatformId: number): boolean {
  if (isBusiness(message)) return message.user_id !== message.chat_id;
  return message.user_id === botPlatformId;
}

/** Heard through a business account; button presses have numbers below zero too. */
export function isBusiness(message: Pick<Message, 'id' | 'media_type'>): boolean {
  return message.id < 0 && message.media_type !== 'callback';
}

/** Whose business account the customer writes to; '' when none has answered yet, or several have. */
export function accountOwner(messages: Message[]): string {
  const owners = new Map<number, string>();
  for (const message of messages) {
    if (isBusiness(message) && message.user_id !== message.chat_id) {
      owners.set(message.user_id, speakerName(message));
    }
  }
  const [name] = owners.values();
  return owners.size === 1 ? (name ?? '') : '';
}

export function speakerName(message: {
  first_name: string;
  last_name: string;
  username: string;
}): string {
  const name = [message.first_name, message.last_name].filter(Boolean).join(' ');
  return name || (message.username ? `@${message.username}` : '');
}
