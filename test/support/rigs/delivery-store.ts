import type { Changes } from '../../../src/relay/delivery/plan/plan-types.ts';
import type { LogEntry } from '../../../src/store/log/log-entry.ts';
import type { RetryEntry, RetryQueue } from '../../../src/store/delivery/retry-queues.ts';

/** The stored state of one push reader, in memory. */
export function createDeliveryStore() {
  const queues = new Map<string, RetryQueue>();
  const positions = new Map<number, { queue: string; replay: boolean }>();
  let requests = 0;

  const newRow = (queue: string, wallMs: number): RetryQueue => {
    return { queue, attempts: 0, firstFailedAt: 0, nextAttemptAt: wallMs, requestedAt: 0 };
  };
  const hasPositions = (queue: string) =>
    [...positions.values()].some((row) => row.queue === queue);

  return {
    position: 0,
    state: '',
    queues,
    positions,
    dead: new Set<number>(),
    /** Due first. */
    rows: (limit: number): RetryQueue[] =>
      [...queues.values()]
        .map((row) => ({ ...row }))
        .sort((a, b) => a.nextAttemptAt - b.nextAttemptAt)
        .slice(0, limit),
    requested: (): RetryQueue[] =>
      [...queues.values()].filter((row) => row.requestedAt > 0).map((row) => ({ ...row })),
    /** The entries of a queue, in order. */
    entries(queue: string, log: readonly LogEntry[]): RetryEntry[] {
      return [...positions]
        .filter(([, row]) => row.queue === queue)
        .sort(([a], [b]) => a - b)
        .map(([position, row]) => ({ ...(log[position - 1] as LogEntry), ...row }));
    },
    /** Gives rows back to positions that lost theirs. */
    repair(wallMs: number): void {
      for (const { queue } of positions.values()) {
        if (!queues.has(queue)) queues.set(queue, newRow(queue, wallMs));
      }
    },
    retryNow(wallMs: number): void {
      requests++;
      for (const row of queues.values()) {
        row.nextAttemptAt = wallMs;
        row.requestedAt = requests;
      }
    },
    replay({ position, queue }: LogEntry, wallMs: number): void {
      requests++;
      positions.set(position, { queue, replay: true });
      const row = queues.get(queue) ?? newRow(queue, wallMs);
      queues.set(queue, { ...row, requestedAt: requests });
    },
    /** The effects of the transaction. */
    write(changes: Changes): void {
      for (const [position, row] of changes.positions) {
        if (!row) positions.delete(position);
        else if (!positions.has(position)) positions.set(position, row);
      }
      for (const [name, change] of changes.queues) {
        const known = queues.get(name);
        if (change.kind === 'waiting') {
          const { queue, attempts, firstFailedAt, nextAttemptAt } = change;
          const requestedAt = known?.requestedAt ?? 0;
          queues.set(name, { queue, attempts, firstFailedAt, nextAttemptAt, requestedAt });
        } else if (known && known.requestedAt <= change.requestedAt && !hasPositions(name)) {
          queues.delete(name);
        } else if (known) queues.set(name, { ...known, attempts: 0, firstFailedAt: 0 });
      }
      for (const { position } of changes.deadLetters) this.dead.add(position);
      this.position = changes.cursor.position;
      this.state = changes.cursor.state;
    },
  };
}
