import type { Engine } from '../engine.ts';

/** How often customers gave a rating while somebody had the conversation. */
export interface RatingCount {
  rating: number;
  /** `user:3` or `person:5001`; '' for nobody. */
  assignee: string;
  name: string;
  count: number;
}

export interface RatingReads {
  /** The ratings of a bot's customers, or of one of them; chat 0 means all. */
  ratings(
    scope: { botId: number; chatId: number },
    range: readonly [fromMs: number, toMs: number],
  ): Promise<RatingCount[]>;
  /** The number of ratings since then and their sum, by desk. */
  ratingsOfDesks(sinceMs: number): Promise<Map<number, { count: number; sum: number }>>;
}

export function createRatingReads(engine: Engine): RatingReads {
  return {
    async ratings({ botId, chatId }, [fromMs, toMs]) {
      const rows = await engine.readRaw<RatingCount>(
        `select rating, assignee, max(assignee_name) as name, count(*) as count from desk_ratings
         where bot_id = $1 and rated_at >= $2 and rated_at < $3 and rating > 0
           and chat_id between $4 and $5
         group by rating, assignee`,
        [botId, fromMs, toMs, ...(chatId === 0 ? [1, Number.MAX_SAFE_INTEGER] : [chatId, chatId])],
      );
      return rows.map((row) => ({ ...row, count: Number(row.count) }));
    },
    async ratingsOfDesks(sinceMs) {
      const rows = await engine.readRaw<{ id: number; count: number; sum: number }>(
        `select desk_id as id, count(*) as count, sum(rating) as sum from desk_ratings
         where desk_id is not null and rated_at >= $1 and rating > 0 group by desk_id`,
        [sinceMs],
      );
      return new Map(
        rows.map(({ id, count, sum }) => [id, { count: Number(count), sum: Number(sum) }]),
      );
    },
  };
}
