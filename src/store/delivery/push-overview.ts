import { defaultApp } from '../../core/apps/app.ts';
import type { Engine } from '../engine.ts';
import { inRanges } from '../../core/log/ranges.ts';
import { unpackReason } from '../../core/reasons/stored.ts';
import { isSwitchedOn } from '../log/reader-sql.ts';
import type { StoredUpdate } from '../log/log-entry.ts';
import { lookedAt, readReaderState } from '../../core/log/push-progress.ts';
import { wordsOf } from '../sql/dialect.ts';
import { filter } from '../sql/filter.ts';
import type { ListedQueue } from './retry-queues.ts';

/** The progress of a push reader of a bot, which any node can read. */
export interface PushCursor {
  botId: number;
  forwards: boolean;
  /** -1 if there is no reader yet. */
  position: number;
  state: string;
  lastPosition: number;
  trimmedTo: number;
  /**
   * The stored reason why the backend was not reached, or else refused an update; '' if neither,
   * null if unknown.
   */
  backendError: string | null;
  /** The time of that observation; 0 if unknown. */
  checkedAt: number;
}

/** The last delivery of a bot that failed. */
export interface DeliveryFailure {
  botId: number;
  /** The stored reason. */
  error: string;
  /** 0 if it is too long ago to tell. */
  at: number;
}

export interface LogFilter {
  /** Lists entries below this position, newest first, if `after` is not given. */
  before?: number;
  /** Lists entries above this position, oldest first. */
  after?: number;
  kind?: string;
  limit: number;
}

export interface PushOverviewRepository {
  /** Returns the cursors of the reader of that name of each of these bots. */
  cursors(botIds: readonly number[], reader: string): Promise<PushCursor[]>;
  /**
   * Lists the updates after the position of the bots' own reader that apps claimed, among the last
   * 1,000.
   */
  claimed(
    botIds: readonly number[],
    reader: string,
  ): Promise<{ botId: number; position: number }[]>;
  /**
   * Returns the reason of the last failed delivery for each bot whose deliveries by this reader
   * fail.
   */
  failures(botIds: readonly number[], reader: string): Promise<DeliveryFailure[]>;
  /**
   * Lists queues whose first update failed while the circuit breaker was open, and so stayed in the
   * log. Looks at the last 1,000 attempts.
   */
  probed(botId: number, reader: string): Promise<ListedQueue[]>;
  /** Reads the log for people to look at. */
  browse(botId: number, filter: LogFilter): Promise<StoredUpdate[]>;
}

/** A chat may fail while many others are served, so its attempt is searched this far back. */
const recentAttempts = 100;

export function createPushOverviewRepository(engine: Engine): PushOverviewRepository {
  const { isIn, list } = wordsOf[engine.dialect];
  return {
    async cursors(botIds, reader) {
      if (botIds.length === 0) return [];
      const rows = await engine.readRaw<PushCursor & { forwards: unknown }>(
        `select b.id as "botId",
           case when ${isSwitchedOn('push', 'cast($2 as text)')} then 1 else 0 end - b.disabled as forwards,
           coalesce(r.position, -1) as position, coalesce(r.state, '') as state,
           coalesce(h.last_position, 0) as "lastPosition",
           coalesce(h.trimmed_to, 0) as "trimmedTo",
           coalesce(nullif(k.error, ''), k.refused) as "backendError",
           coalesce(case when k.error = '' and k.refused <> '' then k.tried_at
             else k.checked_at end, 0) as "checkedAt"
         from bots b
         left join readers r on r.bot_id = b.id and r.name = $2
         left join log_heads h on h.bot_id = b.id
         left join backend_health k on k.bot_id = b.id and k.reader = $2
         where ${isIn('b.id', '$1')}`,
        [list(botIds), reader],
      );
      return rows.map((row) => ({ ...row, forwards: (row.forwards as unknown as number) === 1 }));
    },
    async claimed(botIds, reader) {
      if (botIds.length === 0) return [];
      return await engine.readRaw<{ botId: number; position: number }>(
        `select r.bot_id as "botId", l.position from readers r
         join log_heads h on h.bot_id = r.bot_id
         join log l on l.bot_id = r.bot_id and l.position > r.position
           and l.position > h.last_position - ${lookedAt} and l.claimed_by <> 0
         where r.name = $2 and ${isIn('r.bot_id', '$1')}
           and (exists (select 1 from apps a
               where a.bot_id = r.bot_id and a.name <> '${defaultApp}')
             or exists (select 1 from alert_channels c where c.bot_id = r.bot_id))`,
        [list(botIds), reader],
      );
    },
    async failures(botIds, reader) {
      if (botIds.length === 0) return [];
      return await engine.readRaw<DeliveryFailure>(
        `select b.id as "botId", coalesce(a.started_at + a.duration_ms, 0) as at,
           coalesce(a.error, (
             select q.last_error from retry_queues q
             where q.bot_id = b.id and q.reader = $2 and q.attempts > 0
             order by q.next_attempt_at desc limit 1
           ), '') as error
         from bots b left join delivery_attempts a on a.id = (
           select max(l.id) from (
             select id, error from delivery_attempts
             where bot_id = b.id and reader = $2 order by id desc limit ${recentAttempts}
           ) as l where l.error <> ''
         )
         where ${isIn('b.id', '$1')}`,
        [list(botIds), reader],
      );
    },
    async probed(botId, reader) {
      const rows = await engine.readRaw<ListedQueue & { state: string }>(
        `select t.queue, t.attempts, t."firstFailedAt", 0 as "nextAttemptAt", 0 as "requestedAt",
           a.error as "lastError", t.position as "firstPosition", 0 as total, r.state,
           (select count(*) from log l where l.bot_id = $1 and l.queue = t.queue
             and l.position >= t.position and l.position < t.position + ${lookedAt}) as waiting
         from (
           select queue, position, count(*) as attempts, max(id) as id,
             min(started_at + duration_ms) as "firstFailedAt"
           from (
             select id, queue, position, error, started_at, duration_ms from delivery_attempts
             where bot_id = $1 and reader = $2 order by id desc limit ${lookedAt}
           ) as latest where error <> '' group by queue, position
         ) as t join delivery_attempts a on a.id = t.id
         join readers r on r.bot_id = $1 and r.name = $2 and r.position < t.position
         where not exists (select 1 from retry_queues q
           where q.bot_id = $1 and q.reader = $2 and q.queue = t.queue)
         order by t.position`,
        [botId, reader],
      );
      return rows
        .filter(
          ({ firstPosition, state }) => !inRanges(readReaderState(state).finished, firstPosition),
        )
        .map((row) => {
          const { text, detail } = unpackReason(row.lastError);
          // The queue of a topic is not in the log.
          const waiting = Math.max(1, row.waiting);
          return { ...row, waiting, lastError: text, lastErrorDetail: detail };
        });
    },
    async browse(botId, { before, after, kind, limit }) {
      const { where, parameters } = filter([
        ['bot_id = ?', botId],
        after !== undefined && ['position > ?', after],
        before !== undefined && ['position < ?', before],
        kind !== undefined && ['kind = ?', kind],
      ]);
      // A rare kind may be far away, so the event loop must not wait for it.
      return engine.readHeavy<StoredUpdate>(
        `select position, update_id as "updateId", kind, queue, received_at as "receivedAt", raw
         from log ${where} order by position ${after === undefined ? 'desc' : 'asc'}
         limit $${parameters.push(limit)}`,
        parameters,
      );
    },
  };
}
