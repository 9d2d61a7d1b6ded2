/*
 * Fault 4: three nodes share one PostgreSQL. One is killed, one stopped for 40 s, one cut from the
 * database, all restarted in turn and all killed at once, while updates, sends and changes of
 * settings go on.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { telegramLimits } from '../../src/relay/outbox/bucket.ts';
import { turnMs } from '../../src/relay/outbox/chat-queues.ts';
import { seeded } from '../support/seeded.ts';
import { type Cluster, type Node, startCluster, until } from './support/cluster.ts';
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
/** One for each kill on average, as in fault 1, for the stop and for the cut. */
const maxUnknown = 6;
/** By how much the arrival of a send may be later than the send, on a busy machine. */
const slackMs = 500;

interface Stage {
  world: World;
  cluster: Cluster;
  /** Bots that are polled and get no updates. */
  idle: readonly WorldBot[];
  random(): number;
  say(line: string): void;
}

const someNode = ({ cluster: { nodes }, random }: Stage) =>
  nodes[Math.floor(random() * nodes.length)] as Node;

async function kill(stage: Stage): Promise<Mark[]> {
  const { cluster } = stage;
  const victim = someNode(stage);
  const moving = cluster.takeover(cluster.ownedBy(victim));
  await victim.service.crash();
  const { ms } = await moving;
  await cluster.restart(victim);
  return [atMost('takeover after SIGKILL', ms, takeoverMs, ' ms')];
}

/** Its poll of a bot without updates stays open at the platform, so the next owner's ends it. */
async function stop({ cluster, idle, world }: Stage): Promise<Mark[]> {
  const polledNow = (bot: WorldBot) => performance.now() - cluster.polledAt(bot) < justPolledMs;
  await until(longestPollMs, () => idle.some(polledNow));
  const bot = idle.find(polledNow);
  const victim = cluster.nodes.find((node) => bot && cluster.ownedBy(node).includes(bot));
  if (!bot || !victim) throw new Error('no bot without updates is polled');
  const conflicts = () => cluster.conflicts.filter(({ token }) => token === bot.token).length;
  const before = conflicts();
  const moving = cluster.takeover(cluster.ownedBy(victim));
  const going = pause(stoppedMs);
  victim.service.signal('SIGSTOP');
  const { ms } = await moving;
  world.down(victim.service);
  await going;
  victim.service.signal('SIGCONT');
  world.up(victim.service);
  await pause(wokenMs);
  const made = conflicts() - before;
  const name = '409 for a poll that the stopped node left open';
  return [
    atMost('takeover after SIGSTOP', ms, takeoverMs, ' ms'),
    { name, value: String(made), limit: '1', ok: made === 1 },
  ];
}

async function cut(stage: Stage): Promise<Mark[]> {
  const { cluster } = stage;
  const victim = someNode(stage);
  const moving = cluster.takeover(cluster.ownedBy(victim));
  const mending = pause(cutMs);
  victim.proxy.cut();
  const { ms } = await moving;
  await mending;
  victim.proxy.mend();
  return [atMost('takeover after a cut from the database', ms, takeoverMs, ' ms')];
}

async function rollingRestart({ cluster, world, say }: Stage): Promise<Mark[]> {
  const times: number[] = [];
  const codes: (number | null)[] = [];
  for (const node of cluster.nodes) {
    const moving = cluster.takeover(cluster.ownedBy(node));
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
    await cluster.restart(node);
    await cluster.untilEven();
  }
  return [
    atMost('takeover in a rolling restart, slowest', Math.max(...times), gracefulMs, ' ms'),
    atMost('restarts that did not exit with 0', codes.filter((code) => code !== 0).length, 0),
  ];
}

async function killAll({ cluster, world }: Stage): Promise<Mark[]> {
  const moving = cluster.takeover(world.bots);
  await Promise.all(cluster.nodes.map(({ service }) => service.crash()));
  const killedAt = performance.now();
  await Promise.all(cluster.nodes.map((node) => cluster.restart(node)));
  const startedMs = Math.round(performance.now() - killedAt);
  const name = `all killed at once: bots held again (nodes started in ${startedMs} ms)`;
  return [atMost(name, (await moving).ms, takeoverMs, ' ms')];
}

/** A bot of each node, changed through another node; how late the last delivery to the old backend is. */
async function changeSettings({ cluster, world }: Stage, suffix: string): Promise<Mark[]> {
  const { nodes } = cluster;
  const late = nodes.map(async (node, index) => {
    const bot = cluster.ownedBy(node).find(({ isWebhook }) => !isWebhook) as WorldBot;
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
  return [atMost('changed settings in effect on every node', latest, effectMs, ' ms')];
}

async function revokeKeys({ cluster: { nodes } }: Stage): Promise<Mark[]> {
  const [{ service: first }] = nodes as [Node];
  let latest = 0;
  for (const way of ['toggle', 'delete']) {
    const body = { name: `by ${way}`, scope: 'read' };
    const made = await first.call<{ id: number; key: string }>('/api/auth/api-keys', body);
    const status = async ({ service }: Node) => {
      const answer = await service.request('/api/bots', { key: made.key });
      await answer.arrayBuffer();
      return answer.status;
    };
    const before = await Promise.all(nodes.map(status));
    if (before.some((code) => code !== 200)) {
      throw new Error(`a new key was answered ${before.join()}`);
    }
    await first.call(`/api/auth/api-keys/${way}?id=${made.id}`, {});
    const revokedAt = performance.now();
    for (const node of nodes) {
      while ((await status(node)) !== 401 && performance.now() - revokedAt < 10_000) {
        await pause(20);
      }
    }
    latest = Math.max(latest, performance.now() - revokedAt);
  }
  return [atMost('revoked keys refused by every node', latest, effectMs, ' ms')];
}

/** Sends more than is allowed through one node: to a group, and in bursts to many people. */
async function sendTooMuch(
  world: World,
  node: Node,
  bot: WorldBot,
  isOver: () => boolean,
): Promise<void> {
  const send = async (chat_id: number) => {
    const body = { bot_id: bot.id, chat_id, text: 'too much' };
    const signal = AbortSignal.timeout(20_000);
    const answer = await node.service.request('/api/messages/send', { body, signal });
    await answer.arrayBuffer();
  };
  for (let round = 0; !isOver(); round++) {
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

const steps: readonly [name: string, step: (stage: Stage) => Promise<Mark[]>][] = [
  ['keys are revoked', revokeKeys],
  ['settings are changed', (stage) => changeSettings(stage, '/first')],
  ['one node is killed', kill],
  ['one node is stopped', stop],
  ['one node is cut off', cut],
  ['all are restarted in turn', rollingRestart],
  ['all are killed', killAll],
  ['keys are revoked', revokeKeys],
  ['settings are changed', (stage) => changeSettings(stage, '/second')],
];

export async function runNodes(options: FaultOptions): Promise<FaultResult> {
  const { database, seed, say } = options;
  const beganAt = performance.now();
  const random = seeded(seed);
  const world = await createWorld({ ...options, idle: idleBots });
  let cluster: Cluster | undefined;
  let isOver = false;
  try {
    cluster = await startCluster(world, database, { count: nodeCount, say });
    const { nodes, leases } = cluster;
    await world.begin((nodes[0] as Node).service);
    await cluster.untilEven();
    const limited = world.bots[1] as WorldBot;
    const sending = nodes.map((node) => sendTooMuch(world, node, limited, () => isOver));
    const offering = world.offerAtRate(
      options.perSecond / 2,
      () => Number.POSITIVE_INFINITY,
      () => isOver,
    );
    const idle = world.bots.slice(-idleBots).filter(({ isWebhook }) => !isWebhook);
    const marks: Mark[] = [];
    for (const [name, step] of steps) {
      say(`${name}, ${world.offered()} updates offered`);
      for (const mark of await step({ world, cluster, idle, random, say })) {
        marks.push(mark);
        say(`${mark.name}: ${mark.value}${mark.ok ? '' : ` MISSED (${mark.limit})`}`);
      }
      await cluster.untilEven();
      await pause(random() * 2_000);
    }
    isOver = true;
    await Promise.all([...sending, offering]);
    const isSettled = await world.settle(settleMs);
    await world.end();
    const ends = await Promise.all(nodes.map(({ service }) => service.stop()));
    await leases.stop();
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
        ...leaseMarks(world, cluster),
        ...limitMarks(world, limited),
        isSo('everything settled', isSettled, `within ${settleMs / 1_000} s`),
        counted('warnings in the logs', loggedAt(40, cluster.log())),
        atMost('nodes that did not exit with 0', ends.filter(({ code }) => code !== 0).length, 0),
      ],
    };
  } finally {
    isOver = true;
    await world.close();
    await cluster?.close();
  }
}

/** What moves of bots between nodes may cost. */
function leaseMarks(world: World, { leases, conflicts }: Cluster): Mark[] {
  const ofBots = world.bots.map((bot) => {
    const taken = leases.history(bot.id).filter(({ owner }) => owner !== '');
    const moves = taken.map(({ at }) => at);
    const refused = conflicts.filter(({ token }) => token === bot.token).map(({ at }) => at);
    const repeats = repeatTimes(bot.pushed);
    const times = (of: readonly number[]) => of.map(Math.round).join(', ');
    return {
      moves: moves.length,
      conflicts: mostBetween(moves, refused),
      repeats: mostBetween(moves, repeats),
      averageRepeats: repeats.length / Math.max(1, moves.length),
      told: `bot ${bot.id}: taken at ${times(moves)}; 409 at ${times(refused)}`,
    };
  });
  const worst = (which: 'conflicts' | 'repeats' | 'averageRepeats') =>
    Math.max(0, ...ofBots.map((one) => one[which]));
  const moves = ofBots.reduce((sum, one) => sum + one.moves, 0);
  return [
    atMost('cursors that moved back', leases.movedBack.length, 0),
    {
      ...atMost('cursors that a node moved without the lease', leases.staleWrites.length, 0),
      details: leases.staleWrites.slice(0, 20),
    },
    {
      ...atMost('409 per move at the platform', worst('conflicts'), 1),
      details: ofBots.filter((one) => one.conflicts > 1).map(({ told }) => told),
    },
    counted('409 in all', `${conflicts.length} in ${moves} moves`),
    atMost('push: repeated per move, of one bot', worst('averageRepeats'), allowedRepeats),
    atMost('push: repeated after one move, of one bot', worst('repeats'), allowedRepeats),
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
