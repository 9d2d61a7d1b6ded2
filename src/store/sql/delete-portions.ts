import type { Engine, Step } from '../engine.ts';

// Deleting in portions keeps other writes from waiting for a bot with a million messages.
const rowsPerDelete = 2_000;
const deadlineMs = 60_000;

/** A table of rows that belong to bots, and the columns that identify the rows of one bot. */
export type Portioned = readonly [table: string, columns: string, owner?: string];

/** Deletes a bot's rows of these tables, as long as `condition` on the row of the bot holds. */
export async function deletePortions(
  engine: Engine,
  tables: readonly Portioned[],
  botId: number,
  condition = 'true',
): Promise<void> {
  for (const [table, columns, owner = 'bot_id'] of tables) {
    const sql = `delete from ${table} where ${owner} = $1 and (${columns}) in
      (select ${columns} from ${table} where ${owner} = $1
       and exists (select 1 from bots where id = $1 and ${condition}) limit ${rowsPerDelete})`;
    const deleteSome = function* (): Step<number> {
      return (yield { sql, parameters: [botId] }).changes;
    };
    while ((await engine.write(deleteSome, { deadlineMs })) === rowsPerDelete);
  }
}
