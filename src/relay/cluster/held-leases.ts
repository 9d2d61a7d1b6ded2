import type { RelayMetrics } from '../../core/stats/relay-metrics.ts';
import type { HeldLease } from '../../store/cluster/leases.ts';

export interface LeaseListener {
  gained(leases: readonly HeldLease[]): void;
  /** Another node already has these bots. */
  lost(botIds: readonly number[]): void;
  metrics?: Pick<RelayMetrics, 'leasesChanged'>;
}

/**
 * The leases that this node holds, by bot.
 *
 * Invariant: a bot is reported as gained once for each lease, and as lost before the next one.
 */
export class HeldLeases {
  readonly #listener: LeaseListener;
  readonly #epochs = new Map<number, number>();

  constructor(listener: LeaseListener) {
    this.#listener = listener;
  }

  get size(): number {
    return this.#epochs.size;
  }

  epochOf(botId: number): number | undefined {
    return this.#epochs.get(botId);
  }

  botIds(): number[] {
    return [...this.#epochs.keys()];
  }

  all(): HeldLease[] {
    return [...this.#epochs].map(([botId, epoch]) => ({ botId, epoch }));
  }

  holds({ botId, epoch }: HeldLease): boolean {
    return this.#epochs.get(botId) === epoch;
  }

  keep(taken: readonly HeldLease[]): void {
    // Answers to two requests may come in either order.
    const newer = taken.filter(({ botId, epoch }) => epoch > (this.#epochs.get(botId) ?? 0));
    if (newer.length === 0) return;
    this.drop(newer.map(({ botId }) => botId).filter((botId) => this.#epochs.has(botId)));
    for (const { botId, epoch } of newer) this.#epochs.set(botId, epoch);
    this.#listener.metrics?.leasesChanged('taken', newer.length);
    this.#listener.gained(newer);
  }

  drop(botIds: readonly number[] = this.botIds()): void {
    if (botIds.length === 0) return;
    for (const botId of botIds) this.#epochs.delete(botId);
    this.#listener.metrics?.leasesChanged('lost', botIds.length);
    this.#listener.lost(botIds);
  }

  /** Removes a lease that this node gives back itself. */
  release(botId: number): void {
    this.#epochs.delete(botId);
    this.#listener.metrics?.leasesChanged('released', 1);
  }

  /** Removes all leases when the node leaves for good; nobody is told. */
  clear(): void {
    this.#epochs.clear();
  }

  /** Computes the same checksum as `LeaseSurvey`. */
  checksum(): number {
    let sum = 0;
    for (const [botId, epoch] of this.#epochs) sum += botId * epoch;
    return sum;
  }
}
