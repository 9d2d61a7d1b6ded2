import { tooManyRequests } from '../api-error.ts';
import type { SandboxClock } from '../clock.ts';

/** Telegram's unwritten sending limits, off by default. */
export interface FloodLimits {
  perSecond: number;
  perChatPerSecond: number;
  perGroupPerMinute: number;
}

export const telegramLimits: FloodLimits = {
  perSecond: 30,
  perChatPerSecond: 1,
  perGroupPerMinute: 20,
};

interface Window {
  startedAt: number;
  count: number;
}

export interface Flood {
  set(limits: FloodLimits | undefined): void;
  limits(): FloodLimits | undefined;
  /** Counts a send, or throws 429 with the seconds left in the window that is full. */
  check(botId: number, chatId: string): void;
}

const isGroup = (chatId: string): boolean => chatId.startsWith('-') || chatId.startsWith('@');

export function createFlood(clock: SandboxClock): Flood {
  let limits: FloodLimits | undefined;
  const windows = new Map<string, Window>();

  function room(key: string, lengthMs: number, most: number, nowMs: number): Window {
    let window = windows.get(key);
    // Also when time was set back.
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
    check(botId, chatId) {
      if (!limits) return;
      const nowMs = clock.now();
      if (windows.size > 10_000) windows.clear();
      const used = [room(`${botId}`, 1000, limits.perSecond, nowMs)];
      used.push(
        isGroup(chatId)
          ? room(`${botId}/${chatId}/m`, 60_000, limits.perGroupPerMinute, nowMs)
          : room(`${botId}/${chatId}/s`, 1000, limits.perChatPerSecond, nowMs),
      );
      for (const window of used) window.count += 1;
    },
  };
}
