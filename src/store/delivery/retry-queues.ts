/*
 * Queues of push whose head failed, and the positions that wait in them, in the order they stand in
 * the log. A queue's row exists as long as positions wait in it.
 */
import type { Reason } from '../../core/reasons/reason.ts';
import { unpackReason } from '../../core/reasons/stored.ts';
import { bulkInsert } from '../sql/bulk-insert.ts';
import { type DialectName, type Engine, raw, type Step } from '../engine.ts';
import type { LogEntry } from '../log/log-entry.ts';

export interface RetryQueue {
  queue: string;
  /** Failures of its head in a row; 0 when the head has not been tried. */
  attempts: number;
  /** When the head failed first, 0 when it did not. */
  firstFailedAt: number;
  nextAttemptAt: number;
  requestedAt: number;
}

export interface RetryEntry extends LogEntry {
  replay: boolean;
}

export interface ListedQueue extends RetryQueue {
  lastError: string;
  lastErrorDetail: Reason | null;
  waiting: number;
  firstPosition: number;
}

export interface RetryQueueRepository {
  /** Those due first. */
  first(botId: number, limit: number): Promise<RetryQueue[]>;
  requestedSince(botId: number, requestedAt: number): Promise<RetryQueue[]>;
  /** Of every bot; the newest poke first. */
  botsRequestedSince(requestedAt: number): Promise<{ botId: number; requestedAt: number }[]>;
  /** Which of these queues are parked. */
  among(botId: number, queues: readonly string[]): Promise<Set<string>>;
  /** What waits in a queue, in order; those that retention took are named in `lost`. */
  entries(
    botId: number,
    queue: string,
    limit: number,
  ): Promise<{ entries: RetryEntry[]; lost: number[]; complete: boolean }>;
  list(botId: number, limit: number): Promise<ListedQueue[]>;
  counts(botIds: readonly number[]): Promise<Map<number, { failing: number; waiting: number }>>;
  /** Makes queues due now; all of the bot's when none is named. Tells how many. */
  retryNow(botId: number, queue: string | undefined, nowMs: number): Promise<number>;
  /** Gives rows back to positions that lost theirs, so that none waits for ever. */
  repair(botId: number, nowMs: number): Promise<void>;
}

const columns = `queue, attempts, first_failed_at as "firstFailedAt",
  next_attempt_at as "nextAttemptAt", poked_at as "requestedAt"`;

export const maxRequestsAtOnce = 1_000;

// Strictly growing, so that two pokes within a millisecond are told apart.
const poked = (now: string) =>
  `case when parked_queues.poked_at >= ${now} then parked_queues.poked_at + 1 else ${now} end`;

export function createRetryQueueRepository(engine: Engine): RetryQueueRepository {
  const many = (values: readonly unknown[]) =>
    engine.dialect === 'sqlite' ? JSON.stringify(values) : values;
  const isAmong = (column: string, type: string, parameter: string) =>
    engine.dialect === 'sqlite'
      ? `${column} in (select value from json_each(${parameter}))`
      : `${column} = any(${parameter}::${type}[])`;

  return {
    first: (botId, limit) =>
      engine.readRaw(
        `select ${columns} from parked_queues where bot_id = $1 order by next_attempt_at limit $2`,
        [botId, limit],
      ),
    requestedSince: (botId, requestedAt) =>
      engine.readRaw(
        `select ${columns} from parked_queues where bot_id = $1 and poked_at > $2
         order by next_attempt_at limit $3`,
        [botId, requestedAt, maxRequestsAtOnce],
      ),
    botsRequestedSince: (requestedAt) =>
      engine.readRaw(
        `select bot_id as "botId", max(poked_at) as "requestedAt" from parked_queues
         where poked_at > $1 group by bot_id order by max(poked_at) desc`,
        [requestedAt],
      ),
    async among(botId, queues) {
      const rows = await engine.readRaw<{ queue: string }>(
        `select queue from parked_queues where bot_id = $1 and ${isAmong('queue', 'text', '$2')}`,
        [botId, many(queues)],
      );
      return new Set(rows.map((row) => row.queue));
    },
    async entries(botId, queue, limit) {
      // A dead letter that is replayed may have outlived its place in the log.
      const rows = await engine.readRaw<RetryEntry & { replay: unknown; raw: string | null }>(
        `select p.position, coalesce(l.update_id, d.update_id) as "updateId",
           coalesce(l.kind, d.kind) as kind, p.queue,
           coalesce(l.received_at, d.received_at) as "receivedAt",
           coalesce(l.raw, d.raw) as raw, p.replay
         from parked_positions p
         left join log l on l.bot_id = p.bot_id and l.position = p.position
         left join dead_letters d on d.id = (select max(id) from dead_letters
           where bot_id = p.bot_id and position = p.position)
         where p.bot_id = $1 and p.queue = $2 order by p.position limit $3`,
        [botId, queue, limit],
      );
      return {
        entries: rows
          .filter((row) => row.raw !== null)
          .map((row) => ({ ...row, replay: (row.replay as unknown as number) === 1 })),
        lost: rows.filter((row) => row.raw === null).map((row) => row.position),
        complete: rows.length < limit,
      };
    },
    async list(botId, limit) {
      const rows = await engine.readRaw<ListedQueue>(
        `select ${columns}, last_error as "lastError",
           (select count(*) from parked_positions p
            where p.bot_id = q.bot_id and p.queue = q.queue) as waiting,
           (select coalesce(min(position), 0) from parked_positions p
            where p.bot_id = q.bot_id and p.queue = q.queue) as "firstPosition"
         from parked_queues q where bot_id = $1 order by next_attempt_at limit $2`,
        [botId, limit],
      );
      return rows.map((row) => {
        const { text, detail } = unpackReason(row.lastError);
        return { ...row, lastError: text, lastErrorDetail: detail };
      });
    },
    async counts(botIds) {
      const rows = await engine.readRaw<{ bot_id: number; failing: number; waiting: number }>(
        `select bot_id, sum(failing) as failing, sum(waiting) as waiting from (
           select bot_id, count(*) as failing, 0 as waiting from parked_queues
           where attempts > 0 and ${isAmong('bot_id', 'bigint', '$1')} group by bot_id
           union all
           select bot_id, 0 as failing, count(*) as waiting from parked_positions
           where ${isAmong('bot_id', 'bigint', '$1')} group by bot_id
         ) as counted group by bot_id`,
        [many(botIds)],
      );
      return new Map(rows.map(({ bot_id, failing, waiting }) => [bot_id, { failing, waiting }]));
    },
    retryNow: (botId, queue, nowMs) =>
      engine.write(function* () {
        const rows = yield* raw(
          `update parked_queues set next_attempt_at = $1, poked_at = ${poked('$1')}
           where bot_id = $2 ${queue === undefined ? '' : 'and queue = $3'} returning queue`,
          queue === undefined ? [nowMs, botId] : [nowMs, botId, queue],
        );
        return rows.length;
      }),
    async repair(botId, nowMs) {
      const orphans = `from parked_positions p where bot_id = $1 and not exists
        (select 1 from parked_queues q where q.bot_id = p.bot_id and q.queue = p.queue)`;
      const [orphan] = await engine.readRaw(`select position ${orphans} limit 1`, [botId]);
      if (!orphan) return;
      await engine.write(() =>
        raw(
          `insert into parked_queues
             (bot_id, queue, attempts, first_failed_at, next_attempt_at, last_error)
           select distinct bot_id, queue, 0, 0, cast($2 as bigint), '' ${orphans}
           on conflict (bot_id, queue) do nothing`,
          [botId, nowMs],
        ),
      );
    },
  };
}

const insertPositions = bulkInsert({
  table: 'parked_positions',
  columns: { bot_id: 'bigint', position: 'bigint', queue: 'text', replay: 'integer' },
  onConflict: '(bot_id, position) do nothing',
});

export type PositionRow = {
  bot_id: number;
  position: number;
  queue: string;
  replay: number;
};

export function addRetryPositions(
  dialect: DialectName,
  rows: readonly PositionRow[],
): Step<unknown> {
  return insertPositions(dialect, rows);
}

export function* removeRetryPositions(
  dialect: DialectName,
  rows: readonly { botId: number; position: number }[],
): Step<void> {
  if (rows.length === 0) return;
  if (dialect === 'postgres') {
    yield* raw(
      `delete from parked_positions p using unnest($1::bigint[], $2::bigint[]) as v (bot_id, position)
       where p.bot_id = v.bot_id and p.position = v.position`,
      [rows.map((row) => row.botId), rows.map((row) => row.position)],
    );
    return;
  }
  for (const { botId, position } of rows) {
    yield* raw('delete from parked_positions where bot_id = $1 and position = $2', [
      botId,
      position,
    ]);
  }
}

/** The owner's word on a queue; when it was last poked is not the owner's to say. */
export function* saveRetryQueue(
  botId: number,
  queue: RetryQueue & { lastError: string },
): Step<void> {
  yield* raw(
    `insert into parked_queues
       (bot_id, queue, attempts, first_failed_at, next_attempt_at, last_error)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (bot_id, queue) do update set attempts = excluded.attempts,
       first_failed_at = excluded.first_failed_at, next_attempt_at = excluded.next_attempt_at,
       last_error = excluded.last_error`,
    [botId, queue.queue, queue.attempts, queue.firstFailedAt, queue.nextAttemptAt, queue.lastError],
  );
}

/**
 * Takes an emptied queue away, unless someone poked it in the meantime: then it has work again, and its
 * head has not failed yet.
 */
export function* removeRetryQueue(botId: number, queue: string, requestedAt: number): Step<void> {
  const removed = yield* raw(
    `delete from parked_queues where bot_id = $1 and queue = $2 and poked_at <= $3
       and not exists (select 1 from parked_positions p
         where p.bot_id = parked_queues.bot_id and p.queue = parked_queues.queue)
     returning queue`,
    [botId, queue, requestedAt],
  );
  if (removed.length > 0) return;
  yield* raw(
    `update parked_queues set attempts = 0, first_failed_at = 0, last_error = ''
     where bot_id = $1 and queue = $2`,
    [botId, queue],
  );
}

/** Queues positions for another delivery, in the order of the log. */
export function* parkForReplay(
  dialect: DialectName,
  rows: readonly PositionRow[],
  nowMs: number,
): Step<number> {
  const queues = new Map(rows.map((row) => [`${row.bot_id} ${row.queue}`, row]));
  // The queue first: its row is what an owner that is just taking it away waits for.
  for (const { bot_id, queue } of queues.values()) {
    yield* raw(
      `insert into parked_queues
         (bot_id, queue, attempts, first_failed_at, next_attempt_at, last_error, poked_at)
       values ($1, $2, 0, 0, $3, '', $3)
       on conflict (bot_id, queue) do update set poked_at = ${poked('$3')}`,
      [bot_id, queue, nowMs],
    );
  }
  yield* insertPositions(dialect, rows);
  return rows.length;
}
