import { registeredHookName } from '../cluster/bot-runtime.ts';
import { deletePortions, type Portioned } from '../sql/delete-portions.ts';
import { countedTables } from '../stats/stats-moves.ts';
import { withdrawSteps } from '../routing/withdraw-desk-steps.ts';
import { changes, type Engine, raw, type Step } from '../engine.ts';
import { takeLock } from '../sql/dialect.ts';

const ofBroadcasts = 'broadcast_id in (select id from broadcasts where bot_id = $1)';
const pairKey = 'chat_id, message_id, connection, peer_chat_id, peer_message_id, peer_connection';
// The rows of other tables are deleted with the bot's own row.
const largeTables: readonly Portioned[] = [
  ['messages', 'chat_id, id'],
  ['guest_messages', 'position'],
  ['topics', 'chat_id, thread_id'],
  ['chat_reads', 'chat_id, user_id'],
  ['topic_reads', 'chat_id, thread_id, user_id'],
  ['desk_topics', 'id'],
  ['desk_ratings', 'id'],
  ['log', 'position'],
  ['app_messages', 'chat_id, message_id'],
  ['seen_ranges', 'first_id'],
  ['delivery_attempts', 'id'],
  ['broadcast_recipients', 'broadcast_id, chat_id', ofBroadcasts],
  ['broadcast_marks', 'chat_id'],
  ['outbox', 'id'],
  ['route_decisions', 'position'],
  ['message_pairs', `${pairKey}, peer_bot_id`],
  ['message_pairs', `${pairKey}, bot_id`, 'peer_bot_id = $1'],
  ...countedTables,
];
/**
 * PostgreSQL checks no reference to the bot in these tables, because the check takes a third of its
 * time for an update, and a transaction that adds rows locks the bot anyway. So these rows are not
 * deleted with the bot's own row.
 */
const uncheckedTables = ['log', 'messages', 'delivery_attempts'] as const;
const deadlineMs = 600_000;

/** Deletes a bot and everything that belongs to it; false if there is no such bot. */
export async function removeBot(engine: Engine, id: number): Promise<boolean> {
  await engine.write(() => withdrawSteps('bot_id', id));
  await deletePortions(engine, largeTables, id);
  const removeRow = function* (): Step<number> {
    // Appends and pushes lock these rows before the bot; another order could deadlock.
    for (const table of ['leases', 'readers', 'log_heads']) {
      const rows = `select 1 from ${table} where bot_id = $1 for update`;
      yield* takeLock(engine.dialect, rows, [id]);
    }
    yield* raw('delete from settings where name = $1', [registeredHookName(id)]);
    const removed = yield* changes('delete from bots where id = $1', [id]);
    // Transactions that added rows have ended by then, and none adds rows to a deleted bot.
    for (const table of uncheckedTables) yield* raw(`delete from ${table} where bot_id = $1`, [id]);
    return removed;
  };
  return (await engine.write(removeRow, { deadlineMs })) > 0;
}
