/*
 * One sending limit, kept as the time at which it would be unused again (GCRA). A 429 blocks it for
 * as long as the platform says and halves the rate for a while. Times are of whichever clock the
 * caller passes in, and only that clock.
 */
import type { SendBucket } from '../../store/outbox/send-limits.ts';

interface Limit {
  /** Between two sends once the burst is used up. */
  intervalMs: number;
  /** How many may go at once after a quiet time. */
  burst: number;
}

export interface SendLimits {
  bot: Limit;
  privateChat: Limit;
  group: Limit;
}

export const telegramLimits: SendLimits = {
  bot: { intervalMs: 1000 / 28, burst: 28 },
  privateChat: { intervalMs: 1050, burst: 4 },
  group: { intervalMs: 3_150, burst: 16 },
};

/** Chat 0 is the bot as a whole. */
export function limitFor(limits: SendLimits, chatId: number): Limit {
  if (chatId === 0) return limits.bot;
  return chatId < 0 ? limits.group : limits.privateChat;
}

// Without a further 429 for this long, half of the slowdown is taken back.
const recoveryMs = 60_000;

export function recover(bucket: SendBucket, now: number): void {
  const recovered = Math.floor((now - bucket.slowedAt) / recoveryMs);
  if (bucket.slowdown <= 1 || recovered <= 0) return;
  bucket.slowdown = Math.max(1, bucket.slowdown / 2 ** recovered);
  bucket.slowedAt += recovered * recoveryMs;
}

export function isIdle(bucket: SendBucket, now: number): boolean {
  recover(bucket, now);
  return bucket.emptyAt <= now && bucket.blockedUntil <= now && bucket.slowdown === 1;
}

/** How long the next send has to wait; 0 means it may go now. */
export function waitMs(bucket: SendBucket, limit: Limit, now: number): number {
  recover(bucket, now);
  const interval = limit.intervalMs * bucket.slowdown;
  const paced = bucket.emptyAt - (limit.burst - 1) * interval - now;
  return Math.max(0, paced, bucket.blockedUntil - now);
}

/** Counts a send. */
export function spend(bucket: SendBucket, limit: Limit, now: number): void {
  recover(bucket, now);
  bucket.emptyAt = Math.max(bucket.emptyAt, now) + limit.intervalMs * bucket.slowdown;
}

/** The platform said 429. */
export function slowDown(bucket: SendBucket, retryAfterSeconds: number, now: number): void {
  recover(bucket, now);
  bucket.blockedUntil = Math.max(bucket.blockedUntil, now + retryAfterSeconds * 1000);
  bucket.slowdown = Math.min(16, bucket.slowdown * 2);
  bucket.slowedAt = now;
}
