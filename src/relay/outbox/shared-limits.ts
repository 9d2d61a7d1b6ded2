/*
 * The sending limits of a bot hold for all nodes together: every send first takes its place in the
 * shared buckets, and what the platform refused one node holds the others back. What is learned
 * there goes to this node's rate limiter, which tells when asking again is worthwhile. When the shared
 * buckets do not answer in time, the rate limiter alone decides: limits are approximate, and what could not
 * be counted costs a 429 at most.
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
  /** True when the send may go out, which is then counted. */
  take(botId: number, send: LimitedSend): Promise<boolean>;
  /** Counts a send that went out without asking. */
  passed(botId: number, send: LimitedSend): void;
  /** The platform said 429. Resolves when that is written, or cannot be. */
  refused(botId: number, send: LimitedSend, refusal: Refusal): Promise<void>;
}

interface Entry {
  /** The limits that it looks at. */
  asks: readonly LimitedSend[];
  /** True when it was counted. */
  apply(find: FindBucket, nowMs: number): boolean;
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
          // Only what the rate limiter lets through is asked about.
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
