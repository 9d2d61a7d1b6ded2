/*
 * Limits how fast a bot may send, as far as this node knows. Telegram's limits are about 30
 * messages a second over all chats, one a second in a chat and 20 a minute in a group, none of them
 * exact and all of them tolerant of bursts.
 */
import { newBucket, type SendBucket } from '../../store/outbox/send-limits.ts';
import {
  count,
  countPassed,
  type FindBucket,
  isIdle,
  type LimitedSend,
  type Refusal,
  refuse,
  type SendLimits,
  telegramLimits,
  waitMs,
} from './bucket.ts';

export interface SendRateLimiter {
  /** Returns how long a send has to wait; 0 means it may go at once. */
  delayMs(botId: number, send: LimitedSend): number;
  /** Counts a send that goes out at once. */
  take(botId: number, send: LimitedSend): void;
  /** Counts a send that went out without asking; returns false if all its limits were used up. */
  passed(botId: number, send: LimitedSend): boolean;
  /** Applies a 429 of the platform. */
  refused(botId: number, send: LimitedSend, refusal: Refusal): void;
  /** Takes over a bucket whose times come from another clock, which shows `nowMs`. */
  learn(botId: number, limit: LimitedSend, bucket: SendBucket, nowMs: number): void;
  forget(botId: number): void;
  /** The number of limits it remembers. */
  size(): number;
}

const maxBuckets = 20_000;

/** `now` is monotonic: a wall clock that is set back would stop all sending for as long. */
export function createSendRateLimiter(
  now: () => number,
  limits: SendLimits = telegramLimits,
): SendRateLimiter {
  const buckets = new Map<string, SendBucket>();
  let dropAt = maxBuckets;

  const keyOf = (botId: number, { chatId, sendClass }: LimitedSend) =>
    `${botId} ${chatId} ${sendClass}`;

  const bucketsOf =
    (botId: number): FindBucket =>
    (limit) => {
      const key = keyOf(botId, limit);
      const known = buckets.get(key);
      if (known) return known;
      if (buckets.size >= dropAt) dropIdle();
      const made = newBucket();
      buckets.set(key, made);
      return made;
    };

  function dropIdle(): void {
    for (const [key, bucket] of buckets) if (isIdle(bucket, now())) buckets.delete(key);
    // If most buckets are in use, the next cleanup waits until there are many more.
    dropAt = Math.max(maxBuckets, buckets.size * 2);
  }

  return {
    delayMs: (botId, send) => waitMs(bucketsOf(botId), limits, send, now()),
    take: (botId, send) => count(bucketsOf(botId), limits, send, now()),
    passed: (botId, send) => countPassed(bucketsOf(botId), limits, send, now()),
    refused: (botId, send, refusal) => refuse(bucketsOf(botId), send, refusal, now()),
    learn(botId, limit, bucket, nowMs) {
      const ahead = now() - nowMs;
      buckets.set(keyOf(botId, limit), {
        emptyAt: bucket.emptyAt + ahead,
        blockedUntil: bucket.blockedUntil + ahead,
        slowdown: bucket.slowdown,
        slowedAt: bucket.slowedAt + ahead,
      });
    },
    size: () => buckets.size,
    forget(botId) {
      for (const key of buckets.keys()) if (key.startsWith(`${botId} `)) buckets.delete(key);
    },
  };
}
