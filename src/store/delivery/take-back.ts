import { type DialectName, raw, type Step } from '../engine.ts';
import { takeLock } from '../sql/dialect.ts';
import { removeEmptyRetryQueues } from './retry-queues.ts';
import { restartAllowedUpdates } from './webhooks.ts';

/**
 * Removes retry positions and dead letters of updates that a rewound reader reads again, and applies
 * the present choice of kinds to them.
 */
export function* takeBack(
  dialect: DialectName,
  botId: number,
  reader: string,
  position: number,
): Step<void> {
  // The queues are locked in the same order as in replays.
  yield* takeLock(
    dialect,
    'select 1 from retry_queues where bot_id = $1 and reader = $2 order by queue for update',
    [botId, reader],
  );
  for (const table of ['retry_positions', 'dead_letters']) {
    yield* raw(`delete from ${table} where bot_id = $1 and reader = $2 and position > $3`, [
      botId,
      reader,
      position,
    ]);
  }
  yield* removeEmptyRetryQueues(botId, reader);
  yield* restartAllowedUpdates(botId, reader, position);
}
