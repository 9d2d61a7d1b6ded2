import type { Engine, Step } from '../engine.ts';

// Deleting in portions keeps other writes from waiting for a bot with a million messages.
const rowsPerDelete = 2_000;
const deadlineMs = 60_000;

/**
 * A table of rows that belong to bots, the columns that identify a row, and the condition for the
 * rows of the bot `$1`, if it is not `bot_id = $1`.
 */
export type Portioned = readonly [table: string, columns: string, ofBot?: string];

/** Deletes a bot's rows of these tables, as long as `condition` on the row of the bot holds. */
export async function deletePortions(
  engine: Engine,
  tables: readonly Portioned[],
  botId: number,
  condition = 'true',
): Promise<void> {
  for (const [table, columns, ofBot = 'bot_id = $1'] of tables) {
    const sql = `delete from ${table} where ${ofBot} and (${columns}) in
      (select ${columns} from ${table} where ${ofBot}
       and exists (select 1 from bots where id = $1 and ${condition}) limit ${rowsPerDelete})`;
    const deleteSome = function* (): Step<number> {
      return (yield { sql, parameters: [botId] }).changes;
    };
    while ((await engine.write(deleteSome, { deadlineMs })) === rowsPerDelete);
  }
}
