import type { Clock } from '../../clock.ts';
import type { LeaseRepository } from '../../store/cluster/leases.ts';

const deadAfterMs = 9_000;

/**
 * The nodes as this one sees them: a node lives while its heartbeat changes, by the clock of the
 * node that watches.
 */
export class NodeView {
  readonly #clock: Clock;
  readonly #leases: Pick<LeaseRepository, 'nodes'>;
  readonly #seen = new Map<string, { mark: string; at: number }>();
  #hasObserved = false;
  #known: string[] = [];
  #dead: string[] = [];

  constructor(clock: Clock, leases: Pick<LeaseRepository, 'nodes'>) {
    this.#clock = clock;
    this.#leases = leases;
  }

  get known(): readonly string[] {
    return this.#known;
  }

  get dead(): readonly string[] {
    return this.#dead;
  }

  async observe(ownId: () => string): Promise<void> {
    const nodes = await this.#leases.nodes();
    const now = this.#clock.monotonic();
    for (const { id, incarnation: start, heartbeats: count } of nodes) {
      const mark = `${start} ${count}`;
      if (this.#seen.get(id)?.mark !== mark) this.#seen.set(id, { mark, at: now });
    }
    this.#hasObserved = true;
    this.#known = nodes.map((node) => node.id);
    for (const id of this.#seen.keys()) if (!this.#known.includes(id)) this.#seen.delete(id);
    // The list must come from what was just read: after this node was suspended, all others seem
    // silent.
    const alive = this.living(ownId());
    this.#dead = this.#known.filter((id) => !alive.includes(id));
  }

  /** Lists the nodes seen alive, beginning with this one. */
  living(ownId: string): string[] {
    const now = this.#clock.monotonic();
    const isAlive = ({ at }: { at: number }) => now - at < deadAfterMs;
    const others = [...this.#seen].filter(([id, seen]) => id !== ownId && isAlive(seen));
    return [ownId, ...others.map(([id]) => id)];
  }

  mayLive(id: string, ownId: string): boolean {
    return !this.#hasObserved || this.living(ownId).includes(id);
  }
}
