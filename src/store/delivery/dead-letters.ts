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
import { wordsOf } from '../sql/dialect.ts';
import { filter, ofBots } from '../sql/filter.ts';

export interface NewDeadLetter {
  bot_id: number;
  reader: string;
  position: number;
  update_id: number;
  kind: string;
  queue: string;
  raw: string;
  reason: string;
  attempts: number;
  received_at: number;
  died_at: number;
}

export interface DeadLetter extends NewDeadLetter {
  id: number;
  reason_detail: Reason | null;
  /** When its replay was requested; 0 while it waits for a person. */
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
  const { isIn, isNotIn, list } = wordsOf[engine.dialect];

  function replayPortion(
    botId: number,
    reader: string,
    ids: readonly number[] | undefined,
    nowMs: number,
  ) {
    return engine.write(function* () {
      const { where, parameters } = filter([
        ['bot_id = ? and reader = ? and replayed_at = 0', botId, reader],
        ids && [isIn('id', '?'), list(ids)],
      ]);
      const letters = yield* raw<{ id: number; position: number; queue: string }>(
        `select id, position, queue from dead_letters ${where} order by id limit ${perPortion}`,
        parameters,
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
      yield* raw(`update dead_letters set replayed_at = $1 where ${isIn('id', '$2')}`, [
        nowMs,
        list(letters.map(({ id }) => id)),
      ]);
      return letters.length;
    });
  }

  return {
    async list({ botIds, reader, beforeId, limit }) {
      if (botIds?.length === 0) return [];
      const { where, parameters } = filter([
        ofBots(engine.dialect, botIds),
        reader !== undefined && ['reader = ?', reader],
        beforeId !== undefined && ['id < ?', beforeId],
      ]);
      const rows = await engine.readRaw<DeadLetter>(
        `select * from dead_letters ${where} order by id desc limit $${parameters.push(limit)}`,
        parameters,
      );
      return rows.map((row) => {
        const { text, detail } = unpackReason(row.reason);
        return { ...row, reason: text, reason_detail: detail };
      });
    },
    async count(botId, reader, ids) {
      const { where, parameters } = filter([
        ['bot_id = ? and reader = ?', botId, reader],
        ids && [isIn('id', '?'), list(ids)],
      ]);
      const [row] = await engine.readRaw<{ count: number }>(
        `select count(*) as count from dead_letters ${where}`,
        parameters,
      );
      return row?.count ?? 0;
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
        const parameters = [botId, reader, ...(ids ? [list(ids)] : [])];
        const some = (which: string) => `exists (
          select 1 from dead_letters where bot_id = $1 and reader = $2 and ${which})`;
        const [found] = yield* raw<{ discarded: unknown; kept: unknown }>(
          `select ${some(ids ? isIn('id', '$3') : 'true')} as discarded,
             ${some(ids ? isNotIn('id', '$3') : 'false')} as kept`,
          parameters,
        );
        // This comes before the letters, as in a commit of deliveries.
        if (found?.discarded && !found.kept) yield* forgetRefused(botId, reader);
        const rows = yield* raw(
          `delete from dead_letters where bot_id = $1 and reader = $2
             ${ids ? `and ${isIn('id', '$3')}` : ''}
           returning id`,
          parameters,
        );
        return rows.length;
      }),
  };
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
