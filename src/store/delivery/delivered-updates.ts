/*
 * Reads updates together with their attempts at one backend. Attempts have an index by reader and
 * ID, and a partial one by position for those that failed. What succeeded is found by its time, so
 * that deliveries write no further index.
 */
import type { Engine } from '../engine.ts';
import { unpackReason } from '../../core/reasons/stored.ts';
import type { LogEntry } from '../log/log-entry.ts';
import { wordsOf } from '../sql/dialect.ts';
import type { AttemptRow, StoredAttempt } from './deliveries.ts';

/** The updates that a page looks at: all of the log, or those that wait or became dead letters. */
export type UpdateSource = 'log' | 'waiting' | 'dead';

export interface UpdateRange {
  botId: number;
  reader: string;
  source: UpdateSource;
  /** Both ends are included. */
  from: number;
  to: number;
  newestFirst: boolean;
  limit: number;
}

export interface DeliveredUpdateRepository {
  /** Reads updates in the order of the log, at most `limit`. */
  range(range: UpdateRange): Promise<LogEntry[]>;
  /** Returns the attempts of these updates that are stored, oldest first. */
  attempts(
    botId: number,
    reader: string,
    updates: readonly Sought[],
    perUpdate: number,
  ): Promise<{ attempts: StoredAttempt[]; failed: Map<number, number> }>;
}

/** An update whose attempts are wanted; `isFinished` if the backend took it or it was given up. */
export interface Sought {
  position: number;
  receivedAt: number;
  isFinished: boolean;
}

type NumberedAttempt = AttemptRow & { id: number };

const entryColumns = `l.position, l.update_id as "updateId", l.kind, l.queue,
  l.received_at as "receivedAt", l.raw, l.claimed_by as "claimedBy"`;

/** Deliveries are looked for among this many attempts after the update came, and among the last. */
const portions = [500, 2_500, 7_000];
const latest = 200;
/** Attempts that share a commit are not stored in the order in which they ended. */
const commitMs = 2_000;

export function createDeliveredUpdateRepository(engine: Engine): DeliveredUpdateRepository {
  const { isIn, list } = wordsOf[engine.dialect];

  /** The first attempt of the reader that ended at this time or later, by a binary search. */
  async function firstEnded(botId: number, reader: string, atMs: number): Promise<number> {
    const own = 'delivery_attempts where bot_id = $1 and reader = $2';
    const ended = `(select started_at + duration_ms from ${own} and id >= (lo + hi) / 2
      order by id limit 1)`;
    const [found] = await engine.readRaw<{ id: number }>(
      `with recursive search (lo, hi) as (
         select coalesce((select id from ${own} order by id limit 1), 0),
           coalesce((select id from ${own} order by id desc limit 1), 0)
         union all
         select case when ${ended} < $3 then (lo + hi) / 2 + 1 else lo end,
           case when ${ended} < $3 then hi else (lo + hi) / 2 end
         from search where lo < hi
       )
       select max(lo) as id from search`,
      [botId, reader, atMs - commitMs],
    );
    return found?.id ?? 0;
  }

  /** Returns the deliveries of updates among some attempts, and the last of these attempts. */
  async function deliveriesAmong(
    { botId, reader, positions }: { botId: number; reader: string; positions: unknown },
    which: string,
    ...parameters: number[]
  ): Promise<{ found: NumberedAttempt[]; reached: number }> {
    const rows = await engine.readHeavy<NumberedAttempt & { reached: number }>(
      `with attempt as (select * from delivery_attempts where bot_id = $1 and reader = $2 ${which})
       select last.reached, a.* from (select max(id) as reached from attempt) as last
       left join attempt a on a.error = '' and ${isIn('a.position', '$3')}`,
      [botId, reader, positions, ...parameters],
    );
    return { found: rows.filter(({ id }) => id !== null), reached: rows[0]?.reached ?? 0 };
  }

  /** Finds the deliveries of finished updates, of which some failed before, last at these times. */
  async function deliveries(
    botId: number,
    reader: string,
    finished: readonly Sought[],
    failedAt: ReadonlyMap<number, number>,
  ): Promise<NumberedAttempt[]> {
    if (finished.length === 0) return [];
    const all = finished.map(({ position }) => position);
    const among = { botId, reader, positions: list(all) };
    const found: NumberedAttempt[] = [];
    const isSeen = (position: number) => found.some((row) => row.position === position);
    let next = await firstEnded(
      botId,
      reader,
      Math.min(...finished.map(({ receivedAt }) => receivedAt)),
    );
    for (const portion of portions) {
      const part = await deliveriesAmong(among, 'and id >= $4 order by id limit $5', next, portion);
      found.push(...part.found);
      next = part.reached + 1;
      const isEnough = all.every((position) => isSeen(position) || failedAt.has(position));
      if (part.reached === 0 || isEnough) break;
    }
    // After a failure, the delivery may be far from the time when the update came.
    for (const position of all) {
      const lastFailedAt = failedAt.get(position);
      if (lastFailedAt === undefined || isSeen(position)) continue;
      const own = { botId, reader, positions: list([position]) };
      const from = await firstEnded(botId, reader, lastFailedAt);
      const which = 'and id >= $4 order by id limit $5';
      found.push(...(await deliveriesAmong(own, which, from, portions[0] ?? 0)).found);
    }
    const replays = await deliveriesAmong(among, 'order by id desc limit $4', latest);
    return [...found, ...replays.found];
  }

  return {
    range({ botId, reader, source, from, to, newestFirst, limit }) {
      const order = newestFirst ? 'desc' : 'asc';
      const isWithin = 'position >= $2 and l.position <= $3';
      const page = `order by l.position ${order} limit $4`;
      if (source === 'log') {
        return engine.readHeavy(
          `select ${entryColumns} from log l where l.bot_id = $1 and l.${isWithin} ${page}`,
          [botId, from, to, limit],
        );
      }
      if (source === 'dead') {
        return engine.readHeavy(
          `select ${entryColumns.replace('l.claimed_by', '0')} from dead_letters l
           where l.bot_id = $1 and l.reader = $5 and l.${isWithin} ${page}`,
          [botId, from, to, limit, reader],
        );
      }
      return engine.readHeavy(
        `select ${entryColumns} from log l where l.bot_id = $1 and l.position in (
           select position from (select position from retry_positions l
             where l.bot_id = $1 and l.reader = $5 and l.${isWithin} ${page}) as retried
           union all
           select position from (select position from log l
             where l.bot_id = $1 and l.${isWithin} and l.position > coalesce((select position
               from readers where bot_id = $1 and name = $5), 0) ${page}) as unread
         ) ${page}`,
        [botId, from, to, limit, reader],
      );
    },

    async attempts(botId, reader, updates, perUpdate) {
      if (updates.length === 0) return { attempts: [], failed: new Map<number, number>() };
      const failures = await engine.readHeavy<NumberedAttempt & { all: number }>(
        `select * from (
           select a.*, count(*) over (partition by position) as "all",
             row_number() over (partition by position order by id desc) as place
           from delivery_attempts a where bot_id = $1 and ${isIn('position', '$2')}
             and error <> '' and reader = $3
         ) as ranked where place <= $4 order by id`,
        [botId, list(updates.map(({ position }) => position)), reader, perUpdate],
      );
      const failedAt = new Map(failures.map((row) => [row.position, row.started_at]));
      const finished = updates.filter(({ isFinished }) => isFinished);
      const found = await deliveries(botId, reader, finished, failedAt);
      const all = new Map([...failures, ...found].map((row) => [row.id, row]));
      return {
        attempts: [...all.values()].sort((a, b) => a.id - b.id).map(toAttempt),
        failed: new Map(failures.map((row) => [row.position, row.all])),
      };
    },
  };
}

function toAttempt(row: NumberedAttempt): StoredAttempt {
  const { id, bot_id, reader, position, update_id, queue, started_at, duration_ms } = row;
  const { status, answer, replay } = row;
  const { text: error, detail: error_detail } = unpackReason(row.error);
  const attempt = { id, bot_id, reader, position, update_id, queue, started_at, duration_ms };
  return { ...attempt, status, error, error_detail, answer, replay };
}
