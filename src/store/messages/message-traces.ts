/*
 * Reads what is stored about the way of updates after they were received: by position, for all
 * readers of a bot at once. Nothing is written for it.
 */
import { type ReadReason, unpackReason } from '../../core/reasons/stored.ts';
import type { Engine } from '../engine.ts';
import type { LogEntry } from '../log/log-entry.ts';
import { isUsed, isWaitedFor } from '../log/reader-sql.ts';
import { wordsOf } from '../sql/dialect.ts';

export interface TracedReader {
  name: string;
  position: number;
  state: string;
  /** The reader began after this position. */
  opened: number;
  isOn: boolean;
  /** False for a reader of clients through which none has polled. */
  isUsed: boolean;
}

/** An update in a retry queue. */
export interface TracedRetry {
  reader: string;
  position: number;
  queue: string;
  nextAttemptAt: number;
}

export interface TracedDeadLetter {
  id: number;
  reader: string;
  position: number;
  reason: ReadReason;
  attempts: number;
  diedAt: number;
  isReplayed: boolean;
}

export interface TracedAttempt {
  reader: string;
  startedAt: number;
  durationMs: number;
  /** The HTTP status; 0 if there was no answer. */
  status: number;
  /** Its text is '' for a delivery. */
  error: ReadReason;
  isReplay: boolean;
}

export interface MessageTraceRepository {
  /**
   * The position of each stored message's update; null for one that did not come as an update, or
   * that an older version stored.
   */
  positions(
    botId: number,
    chatId: number,
    ids: readonly number[],
  ): Promise<{ id: number; position: number | null; origin: string }[]>;
  /** Returns the updates that the log still has; without text, `raw` is ''. */
  updates(botId: number, positions: readonly number[], withText: boolean): Promise<LogEntry[]>;
  readers(botId: number): Promise<TracedReader[]>;
  retries(
    botId: number,
    readers: readonly string[],
    positions: readonly number[],
  ): Promise<TracedRetry[]>;
  deadLetters(
    botId: number,
    readers: readonly string[],
    positions: readonly number[],
  ): Promise<TracedDeadLetter[]>;
  /** Returns the last failed attempts of an update, oldest first. */
  failures(botId: number, position: number, limit: number): Promise<TracedAttempt[]>;
  /** Finds the deliveries of an update that began within a time. */
  deliveries(
    botId: number,
    position: number,
    between: { fromMs: number; toMs: number },
  ): Promise<TracedAttempt[]>;
}

type TracedAttemptRow = Omit<TracedAttempt, 'error' | 'isReplay'> & {
  error: string;
  replay: number;
};

const attemptColumns = `reader, started_at as "startedAt", duration_ms as "durationMs", status, error,
  replay`;

export function createMessageTraceRepository(engine: Engine): MessageTraceRepository {
  const { isIn, list } = wordsOf[engine.dialect];
  const ofReaders = `bot_id = $1 and ${isIn('reader', '$2', 'text')} and ${isIn('position', '$3')}`;
  const toAttempt = ({ error, replay, ...row }: TracedAttemptRow): TracedAttempt => ({
    ...row,
    error: unpackReason(error),
    isReplay: replay === 1,
  });

  return {
    positions: (botId, chatId, ids) =>
      engine.readRaw(
        `select id, position, origin from messages
         where bot_id = $1 and chat_id = $2 and ${isIn('id', '$3')}`,
        [botId, chatId, list(ids)],
      ),
    updates: (botId, positions, withText) =>
      engine.readRaw<LogEntry>(
        `select position, update_id as "updateId", kind, queue, received_at as "receivedAt",
           ${withText ? 'raw' : `'' as raw`}, claimed_by as "claimedBy"
         from log where bot_id = $1 and ${isIn('position', '$2')}`,
        [botId, list(positions)],
      ),
    async readers(botId) {
      const rows = await engine.readRaw<
        Omit<TracedReader, 'isOn' | 'isUsed'> & { on: number; used: number }
      >(
        `select r.name, r.position, r.state, r.opened,
           case when ${isWaitedFor('r.name')} then 1 else 0 end as "on",
           case when ${isUsed} then 1 else 0 end as used
         from readers r join bots b on b.id = r.bot_id where r.bot_id = $1 order by r.name`,
        [botId],
      );
      return rows.map(({ on, used, ...row }) => ({ ...row, isOn: on === 1, isUsed: used === 1 }));
    },
    retries: (botId, readers, positions) =>
      engine.readRaw<TracedRetry>(
        `select p.reader, p.position, p.queue, coalesce((select q.next_attempt_at
           from retry_queues q where q.bot_id = p.bot_id and q.reader = p.reader
             and q.queue = p.queue), 0) as "nextAttemptAt"
         from retry_positions p where ${ofReaders}`,
        [botId, list(readers), list(positions)],
      ),
    async deadLetters(botId, readers, positions) {
      const rows = await engine.readRaw<
        Omit<TracedDeadLetter, 'reason' | 'isReplayed'> & { reason: string; replayedAt: number }
      >(
        `select id, reader, position, reason, attempts, died_at as "diedAt",
           replayed_at as "replayedAt"
         from dead_letters where ${ofReaders} order by id`,
        [botId, list(readers), list(positions)],
      );
      return rows.map(({ reason, replayedAt, ...row }) => ({
        ...row,
        reason: unpackReason(reason),
        isReplayed: replayedAt > 0,
      }));
    },
    async failures(botId, position, limit) {
      const rows = await engine.readRaw<TracedAttemptRow>(
        `select ${attemptColumns} from delivery_attempts
         where bot_id = $1 and position = $2 and error <> '' order by id desc limit $3`,
        [botId, position, limit],
      );
      return rows.reverse().map(toAttempt);
    },
    async deliveries(botId, position, { fromMs, toMs }) {
      // The time leads to few rows; there is no index by position, because every delivery would
      // write it.
      const rows = await engine.readHeavy<TracedAttemptRow>(
        `select ${attemptColumns} from delivery_attempts
         where started_at >= $1 and started_at <= $2 and bot_id = $3 and position = $4
           and error = '' order by started_at limit 100`,
        [fromMs, toMs, botId, position],
      );
      return rows.map(toAttempt);
    },
  };
}
