/*
 * Keeps the pulse going: ends a slice when its time is over, tells the other nodes what was counted
 * here, and looks now and then at what waits for the backends of this node's bots.
 */
import type { Clock } from '../../clock.ts';
import type { BotStatus } from '../../core/ports.ts';
import { sliceMs, type Vitals } from '../../core/stats/live-metrics.ts';
import type { Notifications } from '../../store/cluster/notifications.ts';

interface FeedDeps {
  vitals: Vitals;
  clock: Clock;
  notifications: Notifications;
  /** With the embedded database there is nobody to tell. */
  alone: boolean;
  /** The bots that this node forwards updates of. */
  forwarded(): number[];
  deliveries(
    botIds: readonly number[],
  ): Promise<ReadonlyMap<number, Pick<BotStatus, 'pendingUpdates'>>>;
}

const slicesPerLook = 5;
// A hint has to fit into one notification of the database.
const rowsPerHint = 50;
// A timer may come a little before its time: the rest of that slice is not one more slice.
const earlyMs = 20;

export function feedVitals(deps: FeedDeps, signal: AbortSignal): void {
  const { alone, clock, notifications, vitals } = deps;
  let turns = 0;
  let cancel = () => {};

  async function lookAtBacklog(): Promise<void> {
    const statuses = await deps.deliveries(deps.forwarded());
    vitals.backlog(new Map([...statuses].map(([id, status]) => [id, status.pendingUpdates])));
  }

  function turn(): void {
    const { slot, rows } = vitals.turn();
    for (let from = 0; !alone && from < rows.length; from += rowsPerHint) {
      notifications.publish('vitals', { slot, rows: rows.slice(from, from + rowsPerHint) });
    }
    // While the database does not answer, what was seen last holds.
    if (turns++ % slicesPerLook === 0) void lookAtBacklog().catch(() => {});
    next();
  }

  function next(): void {
    if (signal.aborted) return;
    const intoSlice = (clock.now() + earlyMs) % sliceMs;
    cancel = clock.after(sliceMs - intoSlice + earlyMs, turn);
  }

  notifications.subscribe('vitals', ({ slot, rows }) => vitals.merge(slot, rows));
  signal.addEventListener('abort', () => cancel(), { once: true });
  next();
}
