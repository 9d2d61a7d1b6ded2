/* Fault 4: a node loses its bots and takes them again, as one that is too busy for its heartbeats. */
import { setTimeout as pause } from 'node:timers/promises';
import { counted, type FaultOptions, type FaultResult } from './result.ts';
import { withAdmin } from './support/admin.ts';
import { heldAgain, underLoad } from './under-load.ts';

const takenForMs = 60_000;
/** From one bot to the next, at most: most are at work again when their turn comes. */
const longestPauseMs = 200;
const heldAgainMs = 30_000;

export function runLeases(options: FaultOptions): Promise<FaultResult> {
  const takenOf = new Map<number, number>();
  return underLoad(options, {
    fault: '4: leases lost and taken again',
    maxDelayMs: heldAgainMs,
    begunAgain: () => Math.max(...takenOf.values()),
    during: ({ recover, world }) =>
      withAdmin(options.database, async (client) => {
        const until = performance.now() + takenForMs * options.pace;
        while (performance.now() < until) {
          const { id = 0 } = world.bots[Math.floor(world.random() * world.bots.length)] ?? {};
          const { rowCount } = await client.query(
            `update leases set owner = '', epoch = epoch + 1 where bot_id = $1 and owner <> ''`,
            [id],
          );
          takenOf.set(id, (takenOf.get(id) ?? 0) + (rowCount ?? 0));
          await pause(world.random() * longestPauseMs);
        }
        return [
          counted(
            'leases taken away',
            [...takenOf.values()].reduce((sum, one) => sum + one, 0),
          ),
          heldAgain(await recover(heldAgainMs), heldAgainMs),
        ];
      }),
  });
}
