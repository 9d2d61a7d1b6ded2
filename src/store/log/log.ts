import type { IncomingUpdate } from '../../core/log/update-facts.ts';
import {
  append,
  type AppendAwaits,
  type AppendOutcome,
  type AppendParts,
  type AppendRequest,
} from './append.ts';
import { type DialectName, type Engine, raw, type Step } from '../engine.ts';
import { binaryArrays } from '../sql/binary-array.ts';
import type { LogEntry } from './log-entry.ts';

export interface LogHead {
  lastPosition: number;
  /** Positions up to this one are deleted. */
  trimmedTo: number;
  bytes: number;
}

export interface ReaderRecord {
  name: string;
  position: number;
  /** The reader's own state, as it last stored it. */
  state: string;
  /** Grows when anyone but the reader itself moves it. */
  generation: number;
  updatedAt: number;
}

export interface LogRepository {
  /**
   * Decides the patterns of claims before an append, while no lock is held; undefined if they are
   * decided.
   */
  decideClaims(botId: number, updates: readonly IncomingUpdate[]): Promise<void> | undefined;
  /** SQLite has one writer; on PostgreSQL a second append uses the time for which the first waits. */
  readonly appendsAtOnce: number;
  /** Calls `requests` once, when the transaction begins. */
  append(requests: () => readonly AppendRequest[]): Promise<(AppendOutcome | AppendAwaits)[]>;
  /** Reads in order, from the first position after `after`. */
  read(botId: number, after: number, limit: number): Promise<LogEntry[]>;
  head(botId: number): Promise<LogHead>;
  readers(botId: number): Promise<ReaderRecord[]>;
  findReader(botId: number, name: string): Promise<ReaderRecord | undefined>;
  /** Finds a reader, or creates it at `startAt` (the log's end if left out). */
  openReader(botId: number, name: string, nowMs: number, startAt?: number): Promise<ReaderRecord>;
  /** Stores the times of the chats' last messages (Unix seconds). */
  touchChats(touches: readonly ChatTouch[]): Promise<void>;
}

interface ChatTouch {
  botId: number;
  chatId: number;
  date: number;
}

const touchedAtOnce = 100;

const entryColumns = `position, update_id as "updateId", kind, queue,
  received_at as "receivedAt", raw, claimed_by as "claimedBy"`;

const headSql = `select last_position as "lastPosition", trimmed_to as "trimmedTo", bytes
  from log_heads where bot_id = $1`;
const emptyLog: LogHead = { lastPosition: 0, trimmedTo: 0, bytes: 0 };
const readersSql = `select name, position, state, generation, updated_at as "updatedAt"
  from readers where bot_id = $1`;

export function createLogRepository(engine: Engine, parts: AppendParts): LogRepository {
  const readSql = `select ${entryColumns} from log
    where bot_id = $1 and position > $2 order by position limit $3`;

  return {
    decideClaims: parts.claims.decide,
    appendsAtOnce: engine.isShared ? 2 : 1,
    append(take) {
      let requests: readonly AppendRequest[] | undefined;
      return engine.write(() => append(engine.dialect, parts, (requests ??= take())));
    },
    read: (botId, after, limit) => engine.readRaw<LogEntry>(readSql, [botId, after, limit]),
    async head(botId) {
      const [head] = await engine.readRaw<LogHead>(headSql, [botId]);
      return head ?? emptyLog;
    },
    readers: (botId) => engine.readRaw<ReaderRecord>(`${readersSql} order by name`, [botId]),
    async findReader(botId, name) {
      const [reader] = await engine.readRaw<ReaderRecord>(`${readersSql} and name = $2`, [
        botId,
        name,
      ]);
      return reader;
    },
    openReader: (botId, name, nowMs, startAt) =>
      engine.write(() => findOrMakeReader(botId, name, nowMs, startAt)),
    async touchChats(touches) {
      const sorted = [...touches].sort((a, b) => a.botId - b.botId || a.chatId - b.chatId);
      // Other writes to SQLite wait for one slice only.
      const slice = engine.isShared ? sorted.length : touchedAtOnce;
      for (let from = 0; from < sorted.length; from += slice) {
        const some = sorted.slice(from, from + slice);
        await engine.write(() => touchEach(engine.dialect, some));
      }
    },
  };
}

/** Stores the times in the given order. */
function* touchEach(dialect: DialectName, touches: readonly ChatTouch[]): Step<void> {
  if (dialect === 'postgres') {
    // One statement for all: a thousand busy chats took a thousand round trips, and appends waited
    // for their locks.
    yield* raw(
      `with due as (
         select c.bot_id, c.chat_id, v.at
         from unnest($1::bigint[], $2::bigint[], $3::bigint[])
           with ordinality as v (bot_id, chat_id, at, place)
         join chats c using (bot_id, chat_id) where c.last_message_at < v.at
         order by v.place for no key update of c)
       update chats c set last_message_at = due.at from due
       where c.bot_id = due.bot_id and c.chat_id = due.chat_id`,
      binaryArrays(
        { botId: 'bigint', chatId: 'bigint', at: 'bigint' },
        touches.map(({ botId, chatId, date }) => ({ botId, chatId, at: date * 1000 })),
      ),
    );
    return;
  }
  yield {
    sql: `update chats set last_message_at = $1
      where bot_id = $2 and chat_id = $3 and last_message_at < $1`,
    parameters: [],
    each: touches.map(({ botId, chatId, date }) => [date * 1000, botId, chatId]),
  };
}

/** Returns the end of a bot's log, within a transaction. */
export function* headOf(botId: number): Step<LogHead> {
  const [head] = yield* raw<LogHead>(headSql, [botId]);
  return head ?? emptyLog;
}

/** Finds or creates a reader; run it in the transaction that makes the reader needed. */
export function* findOrMakeReader(
  botId: number,
  name: string,
  nowMs: number,
  startAt?: number,
): Step<ReaderRecord> {
  const find = `${readersSql} and name = $2`;
  const [known] = yield* raw<ReaderRecord>(find, [botId, name]);
  if (known) return known;
  const position = startAt ?? (yield* headOf(botId)).lastPosition;
  yield* raw(
    `insert into readers (bot_id, name, position, opened, created_at, updated_at)
     values ($1, $2, $3, $3, $4, $4) on conflict (bot_id, name) do nothing`,
    [botId, name, position, nowMs],
  );
  const [made] = yield* raw<ReaderRecord>(find, [botId, name]);
  return made ?? { name, position, state: '', generation: 0, updatedAt: nowMs };
}

/**
 * Moves a reader forward; run it in the transaction that stores what it finished. Returns false if
 * someone else moved the reader since it was opened: then it stays at that position.
 */
export function* moveReader(
  botId: number,
  name: string,
  to: { position: number; state: string; generation: number; nowMs: number },
): Step<boolean> {
  const { changes } = yield {
    sql: `update readers set position = $1, state = $2,
        updated_at = case when position = $1 then updated_at else $3 end
      where bot_id = $4 and name = $5 and generation = $6`,
    parameters: [to.position, to.state, to.nowMs, botId, name, to.generation],
  };
  return changes > 0;
}
