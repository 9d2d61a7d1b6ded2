import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, vi } from 'vitest';
import { loadNodeId } from '../../../src/relay/cluster/node-id.ts';
import type { DialectName } from '../../../src/store/engine.ts';
import { temporaryFolder } from '../../support/relay-process.ts';
import { seeded } from '../../support/seeded.ts';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.ts';
import { message } from './held-platform.ts';
import { checkOrder, duplicatesOf, inspect, mostRepeated, readLog } from './reconcile.ts';
import { addBot, createStage } from './stage.ts';

const token = '7801:AAapps_kill';
const connections = 8;
const chats = [11, 12, 13, 14, 15, 16];
const allowed = mostRepeated(chats.length, connections);
const maxBehind = 60;

interface Dealt {
  id: number;
  chat: number;
  text: string;
}

interface KilledApp {
  name: string;
  settings: object;
  wants(update: Dealt): boolean;
}

const isOrder = ({ text }: Dealt) => text.startsWith('/order');
const isTea = ({ text }: Dealt) => text.startsWith('tea');

/** What the exclusive app claims is for no other. */
const pushed: KilledApp[] = [
  { name: 'push-all', settings: {}, wants: (update) => !isOrder(update) },
  { name: 'push-tea', settings: { filter: { keywords: ['tea'] } }, wants: isTea },
];
const polled: KilledApp[] = [
  { name: 'poll-all', settings: {}, wants: (update) => !isOrder(update) },
  {
    name: 'poll-some-chats',
    settings: { filter: { chat_ids: [11, 12, 13] } },
    wants: (update) => update.chat <= 13 && !isOrder(update),
  },
  {
    name: 'poll-orders',
    settings: { filter: { commands: ['/order'] }, exclusive: true },
    wants: isOrder,
  },
];

/**
 * Kills the node that runs a bot with five apps again and again under load, and accounts for every
 * update of every app. With several nodes the others take the bot over.
 */
export async function killWithApps({
  dialect,
  nodes: count,
  kills,
  seed,
}: {
  dialect: DialectName;
  nodes: number;
  kills: number;
  seed: number;
}): Promise<string> {
  const { database, platform, sink } = await createStage(dialect);
  const random = seeded(seed);
  const folders = Array.from({ length: count }, (_, index) =>
    index === 0 ? { path: database.dataDir, remove() {} } : temporaryFolder(),
  );
  const nodes: (ServiceProcess | undefined)[] = [];
  const lives: number[] = [];
  const dealt: Dealt[] = [];
  const pulled = new Map(polled.map(({ name }) => [name, [] as number[]]));
  // Nothing comes before all apps are there.
  let isDealing = false;
  let isOver = false;
  onTestFinished(() => {
    [isDealing, isOver] = [false, true];
    for (const folder of folders) folder.remove();
  });

  async function start(index: number): Promise<ServiceProcess> {
    const settings = { ...database.settings, RELAY_DATA_DIR: folders[index]?.path ?? '' };
    const node = await startServiceProcess(
      { settings },
      { TELEGRAM_API_URL: platform.url, RELAY_PUSH_CONNECTIONS: String(connections) },
    );
    nodes[index] = node;
    return node;
  }

  /** Always some more than are delivered, so that every kill meets all apps at work. */
  const toPushAll = new Set<number>();
  function topUp(): void {
    while (isDealing && dealt.length - toPushAll.size < maxBehind) {
      const id = 1_000 + dealt.length;
      const kind = random();
      const text = `${kind < 0.2 ? '/order' : kind < 0.6 ? 'tea' : 'note'} ${id}`;
      const chat = chats[Math.floor(random() * chats.length)] as number;
      dealt.push({ id, chat, text });
      // What is claimed never arrives at the app that sets the pace.
      if (text.startsWith('/order')) toPushAll.add(id);
      platform.deal(token, message(id, chat, text));
    }
  }
  platform.beforePoll = topUp;
  sink.respond = ({ path, updateId }, response) => {
    if (path === '/push-all') toPushAll.add(updateId);
    topUp();
    setTimeout(() => response.writeHead(200).end(), random() * 4);
  };

  /** A client that keeps its offset and asks any node. */
  async function pull(name: string, standIn: string): Promise<void> {
    const seen = pulled.get(name) as number[];
    while (!isOver) {
      const live = nodes.filter((node) => node !== undefined);
      const node = live[Math.floor(random() * live.length)];
      const offset = seen.length > 0 ? (seen.at(-1) as number) + 1 : 0;
      const path = `/bot${standIn}/getUpdates?timeout=1&limit=40&offset=${offset}`;
      try {
        const signal = AbortSignal.timeout(5_000);
        const answer = await node?.request(path, { key: '', signal });
        const body = (await answer?.json()) as { result?: { update_id: number }[] } | undefined;
        if (!body?.result) await pause(20);
        for (const { update_id } of body?.result ?? []) seen.push(update_id);
      } catch {
        // Killed meanwhile, or still starting.
        await pause(20);
      }
    }
  }

  async function owner(): Promise<number> {
    if (count === 1) return 0;
    const rows = await inspect(database, (engine) =>
      engine.readRaw<{ owner: string }>('select owner from leases', []),
    );
    return folders.findIndex((folder) => loadNodeId(folder.path) === rows[0]?.owner);
  }

  async function takenOver(from: number): Promise<void> {
    const others = folders.flatMap((_folder, index) => (index === from ? [] : [index]));
    await vi.waitFor(async () => expect(others).toContain(await owner()), {
      interval: 200,
    });
  }

  lives.push(0);
  const first = await start(0);
  await Promise.all(folders.slice(1).map((_folder, index) => start(index + 1)));
  const { id: bot_id } = await addBot(first, { token });
  const add = ({ name, settings }: KilledApp, more: object) =>
    first.call<{ token: string }>('/api/bots/apps/add', { bot_id, name, ...settings, ...more });
  for (const app of pushed) {
    await add(app, { mode: 'webhook', backend_url: `${sink.url}/${app.name}` });
  }
  const clients: Promise<void>[] = [];
  for (const app of polled) clients.push(pull(app.name, (await add(app, {})).token));
  isDealing = true;
  topUp();

  for (let kill = 0; kill < kills; kill++) {
    await sink.reached(sink.arrivals.length + 50 + Math.floor(random() * 250));
    const victim = await owner();
    const node = nodes[victim] as ServiceProcess;
    nodes[victim] = undefined;
    await node.crash();
    // What it sent last still belongs to its life.
    if (count === 1) await sink.quiet();
    lives.push(sink.arrivals.length);
    if (count > 1) await takenOver(victim);
    await start(victim);
  }
  await sink.reached(sink.arrivals.length + 50);
  isDealing = false;

  const wantedBy = ({ wants }: KilledApp) => dealt.filter(wants).map(({ id }) => id);
  const arrivedAt = ({ name }: KilledApp) =>
    sink.arrivals.filter(({ path }) => path === `/${name}`).map(({ updateId }) => updateId);
  const sorted = (ids: Iterable<number>) => [...new Set(ids)].sort((a, b) => a - b);
  await vi.waitFor(
    () => {
      for (const app of pushed) expect(sorted(arrivedAt(app))).toEqual(wantedBy(app));
      // A client that keeps its offset gets nothing twice, whatever happened to the relay.
      for (const app of polled) expect(pulled.get(app.name)).toEqual(wantedBy(app));
    },
    { interval: 100 },
  );
  isOver = true;
  await Promise.all(clients);
  for (const node of nodes) {
    expect(await node?.stop('SIGTERM')).toMatchObject({ code: 0, stderr: '' });
  }

  expect((await readLog(database)).updateIds(token)).toEqual(dealt.map(({ id }) => id));
  expect(checkOrder(sink.arrivals)).toEqual([]);
  const repeats = duplicatesOf(sink.arrivals, lives);
  expect(repeats.mostOfOneBot).toBeLessThanOrEqual(allowed);
  // Among nodes, one whose heartbeat was late restarts its bots.
  if (dialect === 'sqlite') expect(repeats.withinOneLife).toBe(0);
  const shares = [...pushed, ...polled].map((app) => `${app.name} ${wantedBy(app).length}`);
  return (
    `apps on ${dialect}, ${count} node(s), seed ${seed}: ${kills} kills, ${dealt.length} updates (${shares.join(', ')}), ` +
    `lost 0, delivered twice ${repeats.total} (most after one kill, of one app: ${repeats.mostOfOneBot} of ${allowed} allowed)\n`
  );
}
