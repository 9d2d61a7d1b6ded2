/*
 * Keeps this node's share of the bots.
 *
 * Each node sends heartbeats. The other nodes watch the heartbeat change, each by its own clock, so
 * clocks need not agree. A node that missed its heartbeats for 6 s releases its bots by itself,
 * before the others may take them at 9 s. From a node's death until its bots run elsewhere pass the
 * 9 s, the second until the others look, and the start: less than 15 s.
 *
 * Invariants: a bot is reported as gained once for each lease, and as lost before the next one.
 * Answers that arrive after the node released its bots take no bot: the next look takes this node's
 * bots again.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { RelayMetrics } from '../../core/stats/relay-metrics.ts';
import type { RelayError } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import type { HeldLease, LeaseRepository } from '../../store/cluster/leases.ts';
import { newNodeId } from './node-id.ts';

const heartbeatEveryMs = 2_000;
// On a single node, the heartbeat only tells whether the database can be written.
const heartbeatSingleNodeEveryMs = 10_000;
const letGoAfterMs = 6_000;
const deadAfterMs = 9_000;
const lookEveryMs = 1_000;
const takenAtOnce = 500;
const givenAtOnce = 100;
const unreachable = 'the database cannot be reached';
const notYet = 'it has not taken its bots yet';
/** Results of what was in flight may still be stored for this long. */
const lastWritesMs = 2_000;

export interface NodeLeaseOptions {
  leases: Omit<LeaseRepository, 'requireEpoch' | 'ownerOf'>;
  clock: Clock;
  logger: Logger;
  nodeId: string;
  /** No other node can exist (the embedded database is locked to one). */
  singleNode: boolean;
  gained(leases: readonly HeldLease[]): void;
  /** Another node already has these bots. */
  lost(botIds: readonly number[]): void;
  /** This node has more than its share: stop suitable bots and release them. */
  handOff(count: number): void;
  metrics?: Pick<RelayMetrics, 'leasesChanged'>;
}

export interface NodeLease {
  /** Takes the bots that are free, then keeps looking until the signal aborts. */
  start(signal: AbortSignal): Promise<void>;
  /** The nodes seen alive, including this one. */
  living(): string[];
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
  const { leases, clock, logger, singleNode } = options;
  let { nodeId } = options;
  let incarnation = newIncarnation();
  const held = new Map<number, number>();
  const taking = new Set<number>();
  const seen = new Map<string, { mark: string; at: number }>();
  let hasObserved = false;
  let known: string[] = [];
  let dead: string[] = [];
  let heartbeatAt = 0;
  /** This node was silent for so long that others may have taken its bots. */
  let mustCompare = false;
  let entered = false;
  let isRetired = false;
  let failing: string | undefined = notYet;
  let wakeUp: (() => void) | undefined;
  let isAsked = false;
  let cancelWatch = () => {};

  function keep(taken: readonly HeldLease[]): void {
    if (!entered) return;
    // Answers to two requests may come in either order.
    const newer = taken.filter(({ botId, epoch }) => epoch > (held.get(botId) ?? 0));
    if (newer.length === 0) return;
    drop(newer.map(({ botId }) => botId).filter((botId) => held.has(botId)));
    for (const { botId, epoch } of newer) held.set(botId, epoch);
    options.metrics?.leasesChanged('taken', newer.length);
    options.gained(newer);
  }

  function drop(botIds: readonly number[]): void {
    if (botIds.length === 0) return;
    for (const botId of botIds) held.delete(botId);
    options.metrics?.leasesChanged('lost', botIds.length);
    options.lost(botIds);
  }

  async function enter(): Promise<void> {
    entered = false;
    drop([...held.keys()]);
    const startedAt = clock.monotonic();
    await leases.enter(nodeId, incarnation, clock.now());
    heartbeatAt = startedAt;
    entered = true;
    keep(await leases.retake(nodeId));
  }

  async function sendHeartbeat(): Promise<void> {
    const startedAt = clock.monotonic();
    const everyMs = singleNode ? heartbeatSingleNodeEveryMs : heartbeatEveryMs;
    // Only a write shows that the database is back.
    if (failing !== unreachable && startedAt - heartbeatAt < everyMs) return;
    mustCompare ||= isLate();
    if (await leases.heartbeat(nodeId, incarnation, clock.now())) {
      heartbeatAt = startedAt;
      const newer = singleNode ? undefined : await leases.newerSchema();
      if (newer) await retire(newer);
      return;
    }
    // Two processes share a data directory and thus a name: the later one keeps it, this one
    // continues under a new name.
    logger.error(
      { node: nodeId },
      'another node has the same name: set a separate data directory for each',
    );
    nodeId = newNodeId();
    incarnation = newIncarnation();
    await enter();
  }

  /**
   * Leaves all bots to the nodes of the newer version and then stops using the database for good.
   */
  async function retire(why: RelayError): Promise<void> {
    logger.error({ bots: held.size }, why.message);
    failing = why.message;
    isRetired = true;
    entered = false;
    drop([...held.keys()]);
    // If this cannot be written, the others take the bots once they miss this node's heartbeat.
    await leases.leave(nodeId, incarnation).catch((error: unknown) => {
      logger.warn({ code: (error as { code?: unknown }).code }, unreachable);
    });
    clock.after(lastWritesMs, () => leases.refuse(why));
  }

  async function observe(): Promise<void> {
    if (singleNode) return;
    const nodes = await leases.nodes();
    const now = clock.monotonic();
    for (const { id, incarnation: start, heartbeats: count } of nodes) {
      const mark = `${start} ${count}`;
      if (seen.get(id)?.mark !== mark) seen.set(id, { mark, at: now });
    }
    hasObserved = true;
    known = nodes.map((node) => node.id);
    for (const id of seen.keys()) if (!known.includes(id)) seen.delete(id);
    // The list must come from what was just read: after this node was suspended, all others seem
    // silent.
    const alive = living();
    dead = known.filter((id) => !alive.includes(id));
  }

  function isLate(): boolean {
    return !singleNode && clock.monotonic() - heartbeatAt >= letGoAfterMs;
  }

  function living(): string[] {
    const now = clock.monotonic();
    const others = [...seen].filter(([id, { at }]) => id !== nodeId && now - at < deadAfterMs);
    return [nodeId, ...others.map(([id]) => id)];
  }

  async function balance(): Promise<void> {
    const nodes = living();
    const { wanted, mine, checksum, free } = await leases.survey(nodeId, nodes);
    if (mine !== held.size || checksum !== checksumOf(held)) await compare();
    if (!entered) return;
    const share = Math.ceil(wanted / nodes.length);
    // A bot that is being disabled is still held, but it is no reason to give another one away.
    const running = Math.min(mine, held.size);
    if (free > 0 && running < share) {
      const limit = Math.min(takenAtOnce, share - running);
      keep(await leases.take(nodeId, nodes, singleNode ? wanted : limit));
    } else if (running > share) {
      options.handOff(Math.min(givenAtOnce, running - share));
    }
  }

  /** Corrects `held` by the database, which decides which leases this node has. */
  async function compare(): Promise<void> {
    const before = new Map(held);
    const stored = new Map((await leases.held(nodeId)).map((lease) => [lease.botId, lease.epoch]));
    if (!entered) return;
    // Leases that changed while the answer was on its way are left to the next look.
    const gone = [...before]
      .filter(([botId, epoch]) => held.get(botId) === epoch && stored.get(botId) !== epoch)
      .map(([botId]) => botId);
    drop(gone);
    // Leases under this node's name that it does not know: a release failed.
    const orphans = [...stored]
      .filter(([botId]) => !before.has(botId) && !held.has(botId) && !taking.has(botId))
      .map(([botId, epoch]) => ({ botId, epoch }));
    await leases.releaseUnused(nodeId, orphans);
  }

  /**
   * Releases all bots after missed heartbeats, because others may take them before long, even if
   * the database never answers.
   */
  function letGoWhenLate(): void {
    if (!entered || !isLate()) return;
    logger.warn({ bots: held.size }, 'released all bots: the database did not answer in time');
    failing = unreachable;
    entered = false;
    drop([...held.keys()]);
  }

  /**
   * Watches the heartbeat until it is cancelled. A connection that went silent may delay a query
   * for a quarter of an hour. A process that was suspended itself gets a moment to send its
   * heartbeat.
   */
  function watchHeartbeat(): void {
    const leftMs = heartbeatAt + letGoAfterMs - clock.monotonic();
    cancelWatch = clock.after(Math.max(leftMs, lookEveryMs), () => {
      letGoWhenLate();
      watchHeartbeat();
    });
  }

  async function tick(): Promise<void> {
    if (isRetired) return;
    watchHeartbeat();
    try {
      if (!entered) await enter();
      await sendHeartbeat();
      if (mustCompare && entered) await compare();
      mustCompare = false;
      if (entered) await observe();
      if (entered) await balance();
      // The node retired or released its bots while it waited for an answer.
      if (!entered) return;
      // A successful start is logged by "ready"; only recovery is logged here.
      if (failing !== undefined) {
        logger[failing === notYet ? 'debug' : 'info']({ bots: held.size }, 'bots are taken');
      }
      failing = undefined;
    } catch (error) {
      const code = (error as { code?: unknown }).code;
      if (failing === undefined) logger.warn({ code }, unreachable);
      failing = unreachable;
      letGoWhenLate();
    } finally {
      cancelWatch();
    }
  }

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
      if (!signal.aborted) await tick();
    }
  }

  let running: Promise<void> = Promise.resolve();
  return {
    async start(signal) {
      signal.addEventListener('abort', () => wakeUp?.(), { once: true });
      await tick();
      // The first look sees every node row as new; only time shows which nodes are dead.
      running = loop(signal);
    },
    living,
    mayLive: (id) => !hasObserved || living().includes(id),
    known: () => known,
    dead: () => dead,
    async takeOne(botId) {
      const epoch = held.get(botId);
      if (epoch !== undefined) return { botId, epoch };
      if (!entered) return undefined;
      taking.add(botId);
      try {
        const taken = await leases.takeOne(nodeId, living(), botId);
        if (taken && 'epoch' in taken) keep([taken]);
        return taken;
      } finally {
        taking.delete(botId);
      }
    },
    async release(lease) {
      if (held.get(lease.botId) !== lease.epoch) return;
      held.delete(lease.botId);
      options.metrics?.leasesChanged('released', 1);
      await leases.release(nodeId, [lease]);
    },
    leaseEpochOf: (botId) => held.get(botId),
    held: () => [...held.keys()],
    lose({ botId, epoch }) {
      if (held.get(botId) === epoch) drop([botId]);
    },
    nodeId: () => nodeId,
    isUncertain: () => mustCompare || isLate(),
    look() {
      isAsked = true;
      wakeUp?.();
    },
    problem: () => failing,
    async leave() {
      await running;
      const going = [...held].map(([botId, epoch]) => ({ botId, epoch }));
      held.clear();
      await leases.release(nodeId, going);
      await leases.leave(nodeId, incarnation);
    },
  };
}

/** Computes the same checksum as `LeaseSurvey`. */
function checksumOf(held: ReadonlyMap<number, number>): number {
  let sum = 0;
  for (const [botId, epoch] of held) sum += botId * epoch;
  return sum;
}

function newIncarnation(): string {
  return randomBytes(6).toString('base64url');
}
