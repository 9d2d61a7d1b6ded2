/*
 * Adds the counters of a group that became a supergroup to those of the new chat. From then on
 * whatever is counted for the group goes there, too (see stats-count.ts), so nothing is left
 * behind.
 */
import { raw, type Step } from '../engine.ts';
import type { Portioned } from '../sql/delete-portions.ts';

/** Each table has rows for the chat and, under chat 0, for the whole bot. */
export const counters: { table: string; key: string; sums: string[] }[] = [
  { table: 'stats_hours', key: 'hour', sums: ['received', 'sent', 'media'] },
  { table: 'stats_sums', key: 'grain, bucket', sums: ['received', 'sent', 'media'] },
  { table: 'stats_people', key: 'grain, bucket, user_id', sums: ['messages'] },
  { table: 'stats_responses', key: 'day, bucket', sums: ['answers'] },
];

/** All tables of counters for the messages of managed bots. */
export const countedTables: readonly Portioned[] = [
  ...counters.map(({ table, key }) => [table, `chat_id, ${key}`] as const),
  ['stats_waiting', 'chat_id'],
  ['stats_pending', 'seq'],
];

/** Records what must be moved; groups are small, but the append does not wait even for that. */
export function* noteStatsMove(botId: number, chatId: number, toChatId: number): Step<void> {
  yield* raw(
    `insert into stats_moves (bot_id, chat_id, to_chat_id) values ($1, $2, $3)
     on conflict (bot_id, chat_id) do update set to_chat_id = excluded.to_chat_id`,
    [botId, chatId, toChatId],
  );
}

/**
 * Moves the counters of one group; returns the number of groups moved. Run it only while nobody
 * counts.
 */
export function* applyChatMove(): Step<number> {
  const [move] = yield* raw<{ bot_id: number; chat_id: number; to_chat_id: number }>(
    'select bot_id, chat_id, to_chat_id from stats_moves order by bot_id, chat_id limit 1',
  );
  if (!move) return 0;
  const chat = [move.bot_id, move.chat_id];
  for (const { table, key, sums } of counters) {
    const added = sums.map((name) => `${name} = ${table}.${name} + excluded.${name}`);
    yield* raw(
      `insert into ${table} (bot_id, chat_id, ${key}, ${sums.join(', ')})
       select bot_id, $3, ${key}, ${sums.join(', ')} from ${table}
       where bot_id = $1 and chat_id = $2
       on conflict (bot_id, chat_id, ${key}) do update set ${added.join(', ')}`,
      [...chat, move.to_chat_id],
    );
  }
  for (const table of [...counters.map((one) => one.table), 'stats_waiting', 'stats_moves']) {
    yield* raw(`delete from ${table} where bot_id = $1 and chat_id = $2`, chat);
  }
  return 1;
}
