import type { Message, Update } from '@grammyjs/types';
import type { MovableClock } from '../clock.ts';
import type { Random } from '../random.ts';
import type { BotRecord, UpdateKind } from './bot-records.ts';
import type { WorldState } from './records.ts';

/** Events for watchers (the phones of the web UI, tests). */
export type WorldChange =
  | { type: 'message_added'; roomKey: string; message: Message }
  | { type: 'message_edited'; roomKey: string; message: Message }
  | { type: 'message_deleted'; roomKey: string; messageId: number }
  | { type: 'reaction_changed'; roomKey: string; messageId: number }
  | { type: 'member_changed'; roomKey: string; userId: number; status: string }
  | { type: 'join_changed'; roomKey: string; userId: number; status: string }
  | { type: 'chat_changed'; roomKey: string }
  | { type: 'chat_action'; roomKey: string; botId: number; action: string }
  | { type: 'callback_answered'; userId: number; text: string; showAlert: boolean }
  | { type: 'ephemeral_changed'; roomKey: string; userId: number }
  | { type: 'payment_changed'; paymentId: string; userId: number; status: string }
  | { type: 'user_added'; userId: number }
  | { type: 'bot_changed'; botId: number };

export interface WorldLimits {
  messagesPerChat: number;
  fileBytes: number;
  updatesPerBot: number;
}

export interface World {
  state: WorldState;
  clock: MovableClock;
  random: Random;
  limits: WorldLimits;
  /** Unix seconds. */
  now(): number;
  watched(): boolean;
  changed(change: WorldChange): void;
  /** Queues an update for a bot, unless the bot does not want this kind. */
  publish<K extends UpdateKind>(
    bot: BotRecord,
    kind: K,
    payload: () => NonNullable<Update[K]>,
    queue: string,
  ): void;
  /** An unguessable part of a token; repeatable only when a seed was given. */
  secret(length: number): string;
}

export function emptyState(random: number): WorldState {
  return {
    version: 1,
    random,
    counters: { user: 0, bot: 0, group: 0, channel: 0, file: 0, misc: 0 },
    users: new Map(),
    bots: new Map(),
    rooms: new Map(),
    files: new Map(),
    polls: new Map(),
    callbacks: new Map(),
    inlineQueries: new Map(),
    inlineMessages: new Map(),
    connections: new Map(),
    joinQueries: new Map(),
    payments: new Map(),
    invoiceLinks: new Map(),
  };
}

// IDs are at the far end of Telegram's ranges, so practice and real chats never share one.
const firstUser = 980_000_000_000;
const firstBot = 990_000_000_000;
const firstGroup = -980_000_000_000;
const firstChannel = -1_990_000_000_000;

export const nextUserId = (state: WorldState): number => firstUser + ++state.counters.user;
export const nextBotId = (state: WorldState): number => firstBot + ++state.counters.bot;
/** True for the tokens of any sandbox: Telegram issues no such token. */
export const isPracticeToken = (token: string): boolean => Number.parseInt(token, 10) > firstBot;
export const nextGroupId = (state: WorldState): number => firstGroup - ++state.counters.group;
export const nextChannelId = (state: WorldState): number => firstChannel - ++state.counters.channel;

/** Makes IDs of polls, queries and media groups: long digits, as Telegram has them. */
export const nextLongId = (world: World): string =>
  `5${String(world.random.integer(0, 999_999_999)).padStart(9, '0')}${String(++world.state.counters.misc).padStart(9, '0')}`;
