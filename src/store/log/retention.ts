/*
 * Removes old rows, a portion per transaction, so that no writer waits long.
 *
 * Invariants: a bot's log is trimmed from its beginning only, so positions stay without gaps;
 * updates that a reader still needs are deleted only beyond their own limit, and are counted for
 * that reader in the same transaction. If forwarding, getUpdates or an app is switched off, nobody
 * reads: those readers hold nothing back, and deleted updates are no loss to them.
 */
import { defaultApp } from '../../core/apps/app.ts';
import type { AppFilter } from '../../core/apps/app-filter.ts';
import { type Sees, seenByApp, seesUnclaimed } from '../../core/apps/claims.ts';
import { inRanges } from '../../core/log/ranges.ts';
import { readerApp, readerKind } from '../../core/log/reader-kinds.ts';
import { createPatternTimes, type PatternTimes } from '../../core/search/pattern-time.ts';
import { readReaderState } from '../../core/log/push-progress.ts';
import { type Engine, raw, type Step } from '../engine.ts';
import { readState, wants } from '../../core/log/consumer-state.ts';
import { wordsOf } from '../sql/dialect.ts';
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

export interface LogAge {
  botId: number;
  bytes: number;
  /** The time of receipt of the oldest entry. */
  oldestAt: number;
}

/** Tables whose rows are deleted by age alone. */
export type AgedTable =
  | 'seen_ranges'
  | 'delivery_attempts'
  | 'dead_letters'
  | 'outbox'
  | 'idempotency'
  | 'sessions'
  | 'nodes'
  | 'route_decisions'
  | 'message_pairs'
  | 'route_traffic'
  | 'send_limits'
  | 'app_messages'
  | 'app_sends';

export interface RetentionRepository {
  /** Returns true to one caller per period, on any node. */
  startRound(nowMs: number, periodMs: number): Promise<boolean>;
  /** Lists bots whose log is not empty, by ID, after `afterBotId`. */
  logAges(afterBotId: number, limit: number): Promise<LogAge[]>;
  trimLog(botId: number, limits: LogLimits, rows: number): Promise<TrimOutcome>;
  /** Removes at most `rows` rows from before that time; returns the number. */
  removeOlder(table: AgedTable, beforeMs: number, rows: number): Promise<number>;
}

const claimName = 'retention_ran_at';
// Intake waits for the same rows, 10 s at most.
const trimDeadlineMs = 5_000;
// The deadline is long, because nobody waits, and a portion that always times out would never be
// removed.
const deadlineMs = 60_000;

/** The replay of a dead letter has its own text, so it does not need the log. */
const needsLog = `p.position > $2 and not exists (select 1 from dead_letters d
  where d.bot_id = p.bot_id and d.reader = p.reader and d.position = p.position)`;
// The key of retry positions has the reader before the position, so they are found for one reader
// at a time. The names come from the positions themselves, as they may wait for a deleted reader.
const waitedBy = `with recursive waited_by (reader) as (
  select '' union all
  select (select min(q.reader) from retry_positions q where q.bot_id = $1 and q.reader > w.reader)
  from waited_by w where w.reader is not null)`;
const needing = `readers r join bots b on b.id = r.bot_id where r.bot_id = $1
  and ${isWaitedFor('r.name')}`;

const agedRows: Record<AgedTable, { key: string; where: string }> = {
  seen_ranges: { key: 'bot_id, first_id', where: 'seen_at < $1' },
  delivery_attempts: { key: 'id', where: 'started_at < $1' },
  dead_letters: { key: 'id', where: 'died_at < $1' },
  outbox: { key: 'id', where: `state in ('sent', 'failed', 'unknown') and updated_at < $1` },
  idempotency: { key: 'scope, idempotency_key', where: 'created_at < $1' },
  sessions: { key: 'token_hash', where: 'expires_at < $1' },
  route_decisions: { key: 'id', where: 'created_at < $1' },
  message_pairs: {
    key: 'bot_id, chat_id, message_id, connection, peer_bot_id, peer_chat_id, peer_message_id, peer_connection',
    where: 'created_at < $1',
  },
  route_traffic: { key: 'route_id, hour', where: 'hour * 3600000 < $1' },
  send_limits: { key: 'bot_id, chat_id, class', where: 'updated_at < $1 and blocked_until < $1' },
  app_messages: { key: 'bot_id, chat_id, message_id', where: 'sent_at < $1' },
  app_sends: { key: 'id', where: 'begun_at < $1' },
  nodes: {
    key: 'id',
    where: 'seen_at < $1 and not exists (select 1 from leases where owner = nodes.id)',
  },
};

const nothingTrimmed: TrimOutcome = { removed: 0, dropped: 0, isFull: false };

/** A position in a retry queue. */
interface WaitingPosition {
  reader: string;
  position: number;
}

interface Received {
  position: number;
  kind: string;
  receivedAt: number;
  raw: string;
  claimedBy: number;
}

/** A reader that had not finished what was removed, with the username of its bot. */
interface Unfinished {
  name: string;
  position: number;
  state: string;
  username: string;
}

/**
 * The processor time for the filters of one portion, because appends wait meanwhile. Updates left
 * over count.
 */
const filterMs = 10;

export function createRetentionRepository(
  engine: Engine,
  { asked: patterns }: Pick<PatternTimes, 'asked'> = createPatternTimes(),
): RetentionRepository {
  const forUpdate = wordsOf[engine.dialect].lock('for update');

  function* trimLog(botId: number, limits: LogLimits, rows: number): Step<TrimOutcome> {
    // This is the lock that appends take, so that bytes and positions add up.
    const [head] = yield* raw<LogHead>(
      `select last_position as "lastPosition", trimmed_to as "trimmedTo", bytes
       from log_heads where bot_id = $1 ${forUpdate}`,
      [botId],
    );
    if (!head) return nothingTrimmed;
    const [needed] = yield* raw<{ read: number | null }>(
      `select min(r.position) as read from ${needing}`,
      [botId],
    );
    const waiting = yield* raw<{ reader: string; position: number | null }>(
      `${waitedBy} select w.reader, (select p.position from retry_positions p
            where p.bot_id = $1 and p.reader = w.reader and ${needsLog}
            order by p.position limit 1) as position
       from waited_by w join bots b on b.id = $1
       where w.reader is not null and w.reader <> '' and ${isWaitedFor('w.reader')}`,
      [botId, head.trimmedTo],
    );
    const finished = Math.min(
      needed?.read ?? Number.MAX_SAFE_INTEGER,
      ...waiting.map(({ position }) => (position ?? Number.MAX_SAFE_INTEGER) - 1),
    );
    const oldest = yield* raw<Received>(
      `select position, kind, received_at as "receivedAt", raw, claimed_by as "claimedBy" from log
       where bot_id = $1 and position > $2 order by position limit $3`,
      [botId, head.trimmedTo, rows],
    );
    // No entry is younger than the entries after it: a later time comes from a clock that was
    // ahead.
    const last = oldest.at(-1);
    let latest = Number.POSITIVE_INFINITY;
    if (last && last.receivedAt > limits.nowMs) {
      const [next] = yield* raw<{ receivedAt: number }>(
        `select received_at as "receivedAt" from log
         where bot_id = $1 and position > $2 and received_at <= $3 order by position limit 1`,
        [botId, last.position, limits.nowMs],
      );
      latest = next?.receivedAt ?? latest;
    }
    for (const entry of oldest.toReversed()) {
      latest = Math.min(latest, entry.receivedAt);
      entry.receivedAt = latest;
    }
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
        ? yield* countDropped(botId, oldest.slice(0, removed), lost, limits.nowMs)
        : 0;
    return { removed, dropped, isFull: removed === rows };
  }

  function* countDropped(
    botId: number,
    gone: readonly Received[],
    waiting: readonly WaitingPosition[],
    nowMs: number,
  ): Step<number> {
    const upTo = gone.at(-1)?.position ?? 0;
    const readers = yield* raw<Unfinished>(
      `select r.name, r.position, r.state, b.username from ${needing} and r.position < $2`,
      [botId, upTo],
    );
    const apps = yield* raw<{ id: number; name: string; filter: string }>(
      'select id, name, filter from apps where bot_id = $1 and name <> $2',
      [botId, defaultApp],
    );
    const filters = new Map(
      apps.map(({ id, name, filter }) => [name, { id, filter: JSON.parse(filter) as AppFilter }]),
    );
    const until = patterns.clock.computed() + filterMs;
    const counts = readers.map((reader) => {
      const app = filters.get(readerApp(reader.name));
      return { name: reader.name, lost: countFor(reader, app, gone, until) };
    });
    let dropped = 0;
    for (const { name, lost } of counts) dropped += yield* addDropped(botId, name, lost, nowMs);
    // Updates in retry queues are behind their reader's position, so they are not counted above.
    const positions = new Map(readers.map(({ name, position }) => [name, position]));
    for (const [name, ofReader] of Map.groupBy(waiting, ({ reader }) => reader)) {
      const passed = positions.get(name) ?? upTo;
      const behind = ofReader.filter(({ position }) => position <= passed).length;
      dropped += yield* addDropped(botId, name, behind, nowMs);
    }
    return dropped;
  }

  /**
   * Counts those that were for the reader and are not finished. Patterns are left out, because they
   * take too long.
   */
  function countFor(
    { name, position, state, username }: Unfinished,
    app: { id: number; filter: AppFilter } | undefined,
    gone: readonly Received[],
    until: number,
  ): number {
    const { finished } = readReaderState(state);
    const pull = readerKind(name) === 'pull' ? readState(state) : undefined;
    const left = gone.filter(
      (entry) =>
        entry.position > position &&
        !inRanges(finished, entry.position) &&
        (!pull || wants(pull, app?.filter.kinds ?? [], entry)),
    );
    if (readerApp(name) === '') return left.length;
    if (!app) return left.filter(seesUnclaimed).length;
    const { regex: _, ...filter } = app.filter;
    let sees: Sees | undefined;
    return left.filter((entry) => {
      if (entry.claimedBy !== 0) return entry.claimedBy === app.id;
      if (patterns.clock.computed() > until) return true;
      sees ??= seenByApp({ id: app.id, bot_id: 0, filter }, username, patterns);
      return sees(entry);
    }).length;
  }

  function* addDropped(botId: number, name: string, count: number, nowMs: number): Step<number> {
    if (count === 0) return 0;
    yield* raw(
      'update readers set dropped = dropped + $3, dropped_at = $4 where bot_id = $1 and name = $2',
      [botId, name, count, nowMs],
    );
    return count;
  }

  return {
    startRound: (nowMs, periodMs) =>
      engine.write(function* () {
        const rows = yield* raw(
          `insert into settings (name, value) values ('${claimName}', $1)
           on conflict (name) do update set value = excluded.value
           where cast(settings.value as bigint) <= $2 or cast(settings.value as bigint) > $3
           returning name`,
          [String(nowMs), nowMs - periodMs, nowMs + periodMs],
        );
        return rows.length === 1;
      }),
    logAges: (afterBotId, limit) =>
      engine.readRaw<LogAge>(
        `select h.bot_id as "botId", h.bytes, coalesce((
           select l.received_at from log l
           where l.bot_id = h.bot_id and l.position > h.trimmed_to order by l.position limit 1
         ), 0) as "oldestAt"
         from log_heads h where h.bot_id > $1 and h.last_position > h.trimmed_to
         order by h.bot_id limit $2`,
        [afterBotId, limit],
      ),
    trimLog: (botId, limits, rows) =>
      engine.write(() => trimLog(botId, limits, rows), { deadlineMs: trimDeadlineMs }),
    removeOlder: (table, beforeMs, rows) =>
      engine.write(
        function* () {
          const { key, where } = agedRows[table];
          const gone = yield* raw(
            `delete from ${table} where (${key}) in (
             select ${key} from ${table} where ${where} limit $2
           ) returning 1 as one`,
            [beforeMs, rows],
          );
          return gone.length;
        },
        { deadlineMs },
      ),
  };
}
