/* Fault 2: the backend is away for hours, rejects some chats, or answers in every wrong way. */
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Arrival } from '../invariants/support/sink.ts';
import { atMost, counted, type FaultOptions, type FaultResult } from './result.ts';
import { heldAgain, timesReleased, underLoad } from './under-load.ts';
import type { World, WorldBot } from './support/world.ts';

const awayMs = 6 * 3_600_000;
/** Statements of PostgreSQL have deadlines by the same clock: on a faster one they would miss them. */
const speeds = { sqlite: 120, postgres: 30 };
/** Slower once it is back: in a second of a faster clock there is no time for the work of a minute. */
const speedAfterwards = 10;
/** Retries of one chat come at least every two minutes. */
const backAgainMs = 600_000;
/** What does not wait for a backend notices nothing of it. */
const othersDelayMs = 15_000;
const fastClock = new URL('./support/fast-clock.mjs', import.meta.url).href;

export function runAway(options: FaultOptions): Promise<FaultResult> {
  const speed = speeds[options.database.dialect];
  const file = path.join(options.database.dataDir, 'clock-speed');
  writeFileSync(file, String(speed));
  let released = 0;
  return underLoad(
    { ...options, perSecond: 20 },
    {
      fault: `2: backend away for 6 hours (clock ${speed} times as fast)`,
      env: { NODE_OPTIONS: `--import ${fastClock}`, CLOCK_SPEED_FILE: file },
      world: { speed, maxBehind: 400 },
      maxDelayMs: awayMs / speed + backAgainMs / speedAfterwards,
      othersDelayMs,
      begunAgain: () => released,
      async during({ node, world, recover }) {
        const usual = world.sink.respond;
        let refused = 0;
        world.sink.respond = (_arrival, response) => {
          refused++;
          response.socket?.destroy();
        };
        await pause(awayMs / speed);
        writeFileSync(file, String(speedAfterwards));
        world.platform.speed = speedAfterwards;
        world.sink.respond = usual;
        const ms = (await recover(backAgainMs / speedAfterwards)) * speedAfterwards;
        released = timesReleased(node());
        return [
          counted('attempts while it was away', refused),
          // By the fast clock, heartbeats have a fraction of a second.
          counted('times that the node let all bots go', released),
          atMost(
            'delivered again, by the clock of the service',
            ms / 1_000,
            backAgainMs / 1_000,
            ' s',
          ),
        ];
      },
    },
  );
}

const poisoned = 100;
const chats = 1_100;
const phaseMs = 20_000;
const firstChat = 11;
const slowestAnswerMs = 60;

/** Every tenth chat or so is rejected again and again; the others notice nothing of it. */
export function runPoison(options: FaultOptions): Promise<FaultResult> {
  return underLoad(options, {
    fault: `2: ${poisoned} of ${chats} chats rejected`,
    world: { bots: 1, chats, maxBehind: 5_000 },
    env: { RELAY_PUSH_CONNECTIONS: '40' },
    // The rejected ones are delivered once they are accepted.
    maxDelayMs: 2 * phaseMs + 150_000,
    othersDelayMs,
    async during({ world, say }) {
      let isPoisoned = false;
      const isBad = ({ chatId }: Pick<Arrival, 'chatId'>) => chatId < firstChat + poisoned;
      world.sink.respond = (arrival, response) => {
        const status = isPoisoned && isBad(arrival) ? 500 : 200;
        if (status === 200) world.accept(arrival);
        setTimeout(() => response.writeHead(status).end(), world.random() * slowestAnswerMs);
      };
      await pause(3_000);
      const p99 = async () => {
        const from = performance.now();
        await pause(phaseMs * options.pace);
        return p99Since(world, from, (_bot, chatId) => !isBad({ chatId }));
      };
      const before = await p99();
      isPoisoned = true;
      const meanwhile = await p99();
      isPoisoned = false;
      say(
        `healthy chats: p99 ${before.toFixed(0)} ms before, ${meanwhile.toFixed(0)} ms meanwhile`,
      );
      return [
        counted('p99 of healthy chats before', `${Math.round(before)} ms`),
        atMost('p99 of healthy chats meanwhile', meanwhile, 1.5 * before, ' ms'),
      ];
    },
  });
}

/** The delay of 99 % of what was offered since then; what has not arrived yet has waited until now. */
function p99Since(
  world: World,
  from: number,
  counts: (bot: WorldBot, chatId: number) => boolean,
): number {
  const now = performance.now();
  const delays = world.bots.flatMap((bot) => {
    const arrivedAt = new Map(bot.pushed.toReversed().map(({ id, at }) => [id, at]));
    return bot.unclaimed
      .filter(({ at, chat }) => at > from && counts(bot, chat))
      .map(({ id, at }) => (arrivedAt.get(id) ?? now) - at);
  });
  delays.sort((a, b) => a - b);
  return delays[Math.floor(delays.length * 0.99)] ?? Number.POSITIVE_INFINITY;
}

type Respond = (response: ServerResponse) => void;

/** Ways to answer that are no acceptance; whether the last three are, is for the relay to say. */
const badBackends: Record<string, Respond> = {
  '500': (response) => response.writeHead(500).end('no'),
  '404': (response) => response.writeHead(404).end(),
  '429': (response) => response.writeHead(429, { 'retry-after': '2' }).end(),
  redirect: (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
  'no answer': () => {},
  'connection cut': (response) => response.socket?.destroy(),
  'no HTTP': (response) => response.socket?.end('hello\r\n\r\n'),
  'half an answer': (response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half', () => response.socket?.destroy());
  },
  'huge answer': (response) => response.writeHead(200).end('x'.repeat(5_000_000)),
  'odd answer': (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"method":"sendMess'),
};
const ambiguous = new Set(['half an answer', 'huge answer', 'odd answer']);
const badMs = 20_000;
/** Of bots whose backend is well: against the time before, and where that is short. */
const healthyTimes = 3;
const healthyMs = 500;

export function runBadBackends(options: FaultOptions): Promise<FaultResult> {
  const kinds = Object.entries(badBackends);
  return underLoad(
    { ...options, bots: Math.max(options.bots, 2 * kinds.length) },
    {
      fault: '2: ten kinds of bad backend',
      world: { maxBehind: 400 },
      maxDelayMs: badMs + 150_000,
      othersDelayMs,
      async during({ world, recover }) {
        const usual = world.sink.respond;
        const open = new Set<ServerResponse>();
        let bad = 0;
        const isHealthy = (bot: WorldBot) => bot.index >= kinds.length;
        const wellFrom = performance.now();
        await pause(badMs * options.pace);
        const before = p99Since(world, wellFrom, isHealthy);
        world.sink.respond = (arrival, response) => {
          const [name, respond] = kinds[world.botOf(arrival)?.index ?? kinds.length] ?? [];
          if (!name || !respond) return usual(arrival, response);
          bad++;
          if (ambiguous.has(name)) world.accept(arrival);
          open.add(response);
          respond(response);
        };
        const from = performance.now();
        await pause(badMs * options.pace);
        const meanwhile = p99Since(world, from, isHealthy);
        world.sink.respond = usual;
        for (const response of open) response.socket?.destroy();
        return [
          counted('bad answers', bad),
          counted('p99 of healthy bots before', `${Math.round(before)} ms`),
          atMost(
            'p99 of healthy bots meanwhile',
            meanwhile,
            Math.max(healthyTimes * before, healthyMs),
            ' ms',
          ),
          heldAgain(await recover(150_000), 150_000),
        ];
      },
    },
  );
}
