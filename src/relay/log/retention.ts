/*
 * Limits storage: every few minutes it removes what is too old or too much, oldest first, in
 * portions so small that nobody waits for them.
 */
import type { Clock } from '../../clock.ts';
import type { Config } from '../../config.ts';
import { seenForMs } from '../../core/log/seen-ranges.ts';
import type { Logger } from '../../logger.ts';
import { tookTooLong } from '../../store/outage.ts';
import type { AgedTable, RetentionRepository } from '../../store/log/retention.ts';
import type { LogLimits } from '../../store/log/trim-log.ts';

export interface RetentionOptions {
  repository: RetentionRepository;
  clock: Clock;
  random: () => number;
  logger: Logger;
  limits: Config['retention'];
}

export interface RetentionTotals {
  /** The number of updates removed from logs since the start. */
  removed: number;
  /** Of those, the updates that some reader had not read yet. */
  dropped: number;
}

export interface Retention {
  /**
   * Runs at once and then every few minutes; resolves after the signal aborts and nothing is in
   * flight.
   */
  keepRunning(signal: AbortSignal): Promise<void>;
  /** Runs one round; undefined if another node has just done it. */
  run(signal?: AbortSignal): Promise<RetentionTotals | undefined>;
  totals(): RetentionTotals;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const everyMs = 5 * minuteMs;
// The portion is so small that an append which arrives meanwhile hardly waits for the writer.
const updatesPerPortion = 200;
const rowsPerPortion = 500;
const botsPerRead = 200;
/** An update is kept this many times longer for a reader that has not read it. */
const neededFactor = 2;

export function createRetention(options: RetentionOptions): Retention {
  const { repository, clock, logger, limits } = options;
  const totals: RetentionTotals = { removed: 0, dropped: 0 };

  async function trimLogs(now: number, signal: AbortSignal | undefined): Promise<RetentionTotals> {
    const bounds = {
      nowMs: now,
      before: now - limits.maxAgeMs,
      maxBytes: limits.maxBytesPerBot,
      neededBefore: now - limits.maxAgeMs * neededFactor,
      neededMaxBytes: limits.maxBytesPerBot * neededFactor,
    };
    const round: RetentionTotals = { removed: 0, dropped: 0 };
    for (let after = 0; ; ) {
      const logs = await repository.logAges(after, botsPerRead);
      for (const { botId, bytes, oldestAt } of logs) {
        after = botId;
        const isYoung = oldestAt >= bounds.before && oldestAt <= now;
        if (isYoung && bytes <= bounds.maxBytes) continue;
        const { removed, dropped } = await trimOne(botId, bounds, signal);
        round.removed += removed;
        round.dropped += dropped;
        if (dropped > 0)
          logger.warn({ bot: botId, updates: dropped }, 'retention deleted unread updates');
      }
      if (logs.length < botsPerRead || signal?.aborted) return round;
    }
  }

  /**
   * Retries a removal that times out in smaller portions, and leaves it for later if those fail,
   * too.
   */
  async function trimOne(
    botId: number,
    bounds: LogLimits,
    signal: AbortSignal | undefined,
  ): Promise<RetentionTotals> {
    const sum: RetentionTotals = { removed: 0, dropped: 0 };
    let rows = updatesPerPortion;
    for (let isFull = true; isFull && rows > 0 && !signal?.aborted; ) {
      try {
        const outcome = await repository.trimLog(botId, bounds, rows);
        sum.removed += outcome.removed;
        sum.dropped += outcome.dropped;
        ({ isFull } = outcome);
      } catch (error) {
        if (!tookTooLong(error)) throw error;
        rows = Math.floor(rows / 2);
        if (rows === 0) logger.warn({ bot: botId }, 'deleting old updates timed out');
      }
    }
    return sum;
  }

  async function removeAged(now: number, signal: AbortSignal | undefined): Promise<void> {
    const kept: Record<AgedTable, number> = {
      seen_ranges: seenForMs,
      delivery_attempts: limits.maxAgeMs,
      dead_letters: Math.max(limits.maxAgeMs * neededFactor, 30 * dayMs),
      // As long as an update may be read again, the sends for it must be known.
      outbox: limits.maxAgeMs * neededFactor,
      questions: Math.max(limits.maxAgeMs * neededFactor, 30 * dayMs),
      idempotency: dayMs,
      sessions: 0,
      // Somebody may edit what a broadcast sent, weeks later.
      broadcast_recipients: 90 * dayMs,
      nodes: 7 * dayMs,
      // A decision keeps an update from acting twice.
      route_decisions: limits.maxAgeMs * neededFactor,
      // Someone may answer a routed message weeks later.
      message_pairs: 90 * dayMs,
      route_traffic: 30 * dayMs,
      send_limits: dayMs,
      app_messages: 90 * dayMs,
      // A node that died leaves its sends behind.
      app_sends: dayMs,
    };
    for (const [table, keepMs] of Object.entries(kept) as [AgedTable, number][]) {
      let removed = rowsPerPortion;
      while (removed === rowsPerPortion && !signal?.aborted) {
        removed = await repository.removeOlder(table, now - keepMs, rowsPerPortion);
      }
    }
  }

  async function run(signal?: AbortSignal): Promise<RetentionTotals | undefined> {
    const now = clock.now();
    if (!(await repository.startRound(now, everyMs / 2))) return undefined;
    const round = await trimLogs(now, signal);
    totals.removed += round.removed;
    totals.dropped += round.dropped;
    await removeAged(now, signal);
    return round;
  }

  async function keepRunning(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await run(signal);
      } catch (error) {
        const { code } = error as { code?: unknown };
        if (!signal.aborted) logger.warn({ code }, 'deleting old rows failed; retrying later');
      }
      await clock.sleep(everyMs * (0.8 + options.random() * 0.4), signal).catch(() => {});
    }
  }

  return { keepRunning, run, totals: () => ({ ...totals }) };
}
