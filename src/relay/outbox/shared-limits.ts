/*
 * The sending limits of a bot hold for all nodes together: every send first takes its place in the
 * shared buckets, and what the platform refused one node holds the others back. What is learned
 * there goes to this node's rate limiter, which tells when asking again is worthwhile. When the shared
 * buckets do not answer in time, the rate limiter alone decides: limits are approximate, and what could not
 * be counted costs a 429 at most.
 */
import { isOutage } from '../../errors.ts';
import type { SendBucket, SendLimitRepository } from '../../store/outbox/send-limits.ts';
import { limitFor, type SendLimits, slowDown, spend, telegramLimits, waitMs } from './bucket.ts';
import type { SendRateLimiter } from './rate-limiter.ts';

export interface SharedLimits {
  /** True when the send may go out, which is then counted. */
  take(botId: number, chatId: number): Promise<boolean>;
  /** Counts a send that went out without asking. */
  sent(botId: number, chatId: number): void;
  /** The platform said 429. Resolves when that is written, or cannot be. */
  refused(botId: number, chatId: number, retryAfterSeconds: number): Promise<void>;
}

interface Entry {
  chatId: number;
  /** True when it was counted. */
  apply(bot: SendBucket, chat: SendBucket | undefined, nowMs: number): boolean;
  done(isCounted: boolean): void;
  failed(error: unknown): void;
}

export function createSharedLimits(
  store: SendLimitRepository,
  rateLimiter: Pick<SendRateLimiter, 'learn'>,
  limits: SendLimits = telegramLimits,
): SharedLimits {
  /** By bot; one transaction at a time takes all that came meanwhile. */
  const queues = new Map<number, Entry[]>();

  function add(botId: number, entry: Entry): void {
    const queue = queues.get(botId);
    if (queue) queue.push(entry);
    else {
      queues.set(botId, [entry]);
      void work(botId);
    }
  }

  async function work(botId: number): Promise<void> {
    for (;;) {
      const entries = queues.get(botId)?.splice(0) ?? [];
      if (entries.length === 0) break;
      await commit(botId, entries).catch((error: unknown) => {
        for (const entry of entries) entry.failed(error);
      });
    }
    queues.delete(botId);
  }

  async function commit(botId: number, entries: readonly Entry[]): Promise<void> {
    const chatIds = entries.map((entry) => entry.chatId);
    const outcome = await store.change(botId, chatIds, (buckets, nowMs) => {
      const bot = buckets.get(0) as SendBucket;
      const counted = entries.map((entry) =>
        entry.apply(bot, entry.chatId === 0 ? undefined : buckets.get(entry.chatId), nowMs),
      );
      return { counted, buckets, nowMs };
    });
    for (const [chatId, bucket] of outcome.buckets) {
      rateLimiter.learn(botId, chatId, bucket, outcome.nowMs);
    }
    for (const [index, entry] of entries.entries()) entry.done(outcome.counted[index] === true);
  }

  function count(chatId: number, ...[bot, chat, nowMs]: Parameters<Entry['apply']>): true {
    spend(bot, limits.bot, nowMs);
    if (chat) spend(chat, limitFor(limits, chatId), nowMs);
    return true;
  }

  return {
    take: (botId, chatId) =>
      new Promise((done, failed) => {
        add(botId, {
          chatId,
          apply(bot, chat, nowMs) {
            const forBot = waitMs(bot, limits.bot, nowMs);
            const forChat = chat ? waitMs(chat, limitFor(limits, chatId), nowMs) : 0;
            return forBot <= 0 && forChat <= 0 && count(chatId, bot, chat, nowMs);
          },
          done,
          // Only what the rate limiter lets through is asked about.
          failed: (error) => (isOutage(error) ? done(true) : failed(error)),
        });
      }),
    sent: (botId, chatId) =>
      add(botId, {
        chatId,
        apply: (...asked) => count(chatId, ...asked),
        done: () => {},
        failed: () => {},
      }),
    refused: (botId, chatId, retryAfterSeconds) =>
      new Promise((resolve) => {
        add(botId, {
          chatId,
          apply(bot, chat, nowMs) {
            slowDown(chat ?? bot, retryAfterSeconds, nowMs);
            return true;
          },
          done: () => resolve(),
          failed: () => resolve(),
        });
      }),
  };
}
