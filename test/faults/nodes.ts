/*
 * Fault 4: three nodes share one PostgreSQL. One is killed, one stopped for 40 s, one cut from the
 * database, all restarted in turn and all killed at once, while updates, sends and changes of
 * settings go on.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { loadNodeId } from '../../src/relay/cluster/node-id.ts';
import { telegramLimits } from '../../src/relay/outbox/bucket.ts';
import { turnMs } from '../../src/relay/outbox/chat-queues.ts';
import { type CuttableProxy, startProxy } from '../support/database/cuttable-proxy.ts';
import { temporaryFolder } from '../support/relay-process.ts';
import { seeded } from '../support/seeded.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { type LeaseWatch, watchLeases } from './support/lease-watch.ts';
import { mostBetween, repeatTimes, sentTooMany } from './support/reconcile.ts';
import {
  atMost,
  counted,
  type FaultOptions,
  type FaultResult,
  isSo,
  loggedAt,
  type Mark,
  takeStock,
} from './result.ts';
import { allowedRepeats, createWorld, type World, type WorldBot } from './support/world.ts';

const nodeCount = 3;
const takeoverMs = 15_000;
const gracefulMs = 1_000;
const effectMs = 1_000;
const stoppedMs = 40_000;
const cutMs = 20_000;
const evenMs = 45_000;
const settleMs = 120_000;
/** Twice the time of a takeover. */
const maxDelayMs = 30_000;
const group = -1_000;
/** Bots that get no updates. */
const idleBots = 6;
const longestPollMs = 60_000;
const justPolledMs = 2_000;
/** Long enough for a second poll, should there be one. */
const wokenMs = 10_000;
/** One for each kill on average, as in fault 1, and for the stop. */
const maxUnknown = 5;
/** By how much the arrival of a send may be later than the send, on a busy machine. */
const slackMs = 500;

interface Node {
  settings: { RELAY_DATA_DIR: string; DATABASE_URL: string };
  folder: ReturnType<typeof temporaryFolder>;
  proxy: CuttableProxy;
  id: string;
  service: ServiceProcess;
}

const logOf = ({ service }: Node) => service.stdout() + service.stderr();

export async function runNodes(options: FaultOptions): Promise<FaultResult> {
  const { database, seed, say } = options;
  const beganAt = performance.now();
  const random = seeded(seed);
  const world = await createWorld({ ...options, idle: idleBots });
  const idle = world.bots.slice(-idleBots).filter(({ isWebhook }) => !isWebhook);
  const polledAt = new Map<string, number>();
  const conflicts: { token: string; at: number }[] = [];
  world.platform.beforePoll = (token) => polledAt.set(token, performance.now());
  world.platform.onConflict = (token) => conflicts.push({ token, at: performance.now() });
  const nodes: Node[] = [];
  const marks: Mark[] = [];
  let isOver = false;
  let log = '';
  let watch = undefined as unknown as LeaseWatch;
  const mark = (made: Mark) => {
    marks.push(made);
    say(`${made.name}: ${made.value}${made.ok ? '' : ` MISSED (${made.limit})`}`);
  };

  async function addNode(): Promise<void> {
    const url = new URL(database.databaseUrl);
    const proxy = await startProxy({ host: url.hostname, port: Number(url.port) });
    url.port = String(proxy.port);
    const folder = temporaryFolder();
    const id = loadNodeId(folder.path);
    // So that the database can tell who writes.
    url.searchParams.set('application_name', id);
    const settings = { RELAY_DATA_DIR: folder.path, DATABASE_URL: url.href };
    const service = await world.launch(settings);
    nodes.push({ settings, folder, proxy, service, id });
    world.up(service);
  }

  async function restart(node: Node): Promise<void> {
    log += logOf(node);
    node.service = await world.launch(node.settings);
    world.up(node.service);
  }

  const ownedBy = (node: Node) => world.bots.filter(({ id }) => watch.lease(id)?.owner === node.id);

  async function until(timeoutMs: number, isSo: () => boolean): Promise<number> {
    const startedAt = performance.now();
    while (!isSo() && performance.now() - startedAt < timeoutMs) await pause(10);
    return performance.now() - startedAt;
  }

  /** How long until these bots are released, leased again and polled. */
  async function takeover(bots: readonly WorldBot[]): Promise<{ ms: number; releasedMs: number }> {
    if (bots.length === 0) throw new Error('this node has no bot to take over');
    const startedAt = performance.now();
    const before = new Map(bots.map(({ id }) => [id, watch.lease(id)?.epoch ?? 0]));
    const laterLeases = ({ id }: WorldBot) =>
      watch.history(id).filter(({ epoch }) => epoch > (before.get(id) ?? 0));
    const heldAt = (bot: WorldBot) => laterLeases(bot).find(({ owner }) => owner !== '')?.at;
    const ms = await until(60_000, () =>
      bots.every((bot) => {
        const at = heldAt(bot);
        return at !== undefined && (bot.isWebhook || (polledAt.get(bot.token) ?? 0) > at);
      }),
    );
    const released = bots.map((bot) => (laterLeases(bot)[0]?.at ?? startedAt) - startedAt);
    return { ms, releasedMs: Math.max(0, ...released) };
  }

  /** Until every node has its share, so that each fault hits a node at work. */
  async function untilEven(): Promise<void> {
    const share = Math.floor(world.bots.length / nodeCount);
    const tookMs = await until(evenMs, () => nodes.every((node) => ownedBy(node).length >= share));
    const held = nodes.map((node) => ownedBy(node).length).join(', ');
    say(`bots shared out (${held}) after ${Math.round(tookMs)} ms`);
    await pause(random() * 2_000);
  }

  const conflictsOf = ({ token }: WorldBot) =>
    conflicts.filter((one) => one.token === token).length;

  const someNode = () => nodes[Math.floor(random() * nodes.length)] as Node;

  async function kill(): Promise<void> {
    const victim = someNode();
    const moving = takeover(ownedBy(victim));
    await victim.service.crash();
    mark(atMost('takeover after SIGKILL', (await moving).ms, takeoverMs, ' ms'));
    await restart(victim);
  }

  /** Its poll of a bot without updates stays open at the platform, so the next owner's ends it. */
  async function stop(): Promise<void> {
    const polledNow = ({ token }: WorldBot) =>
      performance.now() - (polledAt.get(token) ?? 0) < justPolledMs;
    await until(longestPollMs, () => idle.some(polledNow));
    const bot = idle.find(polledNow);
    const victim = nodes.find(({ id }) => bot && watch.lease(bot.id)?.owner === id);
    if (!bot || !victim) throw new Error('no bot without updates is polled');
    const moving = takeover(ownedBy(victim));
    const going = pause(stoppedMs);
    const conflictsBefore = conflictsOf(bot);
    victim.service.signal('SIGSTOP');
    mark(atMost('takeover after SIGSTOP', (await moving).ms, takeoverMs, ' ms'));
    world.down(victim.service);
    await going;
    victim.service.signal('SIGCONT');
    world.up(victim.service);
    await pause(wokenMs);
    const made = conflictsOf(bot) - conflictsBefore;
    const name = '409 for the poll that the stopped node left open';
    mark({ name, value: String(made), limit: '1', ok: made === 1 });
  }

  async function cut(): Promise<void> {
    const victim = someNode();
    const moving = takeover(ownedBy(victim));
    const mending = pause(cutMs);
    victim.proxy.cut();
    mark(atMost('takeover after a cut from the database', (await moving).ms, takeoverMs, ' ms'));
    await mending;
    victim.proxy.mend();
  }

  async function rollingRestart(): Promise<void> {
    const times: number[] = [];
    const codes: (number | null)[] = [];
    for (const node of nodes) {
      const moving = takeover(ownedBy(node));
      world.down(node.service);
      const stopping = node.service.stop();
      const { ms, releasedMs } = await moving;
      const { code, tookMs } = await stopping;
      times.push(ms);
      codes.push(code);
      const shown = [releasedMs, ms, tookMs].map((one) => `${Math.round(one)} ms`);
      say(
        `SIGTERM: released after ${shown[0]}, taken over after ${shown[1]}, gone after ${shown[2]}`,
      );
      await restart(node);
      await untilEven();
    }
    mark(atMost('takeover in a rolling restart, slowest', Math.max(...times), gracefulMs, ' ms'));
    mark(atMost('restarts that did not exit with 0', codes.filter((code) => code !== 0).length, 0));
  }

  async function killAll(): Promise<void> {
    const moving = takeover(world.bots);
    await Promise.all(nodes.map(({ service }) => service.crash()));
    const killedAt = performance.now();
    await Promise.all(nodes.map(restart));
    const startedMs = Math.round(performance.now() - killedAt);
    const name = `all killed at once: bots held again (nodes started in ${startedMs} ms)`;
    mark(atMost(name, (await moving).ms, takeoverMs, ' ms'));
  }

  /** A bot of each node, changed through another node; how late the last delivery to the old backend is. */
  async function changeSettings(suffix: string): Promise<void> {
    const late = nodes.map(async (node, index) => {
      const bot = ownedBy(node).find(({ isWebhook }) => !isWebhook) as WorldBot;
      const other = nodes[(index + 1) % nodes.length] as Node;
      const backend_url = world.backendOf(bot, suffix);
      await other.service.call('/api/bots/update', { id: bot.id, backend_url });
      const changedAt = performance.now();
      for (let count = 0; count < 40; count++) {
        world.offer(bot);
        await pause(50);
      }
      await until(10_000, () => bot.unclaimed.every(({ id }) => bot.arrived.has(id)));
      const path = new URL(backend_url).pathname;
      const own = world.pushes.filter((push) => push.bot === bot && push.at > changedAt);
      if (!own.some((push) => push.path === path)) return Number.POSITIVE_INFINITY;
      const old = own.filter((push) => push.path !== path).map(({ at }) => at - changedAt);
      return Math.max(0, ...old);
    });
    const latest = Math.max(...(await Promise.all(late)));
    mark(atMost('changed settings in effect on every node', latest, effectMs, ' ms'));
  }

  async function revokeKeys(): Promise<void> {
    const [first] = nodes as [Node];
    let latest = 0;
    for (const way of ['toggle', 'delete']) {
      const body = { name: `by ${way}`, scope: 'read' };
      const made = await first.service.call<{ id: number; key: string }>(
        '/api/auth/api-keys',
        body,
      );
      const status = async ({ service }: Node) => {
        const answer = await service.request('/api/bots', { key: made.key });
        await answer.arrayBuffer();
        return answer.status;
      };
      const before = await Promise.all(nodes.map(status));
      if (before.some((code) => code !== 200))
        throw new Error(`a new key was answered ${before.join()}`);
      await first.service.call(`/api/auth/api-keys/${way}?id=${made.id}`, {});
      const revokedAt = performance.now();
      for (const node of nodes) {
        while ((await status(node)) !== 401 && performance.now() - revokedAt < 10_000) {
          await pause(20);
        }
      }
      latest = Math.max(latest, performance.now() - revokedAt);
    }
    mark(atMost('revoked keys refused by every node', latest, effectMs, ' ms'));
  }

  /** Sends more than is allowed through one node: to a group, and in bursts to many people. */
  async function sendTooMuch(node: Node, bot: WorldBot): Promise<void> {
    const send = async (chat_id: number) => {
      const body = { bot_id: bot.id, chat_id, text: 'too much' };
      const signal = AbortSignal.timeout(20_000);
      const answer = await node.service.request('/api/messages/send', { body, signal });
      await answer.arrayBuffer();
      return answer.status;
    };
    for (let round = 0; !isOver; round++) {
      const sends = [send(group)];
      if (round % 10 === 0) {
        for (let count = 0; count < 30; count++) {
          sends.push(send(1 + Math.floor(world.random() * 1e6)));
        }
      }
      await Promise.allSettled(sends);
      await pause(1_000);
    }
  }

  try {
    for (let count = 0; count < nodeCount; count++) await addNode();
    watch = await watchLeases(database);
    await world.begin((nodes[0] as Node).service);
    await untilEven();
    const limited = world.bots[1] as WorldBot;
    const sending = Promise.all(nodes.map((node) => sendTooMuch(node, limited)));
    const offering = world.offerAtRate(
      options.perSecond / 2,
      () => Number.POSITIVE_INFINITY,
      () => isOver,
    );
    await revokeKeys();
    await changeSettings('/first');
    for (const fault of [kill, stop, cut, rollingRestart, killAll]) {
      say(`${fault.name}, ${world.offered()} updates offered`);
      await fault();
      await untilEven();
    }
    await revokeKeys();
    await changeSettings('/second');
    isOver = true;
    await Promise.all([sending, offering]);
    const isSettled = await world.settle(settleMs);
    await world.end();
    const ends = await Promise.all(nodes.map(({ service }) => service.stop()));
    log += nodes.map(logOf).join('');
    await watch.stop();
    const stock = await takeStock(world, database, { maxDelayMs, maxUnknown });
    return {
      fault: '4: three nodes',
      engine: database.dialect,
      seed,
      seconds: (performance.now() - beganAt) / 1_000,
      readers: stock.readers,
      marks: [
        ...marks,
        ...stock.marks,
        atMost('cursors that moved back', watch.movedBack.length, 0),
        {
          ...atMost('cursors that a node moved without the lease', watch.staleWrites.length, 0),
          details: watch.staleWrites.slice(0, 20),
        },
        ...countConflicts(world, watch, conflicts),
        ...countRepeats(world, watch),
        ...limitMarks(world, limited),
        isSo('everything settled', isSettled, `within ${settleMs / 1_000} s`),
        counted('warnings in the logs', loggedAt(40, log)),
        atMost('nodes that did not exit with 0', ends.filter(({ code }) => code !== 0).length, 0),
      ],
    };
  } finally {
    isOver = true;
    await world.close();
    await watch?.stop().catch(() => {});
    for (const { proxy, folder } of nodes) {
      await proxy.close();
      folder.remove();
    }
  }
}

/** How often each bot changed its owner, or got a new lease. */
const movesOf = (watch: LeaseWatch, bot: WorldBot) =>
  watch.history(bot.id).filter(({ owner }) => owner !== '');

function countConflicts(
  world: World,
  watch: LeaseWatch,
  conflicts: readonly { token: string; at: number }[],
): Mark[] {
  let worst = 0;
  let moves = 0;
  const details: string[] = [];
  for (const bot of world.bots) {
    const taken = movesOf(watch, bot).map(({ at }) => at);
    const own = conflicts.filter(({ token }) => token === bot.token).map(({ at }) => at);
    const perMove = mostBetween(taken, own);
    moves += taken.length;
    worst = Math.max(worst, perMove);
    if (perMove > 1) {
      const times = (of: readonly number[]) => of.map((at) => Math.round(at)).join(', ');
      details.push(`bot ${bot.id}: taken at ${times(taken)}; 409 at ${times(own)}`);
    }
  }
  return [
    { ...atMost('409 per move at the platform', worst, 1), details },
    counted('409 in all', `${conflicts.length} in ${moves} moves`),
  ];
}

function countRepeats(world: World, watch: LeaseWatch): Mark[] {
  const ofBots = world.bots.map((bot) => {
    const moves = movesOf(watch, bot).map(({ at }) => at);
    const repeats = repeatTimes(bot.pushed);
    return {
      average: repeats.length / Math.max(1, moves.length),
      most: mostBetween(moves, repeats),
    };
  });
  const worst = (which: 'average' | 'most') => Math.max(0, ...ofBots.map((one) => one[which]));
  return [
    atMost('push: repeated per move, of one bot', worst('average'), allowedRepeats),
    atMost('push: repeated after one move, of one bot', worst('most'), allowedRepeats),
  ];
}

function limitMarks(world: World, bot: WorldBot): Mark[] {
  const sends = world.sends.filter(({ token }) => token === bot.token);
  const toGroup = sends.filter(({ chat }) => chat === group);
  const times = (of: typeof sends) => of.map(({ at }) => at);
  return [
    atMost(
      `sends of one bot beyond its limit (of ${sends.length})`,
      sentTooMany(times(sends), telegramLimits.bot, slackMs),
      0,
    ),
    {
      ...atMost(
        `sends to one group beyond its limit (of ${toGroup.length})`,
        sentTooMany(times(toGroup), telegramLimits.group, turnMs + slackMs),
        0,
      ),
      details: [times(toGroup).map(Math.round).join(', ')],
    },
    counted(
      `sends to one group beyond its limit by less than the ${turnMs} ms of a turn`,
      sentTooMany(times(toGroup), telegramLimits.group, slackMs),
    ),
  ];
}
