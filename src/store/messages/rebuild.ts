/*
 * Empties the search index and the statistics, and marks all messages of managed bots to be indexed
 * and counted again. The next run continues where it was interrupted.
 */
import { type Engine, raw, type Step } from '../engine.ts';

const deadlineMs = 3_600_000;

/** Returns the number of bots. */
export function beginRebuild(engine: Engine): Promise<number> {
  const emptied = {
    sqlite: `insert into message_search (message_search) values ('delete-all')`,
    postgres: 'truncate message_search',
  };
  return engine.write(
    function* (): Step<number> {
      yield* raw(emptied[engine.dialect]);
      yield* raw('delete from search_queue');
      const managed = yield* raw<{ id: number }>('select id from bots where manage_enabled = 1');
      // Switching management on marks the messages of a bot and deletes what was counted.
      for (const { id } of managed) {
        for (const on of [0, 1]) {
          yield* raw('update bots set manage_enabled = $2 where id = $1', [id, on]);
        }
      }
      return managed.length;
    },
    { deadlineMs },
  );
}
