/* Nodes that share one PostgreSQL, each on its own way to it, and who of them has which bot. */
import { setTimeout as pause } from 'node:timers/promises';
import { loadNodeId } from '../../../src/relay/cluster/node-id.ts';
import { type CuttableProxy, startProxy } from '../../support/database/cuttable-proxy.ts';
import type { Database } from '../../support/database/engines.ts';
import { temporaryFolder } from '../../support/relay-process.ts';
import type { ServiceProcess } from '../../support/service-process.ts';
import { type LeaseWatch, watchLeases } from './lease-watch.ts';
import type { World, WorldBot } from './world.ts';

const evenMs = 45_000;

export interface Node {
  id: string;
  settings: { RELAY_DATA_DIR: string; DATABASE_URL: string };
  folder: ReturnType<typeof temporaryFolder>;
  proxy: CuttableProxy;
  service: ServiceProcess;
}

export interface Cluster {
  nodes: Node[];
  leases: LeaseWatch;
  /** Polls that another one ended with 409. */
  conflicts: { token: string; at: number }[];
  /** When the platform was last asked for updates of a bot. */
  polledAt(bot: WorldBot): number;
  ownedBy(node: Node): WorldBot[];
  /** Starts a node again that has ended. */
  restart(node: Node): Promise<void>;
  /** How long until these bots are released, leased again and polled. */
  takeover(bots: readonly WorldBot[]): Promise<{ ms: number; releasedMs: number }>;
  /** Until every node has its share, so that each fault hits a node at work. */
  untilEven(): Promise<void>;
  /** What all nodes logged so far. */
  log(): string;
  close(): Promise<void>;
}

export async function startCluster(
  world: World,
  database: Database,
  { count, say }: { count: number; say(line: string): void },
): Promise<Cluster> {
  const polledAt = new Map<string, number>();
  const conflicts: Cluster['conflicts'] = [];
  const nodes: Node[] = [];
  let logOfEnded = '';
  world.platform.beforePoll = (token) => polledAt.set(token, performance.now());
  world.platform.onConflict = (token) => conflicts.push({ token, at: performance.now() });
  const closeNodes = async () => {
    for (const { proxy, folder } of nodes) {
      await proxy.close();
      folder.remove();
    }
  };
  let leases: LeaseWatch;
  try {
    for (let index = 0; index < count; index++) {
      const node = await startNode(world, database);
      nodes.push(node);
      world.up(node.service);
    }
    leases = await watchLeases(database);
  } catch (error) {
    await closeNodes();
    throw error;
  }

  const cluster: Cluster = {
    nodes,
    leases,
    conflicts,
    polledAt: ({ token }) => polledAt.get(token) ?? 0,
    ownedBy: (node) => world.bots.filter(({ id }) => leases.lease(id)?.owner === node.id),
    async restart(node) {
      logOfEnded += logOf(node);
      node.service = await world.launch(node.settings);
      world.up(node.service);
    },
    async takeover(bots) {
      const startedAt = performance.now();
      const before = new Map(bots.map(({ id }) => [id, leases.lease(id)?.epoch ?? 0]));
      const laterLeases = ({ id }: WorldBot) =>
        leases.history(id).filter(({ epoch }) => epoch > (before.get(id) ?? 0));
      const isTaken = (bot: WorldBot) => {
        const at = laterLeases(bot).find(({ owner }) => owner !== '')?.at;
        return at !== undefined && (bot.isWebhook || cluster.polledAt(bot) > at);
      };
      const ms = await until(60_000, () => bots.every(isTaken));
      const released = bots.map((bot) => (laterLeases(bot)[0]?.at ?? startedAt) - startedAt);
      return { ms, releasedMs: Math.max(0, ...released) };
    },
    async untilEven() {
      const share = Math.floor(world.bots.length / nodes.length);
      const held = () => nodes.map((node) => cluster.ownedBy(node).length);
      const isEven = () => held().every((bots) => bots >= share);
      const tookMs = Math.round(await until(evenMs, isEven));
      const told = `bots shared out (${held().join(', ')}) after ${tookMs} ms`;
      say(told);
      if (!isEven()) throw new Error(`not every node has its share: ${told}`);
    },
    log: () => logOfEnded + nodes.map(logOf).join(''),
    async close() {
      await leases.stop().catch(() => {});
      await closeNodes();
    },
  };
  return cluster;
}

async function startNode(world: World, database: Database): Promise<Node> {
  const url = new URL(database.databaseUrl);
  const proxy = await startProxy({ host: url.hostname, port: Number(url.port) });
  url.port = String(proxy.port);
  const folder = temporaryFolder();
  const id = loadNodeId(folder.path);
  // So that the database can tell who writes.
  url.searchParams.set('application_name', id);
  const settings = { RELAY_DATA_DIR: folder.path, DATABASE_URL: url.href };
  try {
    return { id, settings, folder, proxy, service: await world.launch(settings) };
  } catch (error) {
    await proxy.close();
    folder.remove();
    throw error;
  }
}

const logOf = ({ service }: Node) => `${service.stdout()}${service.stderr()}\n`;

/** How long that took; at most so long. */
export async function until(timeoutMs: number, isSo: () => boolean): Promise<number> {
  const startedAt = performance.now();
  while (!isSo() && performance.now() - startedAt < timeoutMs) await pause(10);
  return performance.now() - startedAt;
}
