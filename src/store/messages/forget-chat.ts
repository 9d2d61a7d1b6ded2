/*
 * Deletes what is stored of one chat, a portion per transaction, so that no other writer waits
 * long: messages with their edits, members, warnings with their rule, and statistics.
 *
 * Invariant: a counter leaves the chat and the totals of its bot in one transaction, while nobody
 * counts. So the totals are right at any time, and an interrupted deletion can be continued.
 */
import { withdrawSteps } from '../routing/withdraw-desk-steps.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import { countSingle } from '../stats/stats-count.ts';
import { wholeBot } from '../stats/stats-fold.ts';
import { counters } from '../stats/stats-moves.ts';

const largeTables = [
  ['messages', 'id'],
  ['topics', 'thread_id'],
] as const;
const ofChat = [
  'message_edits',
  'members',
  'warnings',
  'warn_settings',
  'stats_waiting',
  'stats_moves',
  'flood_waits',
  'chat_reads',
  'desk_ratings',
  'topic_reads',
  'chats',
];

/** Returns true if nothing is left. */
export function* forgetSome(
  dialect: DialectName,
  botId: number,
  chatId: number,
  portion: number,
): Step<boolean> {
  for (const [table, key] of largeTables) {
    const gone = yield* raw(
      `delete from ${table} where bot_id = $1 and chat_id = $2 and ${key} in (
         select ${key} from ${table} where bot_id = $1 and chat_id = $2 limit $3
       ) returning 1 as one`,
      [botId, chatId, portion],
    );
    if (gone.length === portion) return false;
  }
  yield* raw(`delete from outbox where state = 'scheduled' and bot_id = $1 and chat_id = $2`, [
    botId,
    chatId,
  ]);
  yield* countSingle(dialect);
  yield* raw('delete from stats_pending where bot_id = $1 and chat_id = $2', [botId, chatId]);
  for (const counter of counters) {
    if ((yield* uncount(counter, botId, chatId, portion)) === portion) return false;
  }
  yield* raw(
    `delete from broadcast_recipients where chat_id = $2
       and broadcast_id in (select id from broadcasts where bot_id = $1)`,
    [botId, chatId],
  );
  // Who opted out of broadcasts stays so: nothing else would keep the next one from them.
  yield* raw(
    `delete from broadcast_marks where bot_id = $1 and chat_id = $2 and mark <> 'opted_out'`,
    [botId, chatId],
  );
  // The topic in the team's forum stays, so that the desk can say there that it leads nowhere.
  yield* withdrawSteps('bot_id', botId, chatId);
  yield* raw(
    `delete from desk_items where topic_id in (
       select id from desk_topics where bot_id = $1 and chat_id = $2)`,
    [botId, chatId],
  );
  yield* raw(
    `update desk_topics set chat_id = -id, name = '', connection = '', from_thread_id = 0,
       card_id = 0, card_shown = ''
     where bot_id = $1 and chat_id = $2`,
    [botId, chatId],
  );
  for (const table of ofChat) {
    yield* raw(`delete from ${table} where bot_id = $1 and chat_id = $2`, [botId, chatId]);
  }
  return true;
}

/** Removes some counters of the chat, also from its bot's totals; returns the number. */
function* uncount(
  { table, key, sums }: (typeof counters)[number],
  botId: number,
  chatId: number,
  portion: number,
): Step<number> {
  const parameters = [botId, chatId, portion];
  const some = `from ${table} where bot_id = $1 and chat_id = $2 order by ${key} limit $3`;
  const less = sums.map((name) => `${name} = ${table}.${name} + excluded.${name}`);
  yield* raw(
    `insert into ${table} (bot_id, chat_id, ${key}, ${sums.join(', ')})
     select bot_id, ${wholeBot}, ${key}, ${sums.map((name) => `-${name}`).join(', ')} ${some}
     on conflict (bot_id, chat_id, ${key}) do update set ${less.join(', ')}`,
    parameters,
  );
  const isNothing = sums.map((name) => `${name} = 0`).join(' and ');
  yield* raw(
    `delete from ${table} where bot_id = $1 and chat_id = ${wholeBot} and ${isNothing}
       and (${key}) in (select ${key} ${some})`,
    parameters,
  );
  const gone = yield* raw(
    `delete from ${table} where bot_id = $1 and chat_id = $2 and (${key}) in (select ${key} ${some})
     returning 1 as one`,
    parameters,
  );
  return gone.length;
}
