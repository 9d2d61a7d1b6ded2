/*
 * Queues of a push reader whose head failed, and the positions that wait in them, in the order of
 * the log. A queue's row exists as long as positions wait in it.
 */
import type { Reason } from '../../core/reasons/reason.ts';
import { storedAs, unpackReason } from '../../core/reasons/stored.ts';
import { bulkInsert } from '../sql/bulk-insert.ts';
import { type DialectName, type Engine, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import type { StoredUpdate } from '../log/log-entry.ts';

export interface RetryQueue {
  queue: string;
  /** The failures of its head in a row; 0 if the head has not been tried. */
  attempts: number;
  /** The time of the head's first failure; 0 if it did not fail. */
  firstFailedAt: number;
  nextAttemptAt: number;
  requestedAt: number;
}

export interface RetryEntry extends StoredUpdate {
  replay: boolean;
}

export interface ListedQueue extends RetryQueue {
  lastError: string;
  lastErrorDetail: Reason | null;
  waiting: number;
  firstPosition: number;
  /** The number of all queues of the reader. */
  total: number;
}

export interface RetryQueueRepository {
  /** Lists the queues that are due first. */
  first(botId: number, reader: string, limit: number): Promise<RetryQueue[]>;
  requestedSince(botId: number, reader: string, requestedAt: number): Promise<RetryQueue[]>;
  /** Lists readers of every bot, the newest request first. */
  readersRequestedSince(
    requestedAt: number,
  ): Promise<{ botId: number; reader: string; requestedAt: number }[]>;
  /**
   * The time at which the backend accepted the last update that was sent to it; 0 if it did not, or
   * none was sent.
   */
  acceptedAt(botId: number, reader: string): Promise<number>;
  /** Returns which of these are retry queues. */
  among(botId: number, reader: string, queues: readonly string[]): Promise<Set<string>>;
  /** Returns what waits in a queue, in order; `lost` names the updates that retention deleted. */
  entries(
    botId: number,
    reader: string,
    queue: string,
    limit: number,
  ): Promise<{ entries: RetryEntry[]; lost: number[]; complete: boolean }>;
  /** Lists the queues that are tried first. */
  list(botId: number, reader: string, limit: number): Promise<ListedQueue[]>;
  /** Counts for the reader of that name of each of these bots. */
  counts(
    botIds: readonly number[],
    reader: string,
  ): Promise<Map<number, { failing: number; waiting: number }>>;
  /** Makes queues due at once; all of the reader's queues if none is named. Returns the number. */
  retryNow(
    botId: number,
    reader: string,
    queue: string | undefined,
    nowMs: number,
  ): Promise<number>;
  /** Restores missing queue rows for waiting positions, so that none waits forever. */
  repair(botId: number, reader: string, nowMs: number): Promise<void>;
}

const columns = `queue, attempts, first_failed_at as "firstFailedAt",
  next_attempt_at as "nextAttemptAt", requested_at as "requestedAt"`;

export const maxRequestsAtOnce = 1_000;

/** SQL: nothing waits in the queue of a row. */
const isEmpty = `not exists (select 1 from retry_positions p where p.bot_id = retry_queues.bot_id
  and p.reader = retry_queues.reader and p.queue = retry_queues.queue)`;

/** Removes the rows of queues in which nothing waits. */
export function* removeEmptyRetryQueues(botId: number, reader: string): Step<void> {
  yield* raw(`delete from retry_queues where bot_id = $1 and reader = $2 and ${isEmpty}`, [
    botId,
    reader,
  ]);
}

// Strictly growing, so that two requests within a millisecond can be told apart.
const requestedNow = (now: string) =>
  `case when retry_queues.requested_at >= ${now} then retry_queues.requested_at + 1 else ${now} end`;

/** SQL: makes queues due, because someone asked for it. */
const dueNow = `next_attempt_at = $1, requested_at = ${requestedNow('$1')}`;

/** SQL: the last failure of a queue was an answer. */
export const wasRefused = `(last_error like '${storedAs('backend_answered')}'
  or last_error like '${storedAs('backend_redirected')}')`;
/** SQL: at its last attempt no answer came in time. */
export const wasLate = `last_error like '${storedAs('backend_timeout')}'`;

/**
 * A check reached the backend: makes queues due that failed because it could not be reached, and
 * all queues if it accepted an update.
 */
export function* retryAfterCheck(
  botId: number,
  reader: string,
  accepted: boolean,
  nowMs: number,
): Step<void> {
  yield* raw(
    `update retry_queues set ${dueNow}
     where bot_id = $2 and reader = $3 and attempts > 0
       ${accepted ? '' : `and not ${wasRefused} and not ${wasLate}`}`,
    [nowMs, botId, reader],
  );
}

export function createRetryQueueRepository(engine: Engine): RetryQueueRepository {
  const { isIn, list: listed } = wordsOf[engine.dialect];

  return {
    first: (botId, reader, limit) =>
      engine.readRaw(
        `select ${columns} from retry_queues where bot_id = $1 and reader = $2
         order by next_attempt_at limit $3`,
        [botId, reader, limit],
      ),
    requestedSince: (botId, reader, requestedAt) =>
      engine.readRaw(
        `select ${columns} from retry_queues where bot_id = $1 and reader = $2 and requested_at > $3
         order by next_attempt_at limit $4`,
        [botId, reader, requestedAt, maxRequestsAtOnce],
      ),
    readersRequestedSince: (requestedAt) =>
      engine.readRaw(
        `select bot_id as "botId", reader, max(requested_at) as "requestedAt" from retry_queues
         where requested_at > $1 group by bot_id, reader order by max(requested_at) desc`,
        [requestedAt],
      ),
    async acceptedAt(botId, reader) {
      const [row] = await engine.readRaw<{ at: number }>(
        `select tried_at as at from backend_health
         where bot_id = $1 and reader = $2 and refused = ''`,
        [botId, reader],
      );
      return row?.at ?? 0;
    },
    async among(botId, reader, queues) {
      const rows = await engine.readRaw<{ queue: string }>(
        `select queue from retry_queues
         where bot_id = $1 and reader = $2 and ${isIn('queue', '$3', 'text')}`,
        [botId, reader, listed(queues)],
      );
      return new Set(rows.map((row) => row.queue));
    },
    async entries(botId, reader, queue, limit) {
      // A dead letter that is replayed may have outlived its log entry.
      const rows = await engine.readRaw<RetryEntry & { replay: unknown; raw: string | null }>(
        `select p.position, coalesce(l.update_id, d.update_id) as "updateId",
           coalesce(l.kind, d.kind) as kind, p.queue,
           coalesce(l.received_at, d.received_at) as "receivedAt",
           coalesce(l.raw, d.raw) as raw, p.replay
         from retry_positions p
         left join log l on l.bot_id = p.bot_id and l.position = p.position
         left join dead_letters d on d.id = (select max(id) from dead_letters
           where bot_id = p.bot_id and reader = p.reader and position = p.position)
         where p.bot_id = $1 and p.reader = $2 and p.queue = $3 order by p.position limit $4`,
        [botId, reader, queue, limit],
      );
      return {
        entries: rows
          .filter((row) => row.raw !== null)
          .map((row) => ({ ...row, replay: (row.replay as unknown as number) === 1 })),
        lost: rows.filter((row) => row.raw === null).map((row) => row.position),
        complete: rows.length < limit,
      };
    },
    async list(botId, reader, limit) {
      const rows = await engine.readRaw<ListedQueue>(
        `select ${columns}, last_error as "lastError",
           (select count(*) from retry_positions p
            where p.bot_id = q.bot_id and p.reader = q.reader and p.queue = q.queue) as waiting,
           (select coalesce(min(position), 0) from retry_positions p
            where p.bot_id = q.bot_id and p.reader = q.reader and p.queue = q.queue)
             as "firstPosition",
           (select count(*) from retry_queues where bot_id = $1 and reader = $2) as total
         from retry_queues q where bot_id = $1 and reader = $2 order by next_attempt_at limit $3`,
        [botId, reader, limit],
      );
      return rows.map((row) => {
        const { text, detail } = unpackReason(row.lastError);
        return { ...row, lastError: text, lastErrorDetail: detail };
      });
    },
    async counts(botIds, reader) {
      const rows = await engine.readRaw<{ bot_id: number; failing: number; waiting: number }>(
        `select bot_id, sum(failing) as failing, sum(waiting) as waiting from (
           select bot_id, count(*) as failing, 0 as waiting from retry_queues
           where reader = $2 and attempts > 0 and ${isIn('bot_id', '$1')}
           group by bot_id
           union all
           select bot_id, 0 as failing, count(*) as waiting from retry_positions
           where reader = $2 and ${isIn('bot_id', '$1')} group by bot_id
         ) as counted group by bot_id`,
        [listed(botIds), reader],
      );
      return new Map(rows.map(({ bot_id, failing, waiting }) => [bot_id, { failing, waiting }]));
    },
    retryNow: (botId, reader, queue, nowMs) =>
      engine.write(function* () {
        const rows = yield* raw(
          `update retry_queues set ${dueNow}
           where bot_id = $2 and reader = $3 ${queue === undefined ? '' : 'and queue = $4'}
           returning queue`,
          [nowMs, botId, reader, ...(queue === undefined ? [] : [queue])],
        );
        return rows.length;
      }),
    async repair(botId, reader, nowMs) {
      const orphans = `from retry_positions p
        where bot_id = $1 and reader = $2 and not exists (select 1 from retry_queues q
          where q.bot_id = p.bot_id and q.reader = p.reader and q.queue = p.queue)`;
      const [orphan] = await engine.readRaw(`select position ${orphans} limit 1`, [botId, reader]);
      if (!orphan) return;
      await engine.write(() =>
        raw(
          `insert into retry_queues
             (bot_id, reader, queue, attempts, first_failed_at, next_attempt_at, last_error)
           select distinct bot_id, reader, queue, 0, 0, cast($3 as bigint), '' ${orphans}
           on conflict (bot_id, reader, queue) do nothing`,
          [botId, reader, nowMs],
        ),
      );
    },
  };
}

const insertPositions = bulkInsert({
  table: 'retry_positions',
  columns: {
    bot_id: 'bigint',
    reader: 'text',
    position: 'bigint',
    queue: 'text',
    replay: 'integer',
  },
  onConflict: '(bot_id, reader, position) do nothing',
});

export type PositionRow = {
  bot_id: number;
  reader: string;
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

export interface RemovedPosition {
  botId: number;
  reader: string;
  position: number;
}

export function* removeRetryPositions(
  dialect: DialectName,
  rows: readonly RemovedPosition[],
): Step<void> {
  if (rows.length === 0) return;
  if (dialect === 'postgres') {
    yield* raw(
      `delete from retry_positions p
       using unnest($1::bigint[], $2::text[], $3::bigint[]) as v (bot_id, reader, position)
       where p.bot_id = v.bot_id and p.reader = v.reader and p.position = v.position`,
      [
        rows.map((row) => row.botId),
        rows.map((row) => row.reader),
        rows.map((row) => row.position),
      ],
    );
    return;
  }
  for (const { botId, reader, position } of rows) {
    yield* raw('delete from retry_positions where bot_id = $1 and reader = $2 and position = $3', [
      botId,
      reader,
      position,
    ]);
  }
}

/**
 * Saves a queue as its owner knows it, except for the time of the last request, which others set.
 */
export function* saveRetryQueue(
  botId: number,
  reader: string,
  queue: RetryQueue & { lastError: string },
): Step<void> {
  yield* raw(
    `insert into retry_queues
       (bot_id, reader, queue, attempts, first_failed_at, next_attempt_at, last_error)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (bot_id, reader, queue) do update set attempts = excluded.attempts,
       first_failed_at = excluded.first_failed_at, next_attempt_at = excluded.next_attempt_at,
       last_error = excluded.last_error`,
    [
      botId,
      reader,
      queue.queue,
      queue.attempts,
      queue.firstFailedAt,
      queue.nextAttemptAt,
      queue.lastError,
    ],
  );
}

/**
 * Removes an emptied queue, unless someone requested something of it meanwhile: then it has work
 * again, and its head has not failed yet.
 */
export function* removeRetryQueue(
  botId: number,
  reader: string,
  queue: string,
  requestedAt: number,
): Step<void> {
  const removed = yield* raw(
    `delete from retry_queues
     where bot_id = $1 and reader = $2 and queue = $3 and requested_at <= $4 and ${isEmpty}
     returning queue`,
    [botId, reader, queue, requestedAt],
  );
  if (removed.length > 0) return;
  yield* raw(
    `update retry_queues set attempts = 0, first_failed_at = 0, last_error = ''
     where bot_id = $1 and reader = $2 and queue = $3`,
    [botId, reader, queue],
  );
}

/** Queues positions for another delivery, in the order of the log. */
export function* addReplays(
  dialect: DialectName,
  rows: readonly PositionRow[],
  nowMs: number,
): Step<number> {
  const queues = new Map(rows.map((row) => [`${row.bot_id} ${row.reader} ${row.queue}`, row]));
  // The queue comes first, because an owner that is about to remove it waits for this row.
  for (const { bot_id, reader, queue } of queues.values()) {
    yield* raw(
      `insert into retry_queues
         (bot_id, reader, queue, attempts, first_failed_at, next_attempt_at, last_error, requested_at)
       values ($1, $2, $3, 0, 0, $4, '', $4)
       on conflict (bot_id, reader, queue) do update set requested_at = ${requestedNow('$4')}`,
      [bot_id, reader, queue, nowMs],
    );
  }
  yield* insertPositions(dialect, rows);
  return rows.length;
}
