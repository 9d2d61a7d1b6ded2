/*
 * The sending limits of bots as all nodes share them, in the time of the database, so that the
 * clocks of the nodes need not agree.
 */
import { effect, type Engine, raw, type Step } from '../engine.ts';

/** How far a sending limit is used. */
export interface SendBucket {
  /** When it would be unused again. */
  emptyAt: number;
  blockedUntil: number;
  /** 1 is the full rate; each 429 doubles it, up to 16. */
  slowdown: number;
  slowedAt: number;
}

export const newBucket = (): SendBucket => ({
  emptyAt: 0,
  blockedUntil: 0,
  slowdown: 1,
  slowedAt: 0,
});

export interface SendLimitRepository {
  /**
   * Has `change` look at the buckets of a bot and of these chats (chat 0 is the bot as a whole) and
   * change them, while no other node can. It may be called more than once.
   */
  change<T>(
    botId: number,
    chatIds: readonly number[],
    change: (buckets: ReadonlyMap<number, SendBucket>, nowMs: number) => T,
  ): Promise<T>;
}

interface Row extends SendBucket {
  chatId: number;
  updatedAt: number;
  now: number;
}

// Sends wait for it, and go by their own node's figures when it takes longer.
const deadlineMs = 2_000;

/** PostgreSQL only: elsewhere there is no other node. */
export function createSendLimitRepository(engine: Engine): SendLimitRepository {
  const locked = (botId: number, chatIds: readonly number[]) =>
    raw<Row>(
      `select chat_id as "chatId", empty_at as "emptyAt", blocked_until as "blockedUntil",
         slowdown, slowed_at as "slowedAt", updated_at as "updatedAt",
         extract(epoch from clock_timestamp())::float8 * 1000 as now
       from send_limits where bot_id = $1 and chat_id = any($2::bigint[])
       order by chat_id for update`,
      [botId, chatIds],
    );

  function* rowsOf(botId: number, chatIds: readonly number[]): Step<Row[]> {
    const rows = yield* locked(botId, chatIds);
    if (rows.length === chatIds.length) return rows;
    // In one order on every node, so that none waits for another in a ring.
    yield* raw(
      `insert into send_limits (bot_id, chat_id)
       select $1, chat_id from unnest($2::bigint[]) as asked (chat_id)
       order by chat_id on conflict do nothing`,
      [botId, chatIds],
    );
    return yield* locked(botId, chatIds);
  }

  return {
    change: (botId, chatIds, change) =>
      engine.write(
        function* () {
          const ids = [...new Set([0, ...chatIds])].sort((one, other) => one - other);
          const rows = yield* rowsOf(botId, ids);
          const nowMs = Math.max(0, ...rows.map((row) => row.now));
          const buckets = new Map(rows.map((row) => [row.chatId, bucketOf(row, nowMs)]));
          const result = change(buckets, nowMs);
          const after = rows.map((row) => buckets.get(row.chatId) as SendBucket);
          yield* effect(
            `update send_limits set empty_at = b.empty_at, blocked_until = b.blocked_until,
             slowdown = b.slowdown, slowed_at = b.slowed_at, updated_at = $2
           from unnest($3::bigint[], $4::float8[], $5::float8[], $6::float8[], $7::float8[])
             as b (chat_id, empty_at, blocked_until, slowdown, slowed_at)
           where send_limits.bot_id = $1 and send_limits.chat_id = b.chat_id`,
            [
              botId,
              nowMs,
              rows.map((row) => row.chatId),
              after.map((bucket) => bucket.emptyAt),
              after.map((bucket) => bucket.blockedUntil),
              after.map((bucket) => bucket.slowdown),
              after.map((bucket) => bucket.slowedAt),
            ],
          );
          return result;
        },
        { deadlineMs, isApproximate: true },
      ),
  };
}

/** A clock that was set back counts as one that stood still, or sending would stop for as long. */
function bucketOf({ updatedAt, ...row }: Row, nowMs: number): SendBucket {
  const back = Math.max(0, updatedAt - nowMs);
  return {
    emptyAt: row.emptyAt - back,
    blockedUntil: row.blockedUntil - back,
    slowdown: row.slowdown,
    slowedAt: row.slowedAt - back,
  };
}
