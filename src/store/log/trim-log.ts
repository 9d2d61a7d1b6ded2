/*
 * Removes the oldest entries of a bot's log.
 *
 * Invariants: a log is trimmed from its beginning only, so positions stay without gaps; updates
 * that a reader still needs are deleted only beyond their own limit, and are counted for that
 * reader in the same transaction. If forwarding, getUpdates or an app is switched off, nobody
 * reads: those readers hold nothing back, and deleted updates are no loss to them.
 */
import { type DialectName, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import {
  type AskedPatterns,
  countDropped,
  needing,
  type Received,
  type WaitingPosition,
} from './dropped-updates.ts';
import type { LogHead } from './log.ts';
import { isWaitedFor } from './reader-sql.ts';

export interface LogLimits {
  nowMs: number;
  /** Older entries are deleted. */
  before: number;
  maxBytes: number;
  /**
   * Entries that readers have not finished are deleted only if they are older than this, or the log
   * is this large.
   */
  neededBefore: number;
  neededMaxBytes: number;
}

export interface TrimOutcome {
  removed: number;
  /** Of those, the number that a reader had not finished, counted once for each reader. */
  dropped: number;
  /** There may be more to remove. */
  isFull: boolean;
}

/** The replay of a dead letter has its own text, so it does not need the log. */
const needsLog = `p.position > $2 and not exists (select 1 from dead_letters d
  where d.bot_id = p.bot_id and d.reader = p.reader and d.position = p.position)`;
// The key of retry positions has the reader before the position, so they are found for one reader
// at a time. The names come from the positions themselves, as they may wait for a deleted reader.
const waitedBy = `with recursive waited_by (reader) as (
  select '' union all
  select (select min(q.reader) from retry_positions q where q.bot_id = $1 and q.reader > w.reader)
  from waited_by w where w.reader is not null)`;
const nothingTrimmed: TrimOutcome = { removed: 0, dropped: 0, isFull: false };

export function* trimLog(
  { botId, limits, rows }: { botId: number; limits: LogLimits; rows: number },
  { dialect, patterns }: { dialect: DialectName; patterns: AskedPatterns },
): Step<TrimOutcome> {
  const forUpdate = wordsOf[dialect].lock('for update');
  // This is the lock that appends take, so that bytes and positions add up.
  const [head] = yield* raw<LogHead>(
    `select last_position as "lastPosition", trimmed_to as "trimmedTo", bytes
     from log_heads where bot_id = $1 ${forUpdate}`,
    [botId],
  );
  if (!head) return nothingTrimmed;
  const waiting = yield* raw<{ reader: string; position: number | null }>(
    `${waitedBy} select w.reader, (select p.position from retry_positions p
          where p.bot_id = $1 and p.reader = w.reader and ${needsLog}
          order by p.position limit 1) as position
     from waited_by w join bots b on b.id = $1
     where w.reader is not null and w.reader <> '' and ${isWaitedFor('w.reader')}`,
    [botId, head.trimmedTo],
  );
  const [needed] = yield* raw<{ read: number | null }>(
    `select min(r.position) as read from ${needing}`,
    [botId],
  );
  const finished = Math.min(
    needed?.read ?? Number.MAX_SAFE_INTEGER,
    ...waiting.map(({ position }) => (position ?? Number.MAX_SAFE_INTEGER) - 1),
  );
  const oldest = yield* oldestEntries(botId, head.trimmedTo, rows, limits.nowMs);
  const { removed, upTo, bytes } = removable(oldest, head, finished, limits);
  if (removed === 0) return nothingTrimmed;
  if (forUpdate) {
    // Readers are locked before retry positions, as in push's commits, to avoid a deadlock.
    yield* raw(`select 1 from readers where bot_id = $1 order by name ${forUpdate}`, [botId]);
  }
  yield* raw('delete from log where bot_id = $1 and position <= $2', [botId, upTo]);
  yield* raw('update log_heads set trimmed_to = $2, bytes = $3 where bot_id = $1', [
    botId,
    upTo,
    upTo === head.lastPosition ? 0 : Math.max(bytes, 0),
  ]);
  const removedWaiting = yield* raw<WaitingPosition>(
    `${waitedBy} delete from retry_positions as p
     where p.bot_id = $1 and p.reader in (select w.reader from waited_by w)
       and ${needsLog} and p.position <= $3 returning reader, position`,
    [botId, head.trimmedTo, upTo],
  );
  // If forwarding is off, updates that waited are not needed and so not lost.
  const waitedFor = new Set(waiting.map(({ reader }) => reader));
  const lost = removedWaiting.filter(({ reader }) => waitedFor.has(reader));
  const dropped =
    upTo > finished
      ? yield* countDropped(
          { botId, gone: oldest.slice(0, removed), waiting: lost, nowMs: limits.nowMs },
          patterns,
        )
      : 0;
  return { removed, dropped, isFull: removed === rows };
}

/** Reads the oldest entries of a log, each with a time no later than those after it. */
function* oldestEntries(
  botId: number,
  trimmedTo: number,
  rows: number,
  nowMs: number,
): Step<Received[]> {
  const oldest = yield* raw<Received>(
    `select position, kind, received_at as "receivedAt", raw, claimed_by as "claimedBy" from log
     where bot_id = $1 and position > $2 order by position limit $3`,
    [botId, trimmedTo, rows],
  );
  // No entry is younger than the entries after it: a later time comes from a clock that was
  // ahead.
  const last = oldest.at(-1);
  let latest = Number.POSITIVE_INFINITY;
  if (last && last.receivedAt > nowMs) {
    const [next] = yield* raw<{ receivedAt: number }>(
      `select received_at as "receivedAt" from log
       where bot_id = $1 and position > $2 and received_at <= $3 order by position limit 1`,
      [botId, last.position, nowMs],
    );
    latest = next?.receivedAt ?? latest;
  }
  for (const entry of oldest.toReversed()) {
    latest = Math.min(latest, entry.receivedAt);
    entry.receivedAt = latest;
  }
  return oldest;
}

/** Says which of the oldest entries may be removed, and how many bytes are left then. */
function removable(
  oldest: readonly Received[],
  head: LogHead,
  finished: number,
  limits: LogLimits,
): { removed: number; upTo: number; bytes: number } {
  let { bytes } = head;
  let upTo = head.trimmedTo;
  let removed = 0;
  for (const entry of oldest) {
    const isNeeded = entry.position > finished;
    const before = isNeeded ? limits.neededBefore : limits.before;
    const maxBytes = isNeeded ? limits.neededMaxBytes : limits.maxBytes;
    if (entry.receivedAt >= before && bytes <= maxBytes) break;
    bytes -= entry.raw.length;
    upTo = entry.position;
    removed++;
  }
  return { removed, upTo, bytes };
}
