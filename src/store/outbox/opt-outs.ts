import type { BroadcastOptions } from '../../core/messages/broadcast.ts';
import { type Engine, raw } from '../engine.ts';

export interface OptOutWord {
  botId: number;
  word: string;
  reply: string;
  since: number;
}

export interface OptOutRepository {
  /** The words by which people opt out, since when, and the answers to them, the newest broadcast first. */
  optOuts(): Promise<OptOutWord[]>;
  /** Opts out, or takes back what was before that time. False if it changes nothing. */
  mark(botId: number, chatId: number, isOut: boolean, atMs: number): Promise<boolean>;
}

export function createOptOutRepository(engine: Engine): OptOutRepository {
  return {
    async optOuts() {
      const rows = await engine.readRaw<{ botId: number; options: string; since: number }>(
        `select bot_id as "botId", options, min(started_at) as since from broadcasts
         where started_at > 0 group by bot_id, options order by max(id) desc`,
        [],
      );
      return rows.map(({ botId, options, since }) => {
        const { opt_out_word, opt_out_reply } = JSON.parse(options) as BroadcastOptions;
        return { botId, word: opt_out_word, reply: opt_out_reply, since };
      });
    },
    mark: (botId, chatId, isOut, atMs) =>
      engine.write(function* () {
        const changed = yield* isOut
          ? raw(
              `insert into broadcast_marks (bot_id, chat_id, mark, at) values ($1, $2, 'opted_out', $3)
               on conflict (bot_id, chat_id) do update set mark = 'opted_out', at = excluded.at
                 where broadcast_marks.mark <> 'opted_out' or broadcast_marks.at < excluded.at
               returning 1 as one`,
              [botId, chatId, atMs],
            )
          : raw(
              // Who opted out since then stays so: a node that looks back also finds what was asked for before.
              `delete from broadcast_marks where bot_id = $1 and chat_id = $2 and at <= $3
               returning 1 as one`,
              [botId, chatId, atMs],
            );
        return changed.length > 0;
      }),
  };
}
