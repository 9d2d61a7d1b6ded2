/*
 * Keeps this node's share of the bots.
 *
 * Each node sends heartbeats. The other nodes watch the heartbeat change, each by its own clock, so
 * clocks need not agree. A node that missed its heartbeats for 6 s releases its bots by itself,
 * before the others may take them at 9 s. From a node's death until its bots run elsewhere pass the
 * 9 s, the second until the others look, and the start: less than 15 s.
 *
 * Invariant: answers that arrive after the node released its bots take no bot; the next look takes
 * this node's bots again.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { RelayError } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import type { HeldLease, LeaseRepository } from '../../store/cluster/leases.ts';
import { HeldLeases, type LeaseListener } from './held-leases.ts';
import { newNodeId } from './node-id.ts';
import { NodeView } from './node-view.ts';

const heartbeatEveryMs = 2_000;
// On a single node, the heartbeat only tells whether the database can be written.
const heartbeatSingleNodeEveryMs = 10_000;
const letGoAfterMs = 6_000;
export const lookEveryMs = 1_000;
const takenAtOnce = 500;
const givenAtOnce = 100;
const unreachable = 'the database cannot be reached';
const notYet = 'it has not taken its bots yet';
/** Results of what was in flight may still be stored for this long. */
const lastWritesMs = 2_000;

export interface NodeLeaseOptions extends LeaseListener {
  leases: Omit<LeaseRepository, 'requireEpoch' | 'ownerOf'>;
  clock: Clock;
  logger: Logger;
  nodeId: string;
  /** No other node can exist (the embedded database is locked to one). */
  singleNode: boolean;
  /** This node has more than its share: stop suitable bots and release them. */
  handOff(count: number): void;
}

export class LeaseKeeper {
  readonly held: HeldLeases;
  readonly view: NodeView;
  readonly #options: NodeLeaseOptions;
  readonly #taking = new Set<number>();
  #nodeId: string;
  #incarnation = newIncarnation();
  #heartbeatAt = 0;
  /** This node was silent for so long that others may have taken its bots. */
  #mustCompare = false;
  #entered = false;
  #isRetired = false;
  #failing: string | undefined = notYet;
  #cancelWatch = () => {};

  constructor(options: NodeLeaseOptions) {
    this.#options = options;
    this.#nodeId = options.nodeId;
    this.held = new HeldLeases(options);
    this.view = new NodeView(options.clock, options.leases);
  }

  get nodeId(): string {
    return this.#nodeId;
  }

  /** Undefined if all is well. */
  get problem(): string | undefined {
    return this.#failing;
  }

  get isUncertain(): boolean {
    return this.#mustCompare || this.#isLate();
  }

  living(): string[] {
    return this.view.living(this.#nodeId);
  }

  /** Sends a heartbeat, looks at the other nodes, and takes or gives bots. */
  async tick(): Promise<void> {
    if (this.#isRetired) return;
    this.#watchHeartbeat();
    const { logger, singleNode } = this.#options;
    try {
      if (!this.#entered) await this.#enter();
      await this.#sendHeartbeat();
      if (this.#mustCompare && this.#entered) await this.#compare();
      this.#mustCompare = false;
      if (this.#entered && !singleNode) await this.view.observe(() => this.#nodeId);
      if (this.#entered) await this.#balance();
      // The node retired or released its bots while it waited for an answer.
      if (!this.#entered) return;
      // A successful start is logged by "ready"; only recovery is logged here.
      if (this.#failing !== undefined) {
        const level = this.#failing === notYet ? 'debug' : 'info';
        logger[level]({ bots: this.held.size }, 'bots are taken');
      }
      this.#failing = undefined;
    } catch (error) {
      const code = (error as { code?: unknown }).code;
      if (this.#failing === undefined) logger.warn({ code }, unreachable);
      this.#failing = unreachable;
      this.#letGoWhenLate();
    } finally {
      this.#cancelWatch();
    }
  }

  async takeOne(botId: number): Promise<HeldLease | { owner: string } | undefined> {
    const epoch = this.held.epochOf(botId);
    if (epoch !== undefined) return { botId, epoch };
    if (!this.#entered) return undefined;
    this.#taking.add(botId);
    try {
      const taken = await this.#options.leases.takeOne(this.#nodeId, this.living(), botId);
      if (taken && 'epoch' in taken) this.#keep([taken]);
      return taken;
    } finally {
      this.#taking.delete(botId);
    }
  }

  async release(lease: HeldLease): Promise<void> {
    if (!this.held.holds(lease)) return;
    this.held.release(lease.botId);
    await this.#options.leases.release(this.#nodeId, [lease]);
  }

  /** Releases all bots, so that others take them at once. */
  async leave(): Promise<void> {
    const { leases } = this.#options;
    const going = this.held.all();
    this.held.clear();
    await leases.release(this.#nodeId, going);
    await leases.leave(this.#nodeId, this.#incarnation);
  }

  #keep(taken: readonly HeldLease[]): void {
    if (this.#entered) this.held.keep(taken);
  }

  async #enter(): Promise<void> {
    const { clock, leases } = this.#options;
    this.#entered = false;
    this.held.drop();
    const startedAt = clock.monotonic();
    await leases.enter(this.#nodeId, this.#incarnation, clock.now());
    this.#heartbeatAt = startedAt;
    this.#entered = true;
    this.#keep(await leases.retake(this.#nodeId));
  }

  async #sendHeartbeat(): Promise<void> {
    const { clock, leases, logger, singleNode } = this.#options;
    const startedAt = clock.monotonic();
    const everyMs = singleNode ? heartbeatSingleNodeEveryMs : heartbeatEveryMs;
    // Only a write shows that the database is back.
    if (this.#failing !== unreachable && startedAt - this.#heartbeatAt < everyMs) return;
    this.#mustCompare ||= this.#isLate();
    if (await leases.heartbeat(this.#nodeId, this.#incarnation, clock.now())) {
      this.#heartbeatAt = startedAt;
      const newer = singleNode ? undefined : await leases.newerSchema();
      if (newer) await this.#retire(newer);
      return;
    }
    // Two processes share a data directory and thus a name: the later one keeps it, this one
    // continues under a new name.
    logger.error(
      { node: this.#nodeId },
      'another node has the same name: set a separate data directory for each',
    );
    this.#nodeId = newNodeId();
    this.#incarnation = newIncarnation();
    await this.#enter();
  }

  /**
   * Leaves all bots to the nodes of the newer version and then stops using the database for good.
   */
  async #retire(why: RelayError): Promise<void> {
    const { clock, leases, logger } = this.#options;
    logger.error({ bots: this.held.size }, why.message);
    this.#failing = why.message;
    this.#isRetired = true;
    this.#entered = false;
    this.held.drop();
    // If this cannot be written, the others take the bots once they miss this node's heartbeat.
    await leases.leave(this.#nodeId, this.#incarnation).catch((error: unknown) => {
      logger.warn({ code: (error as { code?: unknown }).code }, unreachable);
    });
    clock.after(lastWritesMs, () => leases.refuse(why));
  }

  #isLate(): boolean {
    const { clock, singleNode } = this.#options;
    return !singleNode && clock.monotonic() - this.#heartbeatAt >= letGoAfterMs;
  }

  async #balance(): Promise<void> {
    const { leases, singleNode } = this.#options;
    const { held } = this;
    const nodes = this.living();
    const { wanted, mine, checksum, free } = await leases.survey(this.#nodeId, nodes);
    if (mine !== held.size || checksum !== held.checksum()) await this.#compare();
    if (!this.#entered) return;
    const share = Math.ceil(wanted / nodes.length);
    // A bot that is being disabled is still held, but it is no reason to give another one away.
    const running = Math.min(mine, held.size);
    if (free > 0 && running < share) {
      const limit = Math.min(takenAtOnce, share - running);
      this.#keep(await leases.take(this.#nodeId, nodes, singleNode ? wanted : limit));
    } else if (running > share) {
      this.#options.handOff(Math.min(givenAtOnce, running - share));
    }
  }

  /** Corrects the held leases by the database, which decides which ones this node has. */
  async #compare(): Promise<void> {
    const { leases } = this.#options;
    const { held } = this;
    const before = new Map(held.all().map((lease) => [lease.botId, lease]));
    const stored = await leases.held(this.#nodeId);
    if (!this.#entered) return;
    const epochs = new Map(stored.map(({ botId, epoch }) => [botId, epoch]));
    // Leases that changed while the answer was on its way are left to the next look.
    const gone = [...before.values()].filter(
      (lease) => held.holds(lease) && epochs.get(lease.botId) !== lease.epoch,
    );
    held.drop(gone.map(({ botId }) => botId));
    // Leases under this node's name that it does not know: a release failed.
    const isOrphan = ({ botId }: HeldLease) =>
      !before.has(botId) && held.epochOf(botId) === undefined && !this.#taking.has(botId);
    await leases.releaseUnused(this.#nodeId, stored.filter(isOrphan));
  }

  /**
   * Releases all bots after missed heartbeats, because others may take them before long, even if
   * the database never answers.
   */
  #letGoWhenLate(): void {
    if (!this.#entered || !this.#isLate()) return;
    this.#options.logger.warn(
      { bots: this.held.size },
      'released all bots: the database did not answer in time',
    );
    this.#failing = unreachable;
    this.#entered = false;
    this.held.drop();
  }

  /**
   * Watches the heartbeat until it is cancelled. A connection that went silent may delay a query
   * for a quarter of an hour. A process that was suspended itself gets a moment to send its
   * heartbeat.
   */
  #watchHeartbeat(): void {
    const { clock } = this.#options;
    const leftMs = this.#heartbeatAt + letGoAfterMs - clock.monotonic();
    this.#cancelWatch = clock.after(Math.max(leftMs, lookEveryMs), () => {
      this.#letGoWhenLate();
      this.#watchHeartbeat();
    });
  }
}

function newIncarnation(): string {
  return randomBytes(6).toString('base64url');
}
