/*
 * Stores the sending limits of bots that all nodes share, by the clock of the database, so that the
 * clocks of the nodes need not agree.
 */
import type { SendClass } from '../../core/messages/send-class.ts';
import { effect, type Engine, raw, type Step } from '../engine.ts';

/** How far a sending limit is used. */
export interface SendBucket {
  /** The time at which it would be unused again. */
  emptyAt: number;
  blockedUntil: number;
  /** 1 is the full rate; each 429 to a send of the relay doubles it, up to 16. */
  slowdown: number;
  slowedAt: number;
}

export const newBucket = (): SendBucket => ({
  emptyAt: 0,
  blockedUntil: 0,
  slowdown: 1,
  slowedAt: 0,
});

/** Identifies a limit of a bot. Chat 0 is the bot as a whole. */
interface LimitKey {
  chatId: number;
  sendClass: SendClass;
}

interface StoredLimit extends LimitKey {
  bucket: SendBucket;
}

export interface SendLimitRepository {
  /**
   * Calls `change` with limits of a bot, which it may change while no other node can. It may be
   * called more than once.
   */
  change<T>(
    botId: number,
    limits: readonly LimitKey[],
    change: (limits: readonly StoredLimit[], nowMs: number) => T,
  ): Promise<T>;
}

interface Row extends SendBucket, LimitKey {
  updatedAt: number;
  now: number;
}

// Sends wait for this, and use their own node's figures if it takes longer.
const deadlineMs = 2_000;

/** PostgreSQL only, because SQLite has one node. */
export function createSendLimitRepository(engine: Engine): SendLimitRepository {
  const locked = (keys: readonly unknown[]) =>
    raw<Row>(
      `select l.chat_id as "chatId", l.class as "sendClass", empty_at as "emptyAt",
         blocked_until as "blockedUntil", slowdown, slowed_at as "slowedAt",
         updated_at as "updatedAt", extract(epoch from clock_timestamp())::float8 * 1000 as now
       from unnest($2::bigint[], $3::text[]) as asked (chat_id, class)
         join send_limits l on l.bot_id = $1 and l.chat_id = asked.chat_id and l.class = asked.class
       order by l.chat_id, l.class for update of l`,
      keys,
    );

  function* rowsOf(botId: number, limits: readonly LimitKey[]): Step<Row[]> {
    const keys = [
      botId,
      limits.map(({ chatId }) => chatId),
      limits.map(({ sendClass }) => sendClass),
    ];
    const rows = yield* locked(keys);
    if (rows.length === limits.length) return rows;
    // All nodes use the same order, so that they cannot deadlock.
    yield* raw(
      `insert into send_limits (bot_id, chat_id, class)
       select $1, chat_id, class from unnest($2::bigint[], $3::text[]) as asked (chat_id, class)
       order by chat_id, class on conflict do nothing`,
      keys,
    );
    return yield* locked(keys);
  }

  return {
    change: (botId, limits, change) =>
      engine.write(
        function* () {
          const byKey = new Map(limits.map((one) => [`${one.chatId} ${one.sendClass}`, one]));
          const rows = yield* rowsOf(botId, [...byKey.values()]);
          const nowMs = Math.max(0, ...rows.map((row) => row.now));
          const found = rows.map((row) => ({
            chatId: row.chatId,
            sendClass: row.sendClass,
            bucket: bucketOf(row, nowMs),
          }));
          const result = change(found, nowMs);
          const column = (of: (limit: StoredLimit) => unknown) => found.map(of);
          yield* effect(
            `update send_limits set empty_at = b.empty_at, blocked_until = b.blocked_until,
             slowdown = b.slowdown, slowed_at = b.slowed_at, updated_at = $2
           from unnest($3::bigint[], $4::text[], $5::float8[], $6::float8[], $7::float8[], $8::float8[])
             as b (chat_id, class, empty_at, blocked_until, slowdown, slowed_at)
           where send_limits.bot_id = $1 and send_limits.chat_id = b.chat_id
             and send_limits.class = b.class`,
            [
              botId,
              nowMs,
              column(({ chatId }) => chatId),
              column(({ sendClass }) => sendClass),
              column(({ bucket }) => bucket.emptyAt),
              column(({ bucket }) => bucket.blockedUntil),
              column(({ bucket }) => bucket.slowdown),
              column(({ bucket }) => bucket.slowedAt),
            ],
          );
          return result;
        },
        { deadlineMs, isApproximate: true },
      ),
  };
}

/**
 * Treats a clock that was set back as one that stood still, because sending would otherwise stop
 * for as long.
 */
function bucketOf({ updatedAt, ...row }: Row, nowMs: number): SendBucket {
  const back = Math.max(0, updatedAt - nowMs);
  return {
    emptyAt: row.emptyAt - back,
    blockedUntil: row.blockedUntil - back,
    slowdown: row.slowdown,
    slowedAt: row.slowedAt - back,
  };
}
