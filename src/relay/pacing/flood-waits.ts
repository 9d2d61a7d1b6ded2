/*
 * The flood waits of chats, as far as this node knows, and the rates it learned from them. After a
 * 429 the chat waits for as long as Telegram says. For ten minutes after that, calls of the class
 * that met it stay below the rate that Telegram accepted, and so do all classes together: whether
 * Telegram counts them together is not documented. A bot with a flood wait in one chat also stays
 * below the limit of its own.
 */
import type { PacedClass } from '../../core/messages/send-class.ts';
import { telegramLimits } from '../outbox/bucket.ts';
import { LearnedRate, type Rate } from './learned-rate.ts';

/** A chat as calls name it: its ID, or its username. */
export interface PacedChat {
  botId: number;
  chat: string;
}

/** A flood wait that began or became longer. */
export interface FloodWait extends PacedChat {
  pacedClass: PacedClass;
  /** How long the chat has to wait from now on. */
  leftMs: number;
  /** The wait became longer by this. */
  addedMs: number;
  /** How long the chat has been waiting without a pause. */
  waitedMs: number;
  /** The app that sent most lately; '' for the relay itself. */
  mostUsedBy: string;
  rates: Partial<Record<Lane, Rate>>;
}

/** The part of a flood wait that other nodes need. */
export type SharedFloodWait = Pick<FloodWait, 'botId' | 'chat' | 'leftMs' | 'pacedClass' | 'rates'>;

type Lane = PacedClass | 'all';

interface Chat {
  lanes: Map<Lane, LearnedRate>;
  /** The end of the flood wait; 0 if there was none. */
  until: number;
  since: number;
  /** Refused chat actions say nothing about messages. */
  actionsUntil: number;
  usage: Map<string, number>;
  usageFrom: number;
  usedAt: number;
}

const learnedForMs = 600_000;
/** A 429 this soon after a flood wait continues it. */
const pauseMs = 2_000;
const usageMs = 300_000;
const mostChats = 20_000;

export class FloodWaits {
  readonly #now: () => number;
  readonly #chats = new Map<string, Chat>();
  readonly #bots = new Map<number, { rate: LearnedRate; refusedAt: number }>();
  #dropAt = mostChats;

  /** `now` is monotonic. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns how long a paced call has to wait; 0 means it may go at once. */
  delayMs(at: PacedChat, pacedClass: PacedClass): number {
    const chat = this.#chats.get(keyOf(at));
    const now = this.#now();
    const ofBot = pacedClass === 'delete' ? 0 : this.#delayOfBot(at.botId, now);
    if (!chat) return ofBot;
    const waitMs = Math.max(0, chat.until - now);
    if (pacedClass === 'delete') return waitMs;
    this.#forgetOld(chat, now);
    const lanes = pacedClass === 'action' ? [pacedClass] : [pacedClass, 'all' as const];
    const delays = lanes.map((lane) => chat.lanes.get(lane)?.delayMs(now) ?? 0);
    const actionMs = pacedClass === 'action' ? chat.actionsUntil - now : 0;
    return Math.max(waitMs, ofBot, actionMs, ...delays);
  }

  /** Returns what is left of the flood wait of the chat. */
  leftMs(at: PacedChat): number {
    return Math.max(0, (this.#chats.get(keyOf(at))?.until ?? 0) - this.#now());
  }

  /** Counts a call at its turn. */
  spend({ botId, chat }: PacedChat, pacedClass: PacedClass): void {
    if (pacedClass === 'delete') return;
    const now = this.#now();
    if (pacedClass !== 'action') this.#bots.get(botId)?.rate.spend(now);
    const lanes = this.#chats.get(keyOf({ botId, chat }))?.lanes;
    lanes?.get(pacedClass)?.spend(now);
    if (pacedClass !== 'action') lanes?.get('all')?.spend(now);
  }

  /** Telegram accepted a call; one that did not wait for its turn is counted as far as there is room. */
  accepted(at: PacedChat, pacedClass: PacedClass, by: { app: string; isPaced: boolean }): void {
    if (pacedClass === 'delete') return;
    const now = this.#now();
    if (!by.isPaced && this.delayMs(at, pacedClass) === 0) this.spend(at, pacedClass);
    const chat = this.#chat(at);
    chat.usedAt = now;
    laneOf(chat, pacedClass).accepted(now);
    if (pacedClass !== 'action') laneOf(chat, 'all').accepted(now);
    if (now - chat.usageFrom > usageMs) {
      chat.usage.clear();
      chat.usageFrom = now;
    }
    chat.usage.set(by.app, (chat.usage.get(by.app) ?? 0) + 1);
  }

  /** Applies a 429. */
  refused(at: PacedChat, pacedClass: PacedClass, retryAfterMs: number): FloodWait {
    const now = this.#now();
    const chat = this.#chat(at);
    const until = now + retryAfterMs;
    const isAction = pacedClass === 'action';
    const before = isAction ? chat.actionsUntil : chat.until;
    // Other calls that were on the wire meet the same wait.
    const isNew = now >= before;
    if (isAction) chat.actionsUntil = Math.max(before, until);
    else {
      if (before === 0 || now > before + pauseMs) chat.since = now;
      chat.until = Math.max(before, until);
      this.#refuseBot(at.botId, now);
    }
    if (isNew) {
      const { intervalMs } = at.chat.startsWith('-')
        ? telegramLimits.group
        : telegramLimits.privateChat;
      laneOf(chat, pacedClass).refused(now, until, intervalMs);
      if (!isAction) laneOf(chat, 'all').refused(now, until, intervalMs);
    }
    return {
      ...at,
      pacedClass,
      leftMs: Math.max(before, until) - now,
      addedMs: Math.max(0, until - Math.max(before, now)),
      waitedMs: isAction ? 0 : now - chat.since,
      mostUsedBy: mostIn(chat.usage),
      rates: ratesOf(chat),
    };
  }

  /** Takes over a flood wait that another node met. */
  adopt({ botId, chat, leftMs, pacedClass, rates }: SharedFloodWait): void {
    const at = { botId, chat };
    this.refused(at, pacedClass, leftMs);
    const { lanes } = this.#chat(at);
    for (const [lane, rate] of Object.entries(rates)) lanes.get(lane as Lane)?.adopt(rate);
  }

  forget(botId: number): void {
    this.#bots.delete(botId);
    for (const key of this.#chats.keys()) if (key.startsWith(`${botId} `)) this.#chats.delete(key);
  }

  #delayOfBot(botId: number, now: number): number {
    const bot = this.#bots.get(botId);
    if (!bot) return 0;
    if (now - bot.refusedAt < learnedForMs) return bot.rate.delayMs(now);
    this.#bots.delete(botId);
    return 0;
  }

  #refuseBot(botId: number, now: number): void {
    const bot = this.#bots.get(botId) ?? { rate: new LearnedRate(), refusedAt: now };
    bot.rate.adopt(telegramLimits.bot);
    bot.refusedAt = now;
    this.#bots.set(botId, bot);
  }

  #forgetOld(chat: Chat, now: number): void {
    const last = Math.max(chat.until, chat.actionsUntil);
    if (last === 0 || now - last < learnedForMs) return;
    for (const lane of chat.lanes.values()) lane.forget();
    chat.until = 0;
    chat.actionsUntil = 0;
  }

  #chat(at: PacedChat): Chat {
    const key = keyOf(at);
    const known = this.#chats.get(key);
    if (known) return known;
    if (this.#chats.size >= this.#dropAt) this.#dropIdle();
    const usage = new Map<string, number>();
    const ends = { until: 0, since: 0, actionsUntil: 0, usageFrom: 0, usedAt: this.#now() };
    const made: Chat = { lanes: new Map(), usage, ...ends };
    this.#chats.set(key, made);
    return made;
  }

  #dropIdle(): void {
    const now = this.#now();
    for (const [key, chat] of this.#chats) {
      this.#forgetOld(chat, now);
      const isWaiting = chat.until > 0 || chat.actionsUntil > 0;
      if (!isWaiting && now - chat.usedAt > 60_000) this.#chats.delete(key);
    }
    // If most chats are in use, the next cleanup waits until there are many more.
    this.#dropAt = Math.max(mostChats, this.#chats.size * 2);
  }
}

const keyOf = ({ botId, chat }: PacedChat) => `${botId} ${chat}`;

function laneOf({ lanes }: Chat, lane: Lane): LearnedRate {
  const known = lanes.get(lane);
  if (known) return known;
  const made = new LearnedRate();
  lanes.set(lane, made);
  return made;
}

function mostIn(usage: ReadonlyMap<string, number>): string {
  let most = { app: '', calls: 0 };
  for (const [app, calls] of usage) if (calls > most.calls) most = { app, calls };
  return most.app;
}

function ratesOf({ lanes }: Chat): FloodWait['rates'] {
  const known = [...lanes].flatMap(([lane, { rate }]) => (rate ? [[lane, rate] as const] : []));
  return Object.fromEntries(known);
}
