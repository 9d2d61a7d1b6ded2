/*
 * Stores the readers of a bot's log as people see them, and lets people move them.
 *
 * Invariant: a reader that was moved gets a new generation, so that its owner's earlier decisions
 * do not overwrite the move.
 */
import { type DialectName, type Engine, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import type { LogHead } from './log.ts';
import { readReaderState, writeReaderState } from '../../core/log/push-progress.ts';
import {
  perReaderKind,
  type ReaderKind,
  readerKind,
  type readerKinds,
} from '../../core/log/reader-kinds.ts';
import { isKnownKind, isOfKind, kindOf } from './reader-sql.ts';
import { readersBehind } from './readers-behind.ts';

export interface ListedReader {
  /** The stored name; see `readerKind`. */
  name: string;
  position: number;
  state: string;
  /** The number of updates that retention deleted before the reader had read them. */
  dropped: number;
  createdAt: number;
  /** When its position last moved, or it was created. */
  updatedAt: number;
  /** The time of receipt of the first update after its position; null if there is none. */
  oldestAt: number | null;
  /** The number of updates in retry queues, which the position of the reader has passed. */
  inRetry: number;
  /** The time of receipt of the first of them; null if there is none. */
  oldestWaitingAt: number | null;
}

export interface ReaderTotals {
  kind: ReaderKind;
  readers: number;
  /** Counts only readers that are on. */
  behind: number;
  dropped: number;
}

export interface ReaderRepository {
  list(botId: number): Promise<ListedReader[]>;
  /** Finds the position before the first update received at that time or later. */
  positionBefore(botId: number, atMs: number, head: LogHead): Promise<number>;
  /** Moves a reader that one node at a time runs; undefined if there is none. */
  rewind(
    botId: number,
    name: string,
    position: number,
    nowMs: number,
  ): Promise<{ before: number } | undefined>;
  /** Removes the readers of this kind from all bots, because nothing reads through them. */
  removeKind(kind: ReaderKind): Promise<void>;
  /** Returns totals over all bots. */
  totals(): Promise<ReaderTotals[]>;
}

/** Runs after a reader moved, in the same transaction, and takes back what it had stored. */
type TakeBack = (
  dialect: DialectName,
  botId: number,
  reader: string,
  position: number,
) => Step<void>;

type RetryingKind = {
  [Kind in ReaderKind]: (typeof readerKinds)[Kind]['retries'] extends true ? Kind : never;
}[ReaderKind];

/** Each kind that retries has to take something back when a reader is rewound. */
export type TakesBack = Record<RetryingKind, TakeBack> & Partial<Record<ReaderKind, TakeBack>>;

// A replayed update may have outlived its log entry.
const oldestWaitingAt = `select coalesce(
    (select l.received_at from log l where l.bot_id = p.bot_id and l.position = p.position),
    (select max(d.received_at) from dead_letters d
     where d.bot_id = p.bot_id and d.reader = p.reader and d.position = p.position))
  from retry_positions p where p.bot_id = r.bot_id and p.reader = r.name
  order by p.position limit 1`;

export function createReaderRepository(engine: Engine, takesBack: TakesBack): ReaderRepository {
  const forUpdate = wordsOf[engine.dialect].lock('for update');

  function* rewind(
    botId: number,
    name: string,
    position: number,
    nowMs: number,
  ): Step<{ before: number } | undefined> {
    // The reader is locked first, as in its owner's commits.
    const [reader] = yield* raw<{ position: number; state: string }>(
      `select position, state from readers where bot_id = $1 and name = $2 ${forUpdate}`,
      [botId, name],
    );
    if (!reader) return undefined;
    // A paused backend stays paused, so that a rewind does not flood it.
    const takeBack = takesBack[readerKind(name)];
    const before = takeBack ? readReaderState(reader.state) : undefined;
    const read = Math.max(
      reader.position,
      before?.readBefore ?? 0,
      before?.finished.at(-1)?.[1] ?? 0,
    );
    const state = writeReaderState({
      finished: [],
      paused: before?.paused ?? false,
      ...(before && read > position ? { readBefore: read } : {}),
    });
    yield* raw(
      `update readers set position = $1, opened = case when opened < $1 then opened else $1 end,
         state = $2, generation = generation + 1, updated_at = $3
       where bot_id = $4 and name = $5`,
      [position, state, nowMs, botId, name],
    );
    if (takeBack) yield* takeBack(engine.dialect, botId, name, position);
    return { before: reader.position };
  }

  async function receivedAt(botId: number, position: number): Promise<number> {
    const [entry] = await engine.readRaw<{ at: number }>(
      'select received_at as at from log where bot_id = $1 and position = $2',
      [botId, position],
    );
    // Retention has just deleted the entry, so it was the oldest.
    return entry?.at ?? 0;
  }

  return {
    list: (botId) =>
      engine.readRaw<ListedReader>(
        `select name, position, state, dropped, created_at as "createdAt",
           updated_at as "updatedAt", (select l.received_at from log l
             where l.bot_id = r.bot_id and l.position > r.position
             order by l.position limit 1) as "oldestAt",
           (select count(*) from retry_positions p
             where p.bot_id = r.bot_id and p.reader = r.name) as "inRetry",
           (${oldestWaitingAt}) as "oldestWaitingAt"
         from readers r where bot_id = $1 order by name`,
        [botId],
      ),
    async positionBefore(botId, atMs, head) {
      // Times of arrival rise with positions, so a binary search finds the position without an
      // index on the time.
      let low = head.trimmedTo;
      let high = head.lastPosition;
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if ((await receivedAt(botId, middle)) < atMs) low = middle;
        else high = middle - 1;
      }
      return low;
    },
    rewind: (botId, name, position, nowMs) =>
      engine.write(() => rewind(botId, name, position, nowMs)),
    async removeKind(kind) {
      await engine.write(() => raw(`delete from readers where ${isOfKind(kind, 'name')}`));
    },
    async totals() {
      const rows = await engine.readHeavy<Omit<ReaderTotals, 'behind'>>(
        `select ${kindOf('r.name')} as kind, count(*) as readers, sum(r.dropped) as dropped
         from readers r where ${isKnownKind('r.name')} group by 1`,
        [],
      );
      const sums = perReaderKind(() => 0);
      if (rows.length > 0) {
        for (const { kind, behind } of await readersBehind(engine)) sums[kind] += behind;
      }
      return rows.map(({ kind, readers, dropped }) => ({
        kind,
        readers: Number(readers),
        behind: sums[kind],
        dropped: Number(dropped),
      }));
    },
  };
}
