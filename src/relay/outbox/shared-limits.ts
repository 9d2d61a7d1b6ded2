/*
 * Applies the sending limits of a bot to all nodes together: every send first takes its place in
 * the shared buckets, and a refusal on one node holds the others back. The results go to this
 * node's rate limiter, which decides when asking again is worthwhile. If the shared buckets do not
 * answer in time, the rate limiter decides alone: limits are approximate, and an uncounted send
 * costs a 429 at most.
 */
import { isOutage } from '../../errors.ts';
import type { SendBucket, SendLimitRepository } from '../../store/outbox/send-limits.ts';
import {
  count,
  countedBy,
  countPassed,
  type FindBucket,
  heldBy,
  type LimitedSend,
  type Refusal,
  refuse,
  type SendLimits,
  telegramLimits,
  waitMs,
} from './bucket.ts';
import type { SendRateLimiter } from './rate-limiter.ts';

export interface SharedLimits {
  /** Returns true if the send may go out; it is then counted. */
  take(botId: number, send: LimitedSend): Promise<boolean>;
  /** Counts a send that went out without asking. */
  passed(botId: number, send: LimitedSend): void;
  /** Applies a 429 of the platform. Resolves when it is written, or cannot be. */
  refused(botId: number, send: LimitedSend, refusal: Refusal): Promise<void>;
}

interface Entry {
  /** The limits that the entry needs. */
  asks: readonly LimitedSend[];
  /** Returns true if the entry was counted. */
  apply(find: FindBucket, nowMs: number): boolean;
  done(isCounted: boolean): void;
  failed(error: unknown): void;
}

export function createSharedLimits(
  store: SendLimitRepository,
  rateLimiter: Pick<SendRateLimiter, 'learn'>,
  limits: SendLimits = telegramLimits,
): SharedLimits {
  /** By bot; one transaction at a time takes all entries that arrived meanwhile. */
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
    const asked = entries.flatMap((entry) => entry.asks);
    const { counted, buckets, nowMs } = await store.change(botId, asked, (found, now) => {
      const byKey = new Map(found.map((one) => [keyOf(one), one.bucket]));
      const find: FindBucket = (limit) => byKey.get(keyOf(limit)) as SendBucket;
      return {
        counted: entries.map((entry) => entry.apply(find, now)),
        buckets: found,
        nowMs: now,
      };
    });
    for (const { bucket, ...limit } of buckets) rateLimiter.learn(botId, limit, bucket, nowMs);
    for (const [index, entry] of entries.entries()) entry.done(counted[index] === true);
  }

  return {
    take: (botId, send) =>
      new Promise((done, failed) => {
        add(botId, {
          asks: countedBy(send),
          apply(find, nowMs) {
            if (waitMs(find, limits, send, nowMs) > 0) return false;
            count(find, limits, send, nowMs);
            return true;
          },
          done,
          // The rate limiter already let the send through, so an outage lets it pass.
          failed: (error) => (isOutage(error) ? done(true) : failed(error)),
        });
      }),
    passed: (botId, send) =>
      add(botId, {
        asks: countedBy(send),
        apply: (find, nowMs) => countPassed(find, limits, send, nowMs),
        done: () => {},
        failed: () => {},
      }),
    refused: (botId, send, refusal) =>
      new Promise((resolve) => {
        add(botId, {
          asks: heldBy(send),
          apply(find, nowMs) {
            refuse(find, send, refusal, nowMs);
            return true;
          },
          done: () => resolve(),
          failed: () => resolve(),
        });
      }),
  };
}

const keyOf = ({ chatId, sendClass }: LimitedSend) => `${chatId} ${sendClass}`;
