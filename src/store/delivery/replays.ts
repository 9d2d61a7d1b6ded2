/* Queues updates of the log for another delivery, a portion per transaction. */
import { type DialectName, type Engine, raw, type Step } from '../engine.ts';
import type { LogEntry } from '../log/log-entry.ts';
import { wordsOf } from '../sql/dialect.ts';
import { addReplays, type PositionRow } from './retry-queues.ts';

/** The facts that decide about a replay. */
export type Replayable = Pick<LogEntry, 'position' | 'kind' | 'queue' | 'raw' | 'claimedBy'>;

export interface ReplayRepository {
  /**
   * Queues a range of the log for another delivery, as far as the reader has passed it. `queueOf`
   * names the queue of an update; undefined for one that is left out.
   */
  replayRange(
    botId: number,
    reader: string,
    range: {
      from: number;
      to: number;
      queueOf?: (update: Replayable) => Promise<string | undefined>;
    },
    nowMs: number,
  ): Promise<number>;
  /**
   * Queues updates for another delivery that the reader has passed and that wait in no queue.
   * Returns the number.
   */
  replayPositions(
    botId: number,
    reader: string,
    updates: readonly { position: number; queue: string }[],
    nowMs: number,
  ): Promise<number>;
}

function* replayPortion(
  dialect: DialectName,
  { botId, reader, nowMs }: { botId: number; reader: string; nowMs: number },
  updates: readonly { position: number; queue: string }[],
): Step<number> {
  const { isIn, list } = wordsOf[dialect];
  const among = `bot_id = $1 and reader = $2 and ${isIn('position', '$3')}`;
  const parameters = [botId, reader, list(updates.map(({ position }) => position))];
  const waiting = yield* raw<{ position: number }>(
    `select position from retry_positions where ${among}`,
    parameters,
  );
  const [passed] = yield* raw<{ position: number }>(
    'select position from readers where bot_id = $1 and name = $2',
    [botId, reader],
  );
  const known = new Set(waiting.map(({ position }) => position));
  const rows = updates
    .filter(({ position }) => position <= (passed?.position ?? 0) && !known.has(position))
    .map((update): PositionRow => ({ bot_id: botId, reader, ...update, replay: 1 }));
  yield* addReplays(dialect, rows, nowMs);
  yield* raw(`update dead_letters set replayed_at = $4 where ${among} and replayed_at = 0`, [
    ...parameters,
    nowMs,
  ]);
  return rows.length;
}

/** Few at a time, because their texts are kept in memory. */
const perPortion = 100;

export function createReplayRepository(engine: Engine): ReplayRepository {
  return {
    async replayRange(botId, reader, { from, to, queueOf }, nowMs) {
      const rowsUpTo = (columns: string) => `select ${columns} from log
        where bot_id = $1 and position >= $2 and position <= $3 order by position limit ${perPortion}`;
      let total = 0;
      for (let next = from; ; ) {
        // Filters take time and entries never change, so they are applied before the transaction.
        const read = queueOf
          ? await engine.readRaw<Replayable>(
              rowsUpTo('position, kind, queue, raw, claimed_by as "claimedBy"'),
              [botId, next, to],
            )
          : [];
        const queues = new Map<number, string | undefined>();
        for (const update of read) queues.set(update.position, await queueOf?.(update));
        const last = queueOf ? (read.at(-1)?.position ?? 0) : to;
        const { portion, queued } = await engine.write(function* () {
          const [passed] = yield* raw<{ position: number }>(
            'select position from readers where bot_id = $1 and name = $2',
            [botId, reader],
          );
          const rows = yield* raw<{ position: number; queue: string }>(
            rowsUpTo('position, queue'),
            [botId, next, Math.min(last, passed?.position ?? 0)],
          );
          const replays = rows.flatMap(({ position, queue: stored }) => {
            const queue = queueOf ? queues.get(position) : stored;
            return queue === undefined
              ? []
              : [{ bot_id: botId, reader, position, queue, replay: 1 }];
          });
          return { portion: rows, queued: yield* addReplays(engine.dialect, replays, nowMs) };
        });
        total += queued;
        if (portion.length < perPortion) return total;
        next = (portion.at(-1)?.position ?? to) + 1;
      }
    },
    async replayPositions(botId, reader, updates, nowMs) {
      let total = 0;
      for (let from = 0; from < updates.length; from += perPortion) {
        const portion = updates.slice(from, from + perPortion);
        total += await engine.write(() =>
          replayPortion(engine.dialect, { botId, reader, nowMs }, portion),
        );
      }
      return total;
    },
  };
}
