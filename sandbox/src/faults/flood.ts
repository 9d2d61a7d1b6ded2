import { tooManyRequests } from '../api-error.ts';
import type { SandboxClock } from '../clock.ts';

/** Telegram's undocumented sending limits, off by default. */
export interface FloodLimits {
  perSecond: number;
  perChatPerSecond: number;
  perGroupPerMinute: number;
  /** The length of the minute of a group, so that a test need not wait for one. */
  groupSeconds: number;
  /** Drafts are for streaming. */
  draftsPerChatPerSecond: number;
  /** Bots report both: messages, edits and drafts have limits of their own, or share one. */
  counting: FloodCounting;
}

export const floodCountings = ['apart', 'together'] as const;
export type FloodCounting = (typeof floodCountings)[number];

export const telegramLimits: FloodLimits = {
  perSecond: 30,
  perChatPerSecond: 1,
  perGroupPerMinute: 20,
  groupSeconds: 60,
  draftsPerChatPerSecond: 3,
  counting: 'apart',
};

/** A bot that pays for what is above `perSecond` may send this many. */
const paidPerSecond = 1000;

type FloodKind = 'message' | 'edit' | 'draft';

/** Returns the kind of a method; undefined for the many that are not limited. */
function floodKindOf(method: string): FloodKind | undefined {
  if (/^send\w*draft$/iu.test(method)) return 'draft';
  if (/^editmessage/iu.test(method)) return 'edit';
  return /^(?:send(?!chataction|chatjoinrequest)|forward|copy|createforumtopic)/iu.test(method)
    ? 'message'
    : undefined;
}

interface Window {
  startedAt: number;
  count: number;
}

export interface Flood {
  set(limits: FloodLimits | undefined): void;
  limits(): FloodLimits | undefined;
  /**
   * Counts a call; throws 429 with the seconds left in the window that is full. Returns true if the
   * bot has to pay, which it only does if it offered to.
   */
  check(botId: number, chatId: string, method: string, offersToPay?: boolean): boolean;
}

const isGroup = (chatId: string): boolean => chatId.startsWith('-') || chatId.startsWith('@');

export function createFlood(clock: SandboxClock): Flood {
  let limits: FloodLimits | undefined;
  const windows = new Map<string, Window>();

  function room(key: string, lengthMs: number, most: number, nowMs: number): Window {
    let window = windows.get(key);
    // A window also ends if time was set back.
    if (!window || nowMs < window.startedAt || nowMs - window.startedAt >= lengthMs) {
      window = { startedAt: nowMs, count: 0 };
      windows.set(key, window);
    }
    if (window.count >= most) {
      const leftMs = window.startedAt + lengthMs - nowMs;
      throw tooManyRequests(Math.max(1, Math.ceil(leftMs / 1000)));
    }
    return window;
  }

  return {
    set(next) {
      limits = next;
      windows.clear();
    },
    limits: () => limits,
    check(botId, chatId, method, offersToPay = false) {
      const kindOfCall = floodKindOf(method);
      if (!limits || !kindOfCall) return false;
      const kind = limits.counting === 'together' ? 'message' : kindOfCall;
      const nowMs = clock.now();
      if (windows.size > 10_000) windows.clear();
      const most = offersToPay ? paidPerSecond : limits.perSecond;
      const ofBot = room(`${botId}/${kind}`, 1000, most, nowMs);
      const isPaid = ofBot.count >= limits.perSecond;
      const used = [ofBot];
      const inChat = `${botId}/${kind}/${chatId}`;
      if (isGroup(chatId)) {
        const windowMs = limits.groupSeconds * 1000;
        used.push(room(inChat, windowMs, limits.perGroupPerMinute, nowMs));
      }
      // Messages sent by inline bots have no chat.
      else if (chatId !== '') {
        const { draftsPerChatPerSecond, perChatPerSecond } = limits;
        const inPrivate = kind === 'draft' ? draftsPerChatPerSecond : perChatPerSecond;
        used.push(room(inChat, 1000, inPrivate, nowMs));
      }
      for (const window of used) window.count += 1;
      return isPaid;
    },
  };
}
