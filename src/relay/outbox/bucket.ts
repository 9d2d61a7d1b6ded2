/*
 * Sending limits, each kept as the time at which it would be unused again (GCRA). A 429 blocks a
 * limit for as long as the platform says; a 429 to a send of the relay also halves the rate for a
 * while. All times come from the one clock that the caller passes in.
 *
 * Invariant: a limit is never used beyond its burst. Sends that passed without waiting delay the
 * next one by an interval at most.
 */
import { heldWith, type SendClass } from '../../core/messages/send-class.ts';
import type { SendBucket } from '../../store/outbox/send-limits.ts';

/**
 * A send as the limits see it, and also one of its limits. Chat 0 means no chat, or the bot as a
 * whole.
 */
export interface LimitedSend {
  chatId: number;
  sendClass: SendClass;
  /** The bot pays for sending faster than its own limit, but not faster than that of the chat. */
  isPaid?: boolean;
}

export type FindBucket = (limit: LimitedSend) => SendBucket;

interface Limit {
  /** The interval between two sends once the burst is used up. */
  intervalMs: number;
  /** The number of sends that may go at once after a quiet time. */
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

function limitFor(limits: SendLimits, { chatId }: LimitedSend): Limit {
  if (chatId === 0) return limits.bot;
  return chatId < 0 ? limits.group : limits.privateChat;
}

// If there is no further 429 for this long, half of the slowdown is undone.
const recoveryMs = 60_000;

function recover(bucket: SendBucket, now: number): void {
  const recovered = Math.floor((now - bucket.slowedAt) / recoveryMs);
  if (bucket.slowdown <= 1 || recovered <= 0) return;
  bucket.slowdown = Math.max(1, bucket.slowdown / 2 ** recovered);
  bucket.slowedAt += recovered * recoveryMs;
}

export function isIdle(bucket: SendBucket, now: number): boolean {
  recover(bucket, now);
  return bucket.emptyAt <= now && bucket.blockedUntil <= now && bucket.slowdown === 1;
}

function untilFreeMs(bucket: SendBucket, limit: Limit, now: number): number {
  recover(bucket, now);
  const interval = limit.intervalMs * bucket.slowdown;
  return Math.max(0, bucket.emptyAt - (limit.burst - 1) * interval - now);
}

function spend(bucket: SendBucket, limit: Limit, now: number): void {
  recover(bucket, now);
  bucket.emptyAt = Math.max(bucket.emptyAt, now) + limit.intervalMs * bucket.slowdown;
}

/**
 * Returns the limits that a send counts for: those of the bot and of the chat. A new topic also
 * counts as a message of its chat.
 */
export function countedBy(send: LimitedSend): LimitedSend[] {
  const isTopic = send.sendClass === 'topic';
  const counted = isTopic ? ({ ...send, sendClass: 'message' } as const) : send;
  const ofBot = { chatId: 0, sendClass: counted.sendClass };
  if (send.chatId === 0) return [ofBot];
  if (send.isPaid) return [counted];
  return isTopic ? [ofBot, counted, send] : [ofBot, counted];
}

/** Returns the limits that a refused send blocks. */
export function heldBy({ chatId, sendClass }: LimitedSend): LimitedSend[] {
  return heldWith(sendClass).map((held) => ({ chatId, sendClass: held }));
}

/** Returns how long a send has to wait; 0 means it may go at once. */
export function waitMs(
  find: FindBucket,
  limits: SendLimits,
  send: LimitedSend,
  now: number,
): number {
  const waits = countedBy(send).map((one) => {
    const bucket = find(one);
    return Math.max(untilFreeMs(bucket, limitFor(limits, one), now), bucket.blockedUntil - now);
  });
  return Math.max(...waits);
}

/** Counts a send at its turn. */
export function count(find: FindBucket, limits: SendLimits, send: LimitedSend, now: number): void {
  for (const one of countedBy(send)) spend(find(one), limitFor(limits, one), now);
}

/**
 * Counts a send that did not wait for its turn, as far as there is room; returns false if there is
 * none at all.
 */
export function countPassed(
  find: FindBucket,
  limits: SendLimits,
  send: LimitedSend,
  now: number,
): boolean {
  const free = countedBy(send).filter(
    (one) => untilFreeMs(find(one), limitFor(limits, one), now) <= 0,
  );
  for (const one of free) spend(find(one), limitFor(limits, one), now);
  return free.length > 0;
}

export interface Refusal {
  retryAfterSeconds: number;
  /** True if the relay sent it, and so at a rate that was too high; others may send at any rate. */
  isOwn: boolean;
}

/** Applies a 429 of the platform. */
export function refuse(
  find: FindBucket,
  send: LimitedSend,
  { retryAfterSeconds, isOwn }: Refusal,
  now: number,
): void {
  for (const held of heldBy(send)) {
    const bucket = find(held);
    bucket.blockedUntil = Math.max(bucket.blockedUntil, now + retryAfterSeconds * 1000);
  }
  if (!isOwn) return;
  const bucket = find(send);
  recover(bucket, now);
  bucket.slowdown = Math.min(16, bucket.slowdown * 2);
  bucket.slowedAt = now;
}
