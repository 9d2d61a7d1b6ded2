import type { HeldLease } from '../../store/cluster/leases.ts';
import { LeaseKeeper, lookEveryMs, type NodeLeaseOptions } from './lease-keeper.ts';

export interface NodeLease {
  /** Takes the bots that are free, then keeps looking until the signal aborts. */
  start(signal: AbortSignal): Promise<void>;
  /** The nodes seen alive, including this one. */
  living(): string[];
  /** True on one of the living nodes, for work that is needed once. */
  isFirst(): boolean;
  /**
   * False for a node that left or is silent. A command has not observed any node, so it assumes
   * that each one lives.
   */
  mayLive(nodeId: string): boolean;
  /** All nodes, and those that are dead, as this node last saw them in the database. */
  known(): readonly string[];
  dead(): readonly string[];
  /**
   * Takes one bot for this node; returns the owner instead if another living node holds the bot.
   */
  takeOne(botId: number): Promise<HeldLease | { owner: string } | undefined>;
  release(lease: HeldLease): Promise<void>;
  leaseEpochOf(botId: number): number | undefined;
  held(): number[];
  /** A write under this lease was refused: another node owns the bot, or the bot was deleted. */
  lose(lease: HeldLease): void;
  nodeId(): string;
  /**
   * This node does not know whether others took its bots: it was suspended, or it waits for the
   * database.
   */
  isUncertain(): boolean;
  /** Looks at once instead of within a second. */
  look(): void;
  /** Undefined if all is well. */
  problem(): string | undefined;
  /** Releases all bots, so that others take them at once. */
  leave(): Promise<void>;
}

export function createNodeLease(options: NodeLeaseOptions): NodeLease {
  const { clock } = options;
  const keeper = new LeaseKeeper(options);
  const { held, view } = keeper;
  let wakeUp: (() => void) | undefined;
  let isAsked = false;
  let running: Promise<void> = Promise.resolve();

  async function loop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await new Promise<void>((resolve) => {
        const cancel = clock.after(lookEveryMs, resolve);
        wakeUp = () => {
          cancel();
          resolve();
        };
        // Someone asked during the last look, which may have missed the reason.
        if (isAsked) wakeUp();
      });
      isAsked = false;
      if (!signal.aborted) await keeper.tick();
    }
  }

  return {
    async start(signal) {
      signal.addEventListener('abort', () => wakeUp?.(), { once: true });
      await keeper.tick();
      // The first look sees every node row as new; only time shows which nodes are dead.
      running = loop(signal);
    },
    living: () => keeper.living(),
    isFirst() {
      const [own = '', ...others] = keeper.living();
      return others.every((id) => own < id);
    },
    mayLive: (id) => view.mayLive(id, keeper.nodeId),
    known: () => view.known,
    dead: () => view.dead,
    takeOne: (botId) => keeper.takeOne(botId),
    release: (lease) => keeper.release(lease),
    leaseEpochOf: (botId) => held.epochOf(botId),
    held: () => held.botIds(),
    lose(lease) {
      if (held.holds(lease)) held.drop([lease.botId]);
    },
    nodeId: () => keeper.nodeId,
    isUncertain: () => keeper.isUncertain,
    look() {
      isAsked = true;
      wakeUp?.();
    },
    problem: () => keeper.problem,
    async leave() {
      await running;
      await keeper.leave();
    },
  };
}
