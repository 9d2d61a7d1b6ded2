/*
 * Counts what was recorded as not counted yet.
 *
 * Invariant: a message leaves `stats_pending` in the transaction that adds it to the counters, so
 * it is counted once, whatever stops in between. One node counts at a time.
 */
import { binaryArray } from '../sql/binary-array.ts';
import { type BackgroundWork, writeFor } from '../background-work.ts';
import { bulkInsert } from '../sql/bulk-insert.ts';
import { type DialectName, type Engine, raw, type Step } from '../engine.ts';
import { takeLock, wordsOf } from '../sql/dialect.ts';
import { applyChatMove } from './stats-moves.ts';
import type { ManagedBot } from '../../core/messages/turns.ts';
import { chatKey, type CountedMessage, fold, saveFolded } from './stats-fold.ts';
import { type StoredTurn, turnOfStored, turns } from './stats-turn.ts';

// Any number works that no other lock of this program has; a trigger of the schema takes the same
// one.
const countingLock = 724_178_234;
const attemptsCursor = 'stats_attempts_counted_to';
/**
 * Attempts written by others get a number before they become visible, so recent ones are left for
 * later.
 */
const settlingMs = 10_000;

/**
 * A portion blocks the writer of SQLite for a few milliseconds only: a message of a private chat
 * changes 16 rows, attempts change one for each bot. On PostgreSQL nobody waits for it, and more
 * messages share counters.
 */
const portions = {
  sqlite: { messages: 60, attempts: 1_000 },
  postgres: { messages: 2_000, attempts: 2_000 },
};

export interface StatsCounting {
  /** How much to count at once while others write. */
  readonly portions: { messages: number; attempts: number };
  /** Returns about how many messages wait. */
  backlog(): Promise<number>;
  /** Counts at most `limit` messages; returns the number. */
  countMessages(limit: number, work?: BackgroundWork): Promise<number>;
  /** Counts at most `limit` stored messages of bots whose management was switched on. */
  backfill(limit: number, work?: BackgroundWork): Promise<number>;
  countAttempts(limit: number, nowMs: number, work?: BackgroundWork): Promise<number>;
  /** Moves the counters of a group that became a supergroup; returns the number of groups moved. */
  applyChatMove(work?: BackgroundWork): Promise<number>;
}

export function createStatsCounting(engine: Engine): StatsCounting {
  const { dialect } = engine;
  return {
    portions: portions[dialect],
    async backlog() {
      const [row] = await engine.readRaw<{ first: number | null; last: number }>(
        `select (select min(seq) from stats_pending) as first,
           (select max(seq) from stats_pending) as last`,
        [],
      );
      return !row || row.first === null ? 0 : row.last - row.first + 1;
    },
    async countMessages(limit, work) {
      if ((await engine.readRaw('select 1 from stats_pending limit 1', [])).length === 0) return 0;
      return await writeFor(engine, work, () => countMessages(dialect, limit));
    },
    async backfill(limit, work) {
      if ((await engine.readRaw('select 1 from stats_backfills limit 1', [])).length === 0) {
        return 0;
      }
      return await writeFor(engine, work, () => backfill(dialect, limit));
    },
    async countAttempts(limit, nowMs, work) {
      // The query follows the order of the key, because PostgreSQL would otherwise search the whole
      // table for rows at its end.
      const next = `select 1 from delivery_attempts where id > coalesce(
        (select cast(value as bigint) from settings where name = '${attemptsCursor}'), 0)
        order by id limit 1`;
      if ((await engine.readRaw(next, [])).length === 0) return 0;
      return await writeFor(engine, work, () => countAttempts(dialect, limit, nowMs));
    },
    async applyChatMove(work) {
      if ((await engine.readRaw('select 1 from stats_moves limit 1', [])).length === 0) return 0;
      return await writeFor(engine, work, function* () {
        return (yield* mayCount(dialect)) ? yield* applyChatMove() : 0;
      });
    },
  };
}

/** Returns false if another node is counting. */
function* mayCount(dialect: DialectName): Step<boolean> {
  if (dialect === 'sqlite') return true;
  const [row] = yield* raw<{ got: boolean }>('select pg_try_advisory_xact_lock($1) as got', [
    countingLock,
  ]);
  return row?.got ?? false;
}

/** Waits for a running count, and blocks others until the transaction ends. */
export function countSingle(dialect: DialectName): Step<void> {
  return takeLock(dialect, 'select pg_advisory_xact_lock($1)', [countingLock]);
}

function* countMessages(dialect: DialectName, limit: number): Step<number> {
  if (!(yield* mayCount(dialect))) return 0;
  const rows = yield* raw<CountedMessage & { seq: number; known: number | null }>(
    `select p.seq, p.bot_id, coalesce(nullif(c.migrated_to, 0), p.chat_id) as chat_id, p.user_id,
       p.date, p.is_media, p.is_own, b.id as known
     from stats_pending p left join bots b on b.id = p.bot_id
     left join chats c on c.bot_id = p.bot_id and c.chat_id = p.chat_id
     order by p.seq limit $1`,
    [limit],
  );
  if (rows.length === 0) return 0;
  const messages = rows.filter((row) => row.known !== null);
  const waiting = yield* waitingOf(dialect, messages);
  yield* saveFolded(dialect, fold(messages, waiting));
  // On PostgreSQL a lower number may become visible later, so only rows that were read are deleted.
  if (dialect === 'sqlite') {
    yield* raw('delete from stats_pending where seq <= $1', [rows.at(-1)?.seq]);
  } else {
    yield* raw('delete from stats_pending where seq = any($1::bigint[])', [
      binaryArray(
        'bigint',
        rows.map((row) => row.seq),
      ),
    ]);
  }
  return rows.length;
}

const chatColumns = { bot_id: 'bigint', chat_id: 'bigint' } as const;

function* waitingOf(
  dialect: DialectName,
  messages: readonly CountedMessage[],
): Step<Map<string, number>> {
  const inTurns = messages.filter(
    ({ is_own }) => is_own !== turns.sent && is_own !== turns.received,
  );
  const chats = [...new Map(inTurns.map((message) => [chatKey(message), message])).values()];
  const waiting = new Map<string, number>();
  if (chats.length === 0) return waiting;
  const { rows, rowParameters } = wordsOf[dialect];
  const found = yield* raw<{ bot_id: number; chat_id: number; since: number }>(
    `select bot_id, chat_id, since from stats_waiting
     where (bot_id, chat_id) in (${rows(chatColumns, 1)})`,
    rowParameters(
      chatColumns,
      chats.map((chat) => [chat.bot_id, chat.chat_id]),
    ),
  );
  for (const row of found) waiting.set(chatKey(row), row.since);
  return waiting;
}

/** Records messages as not counted yet. */
export const addPending = bulkInsert<CountedMessage>({
  table: 'stats_pending',
  columns: {
    bot_id: 'bigint',
    chat_id: 'bigint',
    user_id: 'bigint',
    date: 'bigint',
    is_media: 'integer',
    is_own: 'integer',
  },
});

interface StoredMessage extends StoredTurn {
  bot_id: number;
  date: number;
  media_type: string | null;
}

export const countedMessage = (
  row: StoredMessage,
  bot: Pick<ManagedBot, 'automatic_answers'>,
): CountedMessage => ({
  bot_id: row.bot_id,
  chat_id: row.chat_id,
  user_id: row.user_id,
  date: row.date,
  is_media: row.media_type === null ? 0 : 1,
  is_own: turnOfStored(row, bot),
});

function* backfill(dialect: DialectName, limit: number): Step<number> {
  if (!(yield* mayCount(dialect))) return 0;
  const lock = wordsOf[dialect].lock('for update skip locked');
  const [start] = yield* raw<{ bot_id: number; chat_id: number; message_id: number }>(
    `select bot_id, chat_id, message_id from stats_backfills order by bot_id limit 1 ${lock}`,
  );
  if (!start) return 0;
  const rows = yield* raw<StoredMessage & { id: number } & Pick<ManagedBot, 'automatic_answers'>>(
    `select m.bot_id, m.chat_id, m.id, m.user_id, m.text, m.date, m.media_type, m.extra, m.origin,
       m.author, m.reply_to_message_id, b.automatic_answers
     from messages m join bots b on b.id = m.bot_id
     where m.bot_id = $1 and (m.chat_id, m.id) > ($2, $3) order by m.chat_id, m.id limit $4`,
    [start.bot_id, start.chat_id, start.message_id, limit],
  );
  const last = rows.at(-1);
  if (!last) {
    yield* raw('delete from stats_backfills where bot_id = $1', [start.bot_id]);
    return 1;
  }
  const counted = rows.filter((row) => row.media_type !== 'callback');
  yield* addPending(
    dialect,
    counted.map((row) => countedMessage(row, row)),
  );
  yield* raw('update stats_backfills set chat_id = $1, message_id = $2 where bot_id = $3', [
    last.chat_id,
    last.id,
    start.bot_id,
  ]);
  return rows.length;
}

type DeliveryRow = {
  bot_id: number;
  hour: number;
  delivered: number;
  failed: number;
  duration_ms: number;
};

const addDeliveries = bulkInsert<DeliveryRow>({
  table: 'stats_deliveries',
  columns: {
    bot_id: 'bigint',
    hour: 'bigint',
    delivered: 'bigint',
    failed: 'bigint',
    duration_ms: 'bigint',
  },
  onConflict: `(bot_id, hour) do update set
    delivered = stats_deliveries.delivered + excluded.delivered,
    failed = stats_deliveries.failed + excluded.failed,
    duration_ms = stats_deliveries.duration_ms + excluded.duration_ms`,
});

function* countAttempts(dialect: DialectName, limit: number, nowMs: number): Step<number> {
  if (!(yield* mayCount(dialect))) return 0;
  const [cursor] = yield* raw<{ value: string }>('select value from settings where name = $1', [
    attemptsCursor,
  ]);
  const rows = yield* raw<{
    id: number;
    bot_id: number;
    started_at: number;
    duration_ms: number;
    error: string;
  }>(
    `select id, bot_id, started_at, duration_ms, error from delivery_attempts
     where id > $1 order by id limit $2`,
    [Number(cursor?.value ?? 0), limit],
  );
  const settledBefore = dialect === 'sqlite' ? Number.POSITIVE_INFINITY : nowMs - settlingMs;
  const hours = new Map<string, DeliveryRow>();
  let counted = 0;
  for (const { bot_id, started_at, duration_ms, error } of rows) {
    if (started_at + duration_ms > settledBefore) break;
    counted += 1;
    const hour = Math.floor(started_at / 3_600_000);
    const key = `${bot_id} ${hour}`;
    const row = hours.get(key) ?? { bot_id, hour, delivered: 0, failed: 0, duration_ms: 0 };
    hours.set(key, row);
    if (error === '') row.delivered += 1;
    else row.failed += 1;
    row.duration_ms += duration_ms;
  }
  const last = rows[counted - 1];
  if (!last) return 0;
  yield* addDeliveries(dialect, [...hours.values()]);
  yield* raw(
    `insert into settings (name, value) values ($1, $2)
     on conflict (name) do update set value = excluded.value`,
    [attemptsCursor, String(last.id)],
  );
  return counted;
}
