import { type Engine, run, type Step } from './engine.ts';

// Deleting in portions keeps other writes from waiting for a bot with a million messages; what is
// left goes with the bot's own row.
const rowsPerDelete = 2_000;
const deadlineMs = 600_000;
const largeTables = [
  ['messages', 'chat_id, id'],
  ['log', 'position'],
  ['seen_ranges', 'first_id'],
] as const;

/** Deletes a bot and all that hangs on it; false when there is no such bot. */
export async function removeBot(engine: Engine, id: number): Promise<boolean> {
  for (const [table, columns] of largeTables) {
    const portion = `delete from ${table} where bot_id = $1 and (${columns}) in
      (select ${columns} from ${table} where bot_id = $1 limit ${rowsPerDelete})`;
    const deleteSome = function* (): Step<number> {
      return (yield { sql: portion, parameters: [id] }).changes;
    };
    while ((await engine.write(deleteSome, { deadlineMs })) === rowsPerDelete);
  }
  const removeRow = () => run(engine.sql.deleteFrom('bots').where('id', '=', id));
  return (await engine.write(removeRow, { deadlineMs })) > 0;
}
