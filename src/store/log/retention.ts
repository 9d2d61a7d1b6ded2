/* Removes old rows, a portion per transaction, so that no writer waits long. */
import { createPatternTimes, type PatternTimes } from '../../core/search/pattern-time.ts';
import { type Engine, raw } from '../engine.ts';
import { type LogLimits, type TrimOutcome, trimLog } from './trim-log.ts';

export interface LogAge {
  botId: number;
  bytes: number;
  /** The time of receipt of the oldest entry. */
  oldestAt: number;
}

/** Tables whose rows are deleted by age alone. */
const agedRows = {
  seen_ranges: { key: 'bot_id, first_id', where: 'seen_at < $1' },
  delivery_attempts: { key: 'id', where: 'started_at < $1' },
  dead_letters: { key: 'id', where: 'died_at < $1' },
  outbox: { key: 'id', where: `state in ('sent', 'failed', 'unknown') and updated_at < $1` },
  idempotency: { key: 'scope, idempotency_key', where: 'created_at < $1' },
  sessions: { key: 'token_hash', where: 'expires_at < $1' },
  route_decisions: { key: 'id', where: 'created_at < $1' },
  message_pairs: {
    key: 'bot_id, chat_id, message_id, connection, peer_bot_id, peer_chat_id, peer_message_id, peer_connection',
    where: 'created_at < $1',
  },
  route_traffic: { key: 'route_id, hour', where: 'hour * 3600000 < $1' },
  send_limits: { key: 'bot_id, chat_id, class', where: 'updated_at < $1 and blocked_until < $1' },
  app_messages: { key: 'bot_id, chat_id, message_id', where: 'sent_at < $1' },
  app_sends: { key: 'id', where: 'begun_at < $1' },
  questions: { key: 'id', where: `state <> 'open' and callback_at = 0 and ended_at < $1` },
  broadcast_recipients: {
    key: 'broadcast_id, chat_id',
    where: `broadcast_id in (select id from broadcasts
      where state in ('done', 'canceled') and in_outbox = 0 and ended_at < $1)`,
  },
  nodes: {
    key: 'id',
    where: 'seen_at < $1 and not exists (select 1 from leases where owner = nodes.id)',
  },
};
export type AgedTable = keyof typeof agedRows;

export interface RetentionRepository {
  /** Returns true to one caller per period, on any node. */
  startRound(nowMs: number, periodMs: number): Promise<boolean>;
  /** Lists bots whose log is not empty, by ID, after `afterBotId`. */
  logAges(afterBotId: number, limit: number): Promise<LogAge[]>;
  trimLog(botId: number, limits: LogLimits, rows: number): Promise<TrimOutcome>;
  /** Removes at most `rows` rows from before that time; returns the number. */
  removeOlder(table: AgedTable, beforeMs: number, rows: number): Promise<number>;
}

const claimName = 'retention_ran_at';
// Intake waits for the same rows, 10 s at most.
const trimDeadlineMs = 5_000;
// The deadline is long, because nobody waits, and a portion that always times out would never be
// removed.
const deadlineMs = 60_000;

export function createRetentionRepository(
  engine: Engine,
  { asked: patterns }: Pick<PatternTimes, 'asked'> = createPatternTimes(),
): RetentionRepository {
  const { dialect } = engine;

  return {
    startRound: (nowMs, periodMs) =>
      engine.write(function* () {
        const rows = yield* raw(
          `insert into settings (name, value) values ('${claimName}', $1)
           on conflict (name) do update set value = excluded.value
           where cast(settings.value as bigint) <= $2 or cast(settings.value as bigint) > $3
           returning name`,
          [String(nowMs), nowMs - periodMs, nowMs + periodMs],
        );
        return rows.length === 1;
      }),
    logAges: (afterBotId, limit) =>
      engine.readRaw<LogAge>(
        `select h.bot_id as "botId", h.bytes, coalesce((
           select l.received_at from log l
           where l.bot_id = h.bot_id and l.position > h.trimmed_to order by l.position limit 1
         ), 0) as "oldestAt"
         from log_heads h where h.bot_id > $1 and h.last_position > h.trimmed_to
         order by h.bot_id limit $2`,
        [afterBotId, limit],
      ),
    trimLog: (botId, limits, rows) =>
      engine.write(() => trimLog({ botId, limits, rows }, { dialect, patterns }), {
        deadlineMs: trimDeadlineMs,
      }),
    removeOlder: (table, beforeMs, rows) =>
      engine.write(
        function* () {
          const { key, where } = agedRows[table];
          const gone = yield* raw(
            `delete from ${table} where (${key}) in (
             select ${key} from ${table} where ${where} limit $2
           ) returning 1 as one`,
            [beforeMs, rows],
          );
          return gone.length;
        },
        { deadlineMs },
      ),
  };
}
