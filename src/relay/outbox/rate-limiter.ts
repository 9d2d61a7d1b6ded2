/*
 * How fast a bot may send, as this node knows it. Telegram's limits are about 30 messages a second
 * over all chats, one a second in a chat and 20 a minute in a group, none of them exact and all of
 * them forgiving of bursts.
 */
import { newBucket, type SendBucket } from '../../store/outbox/send-limits.ts';
import {
  isIdle,
  limitFor,
  type SendLimits,
  slowDown,
  spend,
  telegramLimits,
  waitMs,
} from './bucket.ts';

export interface SendRateLimiter {
  /** How long a send to this chat has to wait; 0 means it may go now. Chat 0 counts for none. */
  delayMs(botId: number, chatId: number): number;
  /** Counts a send that goes out now. */
  take(botId: number, chatId: number): void;
  /** The platform said 429. */
  refused(botId: number, chatId: number, retryAfterSeconds: number): void;
  /** Takes over a bucket that is kept by another clock, which shows `nowMs`. */
  learn(botId: number, chatId: number, bucket: SendBucket, nowMs: number): void;
  forget(botId: number): void;
  /** How many limits it remembers. */
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

  // Chat 0 is the bot as a whole.
  const keyOf = (botId: number, chatId: number) => `${botId} ${chatId}`;

  function bucketOf(botId: number, chatId: number): SendBucket {
    const key = keyOf(botId, chatId);
    const known = buckets.get(key);
    if (known) return known;
    if (buckets.size >= dropAt) dropIdle();
    const made = newBucket();
    buckets.set(key, made);
    return made;
  }

  function dropIdle(): void {
    for (const [key, bucket] of buckets) if (isIdle(bucket, now())) buckets.delete(key);
    // When most are in use, the next cleanup waits until there are many more.
    dropAt = Math.max(maxBuckets, buckets.size * 2);
  }

  const delayOf = (botId: number, chatId: number) =>
    waitMs(bucketOf(botId, chatId), limitFor(limits, chatId), now());

  return {
    delayMs(botId, chatId) {
      const forBot = delayOf(botId, 0);
      return chatId === 0 ? forBot : Math.max(forBot, delayOf(botId, chatId));
    },
    take(botId, chatId) {
      for (const id of new Set([0, chatId])) {
        spend(bucketOf(botId, id), limitFor(limits, id), now());
      }
    },
    refused(botId, chatId, retryAfterSeconds) {
      slowDown(bucketOf(botId, chatId), retryAfterSeconds, now());
    },
    learn(botId, chatId, bucket, nowMs) {
      const ahead = now() - nowMs;
      buckets.set(keyOf(botId, chatId), {
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
