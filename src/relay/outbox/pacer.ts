/*
 * How fast a bot may send. Telegram's limits are about 30 messages a second over all chats, one a
 * second in a chat and 20 a minute in a group, none of them exact and all of them forgiving of
 * bursts. Each limit is a bucket kept as one number, the time at which it would be empty again
 * (GCRA); a 429 blocks what it names for as long as it says and halves the rate for a while.
 */

interface Limit {
  /** Between two sends once the burst is used up. */
  intervalMs: number;
  /** How many may go at once after a quiet time. */
  burst: number;
}

export interface PacerLimits {
  bot: Limit;
  privateChat: Limit;
  group: Limit;
}

export const telegramLimits: PacerLimits = {
  bot: { intervalMs: 1000 / 28, burst: 28 },
  privateChat: { intervalMs: 1050, burst: 4 },
  group: { intervalMs: 3_150, burst: 16 },
};

interface Bucket {
  emptyAt: number;
  blockedUntil: number;
  /** 1 is the full rate; each 429 doubles it, up to 16. */
  slowdown: number;
  slowedAt: number;
}

export interface Pacer {
  /** How long a send to this chat has to wait; 0 means it may go now. Chat 0 counts for none. */
  delayMs(botId: number, chatId: number): number;
  /** Counts a send that goes out now. */
  take(botId: number, chatId: number): void;
  /** The platform said 429. */
  refused(botId: number, chatId: number, retryAfterSeconds: number): void;
  forget(botId: number): void;
}

// Without a further 429 for this long, half of the slowdown is taken back.
const recoveryMs = 60_000;
const bucketsKept = 20_000;

/** `now` is monotonic: a wall clock that is set back would stop all sending for as long. */
export function createPacer(now: () => number, limits: PacerLimits = telegramLimits): Pacer {
  const buckets = new Map<string, Bucket>();

  function bucket(key: string): Bucket {
    let known = buckets.get(key);
    if (!known) {
      if (buckets.size >= bucketsKept) dropIdle();
      known = { emptyAt: 0, blockedUntil: 0, slowdown: 1, slowedAt: 0 };
      buckets.set(key, known);
    }
    const recovered = Math.floor((now() - known.slowedAt) / recoveryMs);
    if (known.slowdown > 1 && recovered > 0) {
      known.slowdown = Math.max(1, known.slowdown / 2 ** recovered);
      known.slowedAt += recovered * recoveryMs;
    }
    return known;
  }

  function dropIdle() {
    for (const [key, { emptyAt, blockedUntil, slowdown }] of buckets) {
      if (emptyAt <= now() && blockedUntil <= now() && slowdown === 1) buckets.delete(key);
    }
  }

  const botKey = (botId: number) => `${botId}`;
  const chatKey = (botId: number, chatId: number) => `${botId} ${chatId}`;
  const chatLimit = (chatId: number) => (chatId < 0 ? limits.group : limits.privateChat);

  function wait(state: Bucket, limit: Limit): number {
    const interval = limit.intervalMs * state.slowdown;
    const paced = state.emptyAt - (limit.burst - 1) * interval - now();
    return Math.max(0, paced, state.blockedUntil - now());
  }

  function spend(state: Bucket, limit: Limit): void {
    state.emptyAt = Math.max(state.emptyAt, now()) + limit.intervalMs * state.slowdown;
  }

  return {
    delayMs(botId, chatId) {
      const forBot = wait(bucket(botKey(botId)), limits.bot);
      if (chatId === 0) return forBot;
      return Math.max(forBot, wait(bucket(chatKey(botId, chatId)), chatLimit(chatId)));
    },
    take(botId, chatId) {
      spend(bucket(botKey(botId)), limits.bot);
      if (chatId !== 0) spend(bucket(chatKey(botId, chatId)), chatLimit(chatId));
    },
    refused(botId, chatId, retryAfterSeconds) {
      const state = bucket(chatId === 0 ? botKey(botId) : chatKey(botId, chatId));
      state.blockedUntil = Math.max(state.blockedUntil, now() + retryAfterSeconds * 1000);
      state.slowdown = Math.min(16, state.slowdown * 2);
      state.slowedAt = now();
    },
    forget(botId) {
      for (const key of buckets.keys()) {
        if (key === botKey(botId) || key.startsWith(`${botId} `)) buckets.delete(key);
      }
    },
  };
}
