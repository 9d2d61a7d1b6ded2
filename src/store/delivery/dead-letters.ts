/*
 * Stores updates that failed after all retries, each with a copy of its text, until a person
 * decides about them.
 */
import type { Reason } from '../../core/reasons/reason.ts';
import { unpackReason } from '../../core/reasons/stored.ts';
import { forgetRefused } from './backend-health.ts';
import { bulkInsert } from '../sql/bulk-insert.ts';
import { type DialectName, type Engine, raw, type Step } from '../engine.ts';
import { addReplays, type PositionRow } from './retry-queues.ts';
import type { DeadLettersTable } from '../schema/relay-tables.ts';

export type NewDeadLetter = Omit<DeadLettersTable, 'id' | 'replayed_at'>;

export interface DeadLetter extends NewDeadLetter {
  id: number;
  reason_detail: Reason | null;
  replayed_at: number;
}

export interface DeadLetterFilter {
  botIds: readonly number[] | null;
  /** The letters of all readers if left out. */
  reader?: string;
  beforeId?: number;
  limit: number;
}

export interface DeadLetterRepository {
  /** Lists letters, newest first. */
  list(filter: DeadLetterFilter): Promise<DeadLetter[]>;
  /** Counts the letters of the reader, or those of the given letters that belong to it. */
  count(botId: number, reader: string, ids?: readonly number[]): Promise<number>;
  /**
   * Queues letters for another delivery; all of the reader's letters if no IDs are given. Returns
   * the number.
   */
  replay(
    botId: number,
    reader: string,
    ids: readonly number[] | undefined,
    nowMs: number,
  ): Promise<number>;
  discard(botId: number, reader: string, ids: readonly number[] | undefined): Promise<number>;
}

const insertLetters = bulkInsert<NewDeadLetter>({
  table: 'dead_letters',
  columns: {
    bot_id: 'bigint',
    reader: 'text',
    position: 'bigint',
    update_id: 'bigint',
    kind: 'text',
    queue: 'text',
    raw: 'text',
    reason: 'text',
    attempts: 'integer',
    received_at: 'bigint',
    died_at: 'bigint',
  },
});

// The size of one portion of a replay of everything, so that other writes get their turn.
const perPortion = 1_000;

export function createDeadLetterRepository(engine: Engine): DeadLetterRepository {
  const { sql } = engine;

  function replayPortion(
    botId: number,
    reader: string,
    ids: readonly number[] | undefined,
    nowMs: number,
  ) {
    return engine.write(function* () {
      const letters = yield* raw<{ id: number; position: number; queue: string }>(
        `select id, position, queue from dead_letters
         where bot_id = $1 and reader = $2 and replayed_at = 0 ${ids ? `and id in (${numbers(ids)})` : ''}
         order by id limit ${perPortion}`,
        [botId, reader],
      );
      if (letters.length === 0) return 0;
      const rows = letters.map(
        ({ position, queue }): PositionRow => ({
          bot_id: botId,
          reader,
          position,
          queue,
          replay: 1,
        }),
      );
      yield* addReplays(engine.dialect, rows, nowMs);
      yield* raw(
        `update dead_letters set replayed_at = $1 where id in (${numbers(letters.map((l) => l.id))})`,
        [nowMs],
      );
      return letters.length;
    });
  }

  return {
    async list({ botIds, reader, beforeId, limit }) {
      if (botIds?.length === 0) return [];
      let query = sql.selectFrom('dead_letters').selectAll().orderBy('id', 'desc').limit(limit);
      if (botIds) query = query.where('bot_id', 'in', [...botIds]);
      if (reader !== undefined) query = query.where('reader', '=', reader);
      if (beforeId !== undefined) query = query.where('id', '<', beforeId);
      const rows = (await engine.read(query)) as unknown as DeadLetter[];
      return rows.map((row) => {
        const { text, detail } = unpackReason(row.reason);
        return { ...row, reason: text, reason_detail: detail };
      });
    },
    async count(botId, reader, ids) {
      let query = sql
        .selectFrom('dead_letters')
        .select((column) => column.fn.countAll<number>().as('count'))
        .where('bot_id', '=', botId)
        .where('reader', '=', reader);
      if (ids) query = query.where('id', 'in', [...ids]);
      return (await engine.readOne(query))?.count ?? 0;
    },
    async replay(botId, reader, ids, nowMs) {
      let total = 0;
      for (;;) {
        const queued = await replayPortion(botId, reader, ids, nowMs);
        total += queued;
        if (queued < perPortion) return total;
      }
    },
    discard: (botId, reader, ids) =>
      engine.write(function* () {
        const some = (which: string) => `exists (
          select 1 from dead_letters where bot_id = $1 and reader = $2 and ${which})`;
        const [found] = yield* raw<{ discarded: unknown; kept: unknown }>(
          `select ${some(ids ? `id in (${numbers(ids)})` : 'true')} as discarded,
             ${some(ids ? `id not in (${numbers(ids)})` : 'false')} as kept`,
          [botId, reader],
        );
        // This comes before the letters, as in a commit of deliveries.
        if (found?.discarded && !found.kept) yield* forgetRefused(botId, reader);
        const rows = yield* raw(
          `delete from dead_letters where bot_id = $1 and reader = $2
             ${ids ? `and id in (${numbers(ids)})` : ''}
           returning id`,
          [botId, reader],
        );
        return rows.length;
      }),
  };
}

/**
 * IDs are numbers by type and checked again here, because they become part of the statement's text.
 */
function numbers(ids: readonly number[]): string {
  return ids.length === 0 ? '0' : ids.map((id) => Math.trunc(Number(id))).join(', ');
}

export function addDeadLetters(
  dialect: DialectName,
  letters: readonly NewDeadLetter[],
): Step<unknown> {
  return insertLetters(dialect, letters);
}

/**
 * Removes letters whose replay was delivered, or became a dead letter once more and is written
 * again.
 */
export function* removeDeadLetter(botId: number, reader: string, position: number): Step<void> {
  yield* raw('delete from dead_letters where bot_id = $1 and reader = $2 and position = $3', [
    botId,
    reader,
    position,
  ]);
}
