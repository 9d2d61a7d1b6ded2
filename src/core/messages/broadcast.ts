/* Broadcasts: one message to many chats of a bot. */
import { sendPriorities } from './send-class.ts';
import { ownButtonPrefix } from './own-buttons.ts';
import type { Refused } from '../reasons/bots.ts';
import { isDeactivated } from '../reasons/platform.ts';
import type { AnyReason } from '../reasons/shape.ts';

export const broadcastStates = ['draft', 'running', 'paused', 'done', 'canceled'] as const;
export type BroadcastState = (typeof broadcastStates)[number];

/** Says what became of the message to one chat. */
export const recipientStates = [
  'queued',
  'sent',
  'blocked',
  'gone',
  'failed',
  'unknown',
  'opted_out',
] as const;
export type RecipientState = (typeof recipientStates)[number];
export type RecipientCounts = Record<RecipientState, number>;

/** A broadcast is sent once; what was sent can be edited and deleted. */
export const broadcastTasks = ['send', 'edit', 'delete'] as const;
export type BroadcastTask = (typeof broadcastTasks)[number];

export const audienceTypes = ['private', 'group', 'supergroup', 'channel'] as const;
export const audienceConversations = ['waiting', 'open', 'done'] as const;

/** A chat belongs to it if it fits each of these; an empty list fits all. */
export interface Audience {
  chat_types: (typeof audienceTypes)[number][];
  /** The chat has any of these tags. */
  tags: string[];
  /** The person's language in Telegram, such as `en`; `en` includes `en-US`. */
  languages: string[];
  /** The person wrote to the bot within so many days, or somebody in the group; 0 for any time. */
  seen_within_days: number;
  states: (typeof audienceConversations)[number][];
}

export const everyPrivateChat: Audience = {
  chat_types: ['private'],
  tags: [],
  languages: [],
  seen_within_days: 0,
  states: [],
};

export interface BroadcastOptions {
  /** The label of a button by which a person opts out; '' for none. */
  opt_out_button: string;
  /** A message of this text opts out; '' for none. */
  opt_out_word: string;
  /** The person reads this after opting out. */
  opt_out_reply: string;
  /** Pauses if a larger share of the chats has blocked the bot; 0 for never. */
  stop_at_blocked_percent: number;
  /** Faster than Telegram allows for free, which the bot pays for in Stars. */
  allow_paid_broadcast: boolean;
}

/** What a paid broadcast costs at most: a tenth of a Star for each message above 30 a second. */
export const starsAtMost = (recipients: number) => Math.ceil(recipients / 10);
/** A bot that pays has more than this. */
export const leastStarBalance = 10_000;

const paidParam = '"allow_paid_broadcast":true';
/** Says whether the stored parameters of a send offer to pay for it. */
export const isPaidSend = ({ params, priority }: { params: string; priority: number }) =>
  sendPriorities[priority] === 'broadcast' && params.includes(paidParam);

/** With fewer chats, a share says little. */
export const leastForShare = 50;

export function blockedPercent({ sent, blocked }: Pick<RecipientCounts, 'sent' | 'blocked'>) {
  const tried = sent + blocked;
  return tried === 0 ? 0 : Math.round((1_000 * blocked) / tried) / 10;
}

/** The key of the send to one chat, which makes each task act once. */
export const broadcastKey = (id: number, task: number, chatId: number) =>
  `${broadcastKeyPrefix}${id}:${task}:${chatId}`;
export const broadcastKeyPrefix = 'broadcast:';

/** The data of the button by which a person opts out. */
export const optOutData = `${ownButtonPrefix}broadcast:stop`;

/** Says whether so many have blocked the bot that the rest should not get the message. */
export function tooManyBlocked({
  counts,
  options,
}: {
  counts: Pick<RecipientCounts, 'sent' | 'blocked'>;
  options: BroadcastOptions;
}): boolean {
  const most = options.stop_at_blocked_percent;
  return most > 0 && counts.sent + counts.blocked >= leastForShare && blockedPercent(counts) > most;
}

interface Sendable {
  task: BroadcastTask;
  taskParams: Record<string, unknown>;
  message: { method: string; params: Record<string, unknown> };
  options: Pick<BroadcastOptions, 'opt_out_button' | 'allow_paid_broadcast'>;
}

/** The call of the running task for one chat. */
export function broadcastCall(
  { message, options, task, taskParams }: Sendable,
  chatId: number,
  messageId: number,
): { method: string; params: Record<string, unknown> } {
  const chat = { chat_id: chatId };
  if (task === 'delete')
    return { method: 'deleteMessage', params: { ...chat, message_id: messageId } };
  const { method, params } = message;
  // Only in a private chat does the person who presses decide for the chat.
  const reply_markup =
    options.opt_out_button === '' || chatId < 0
      ? params.reply_markup
      : withButton(params.reply_markup, options.opt_out_button);
  const buttons = reply_markup === undefined ? {} : { reply_markup };
  const paid = options.allow_paid_broadcast ? { allow_paid_broadcast: true } : {};
  if (task === 'send') return { method, params: { ...params, ...chat, ...buttons, ...paid } };
  const isText = method === 'sendMessage' || method === 'sendRichMessage';
  return {
    method: isText ? 'editMessageText' : 'editMessageCaption',
    params: { ...chat, message_id: messageId, ...taskParams, ...buttons },
  };
}

function withButton(markup: unknown, text: string): object {
  const { inline_keyboard: rows = [] } = (markup ?? {}) as { inline_keyboard?: unknown[] };
  return { inline_keyboard: [...rows, [{ text, callback_data: optOutData }]] };
}

/** Reads from a refusal what became of the chat. */
export function outcomeOf(refused: AnyReason | null): 'blocked' | 'gone' | 'failed' {
  const { description = '', refusal = '' } = (refused?.params ?? {}) as Partial<Refused>;
  if (refusal === 'blocked') return isDeactivated(description) ? 'gone' : 'blocked';
  return refusal === 'no_chat' || refusal === 'not_there' ? 'gone' : 'failed';
}
