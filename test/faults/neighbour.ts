/* Fault 8: one bot of many does everything wrong, beside the same load on a service without it. */
import { setTimeout as pause } from 'node:timers/promises';
import {
  atMost,
  counted,
  type FaultOptions,
  type FaultResult,
  type Mark,
  percentile,
} from './result.ts';
import { watchApi } from './support/api-watch.ts';
import { type BadNeighbour, startBadNeighbour } from './support/bad-neighbour.ts';
import type { World } from './support/world.ts';
import { underLoad } from './under-load.ts';

/** Together with the bad one. */
const bots = 200;
/** Of all bots but the bad one. */
const perSecond = 60;
const patienceMs = 60_000;
const maxDelayMs = 30_000;
/** How much the bad bot may cost the others. */
const timesHealth = 2;
const timesDelay = 1.5;
/** Health checks that take no longer than this are fast, whatever those beside take. */
const fastMs = 50;
const badToken = '9999:AAbad_neighbour';

interface Outcome {
  health: number[];
  /** From receipt to the backend. */
  delays: number[];
  blockedMs: number;
  cpuSeconds: number;
}

export async function runNeighbour(options: FaultOptions): Promise<FaultResult> {
  const { minutes } = options;
  const forMs = minutes * 60_000 * options.pace;
  const outcomes: Outcome[] = [];
  const run = (name: string, database: FaultOptions['database'], isBad: boolean) =>
    underLoad(
      {
        ...options,
        database,
        bots: bots - 1,
        perSecond,
        say: (line) => options.say(`${name}: ${line}`),
      },
      {
        fault: `8: one of ${bots} bots does everything wrong for ${minutes} min, at ${perSecond} updates/s`,
        maxDelayMs,
        world: { patienceMs },
        async during({ world, node }) {
          // Retries would hide in the slowest hundredth.
          world.sink.respond = (arrival, response) => {
            world.accept(arrival);
            response.writeHead(200).end();
          };
          let neighbour: BadNeighbour | undefined;
          if (isBad) neighbour = await startBadNeighbour(world, node(), badToken);
          const beganAt = performance.now();
          const watch = watchApi(node(), ['/healthz']);
          await pause(forMs);
          const { reads, blockedMs, cpuSeconds, failed } = await watch.stop();
          const delays = delaysSince(beganAt, world);
          const statuses = await neighbour?.stop();
          outcomes[isBad ? 1 : 0] = { health: reads, delays, blockedMs, cpuSeconds };
          return [
            atMost(`${name}: failed requests`, failed, 0),
            ...(neighbour
              ? [
                  counted(
                    'bad bot: apps and routes accepted',
                    `${neighbour.apps}, ${neighbour.routes}`,
                  ),
                  counted('bad bot: requests by status', JSON.stringify(statuses)),
                ]
              : []),
          ];
        },
      },
    );
  const beside = await options.createDatabase();
  try {
    const [control, result] = await Promise.all([
      run('without it', beside, false),
      run('with it', options.database, true),
    ]);
    return {
      ...result,
      marks: [
        ...compare(outcomes[0] as Outcome, outcomes[1] as Outcome),
        ...result.marks,
        ...control.marks.map((mark) => ({
          ...mark,
          name: `without it: ${mark.name.replace(/^without it: /, '')}`,
        })),
      ],
    };
  } finally {
    await beside.drop();
  }
}

function compare(control: Outcome, withIt: Outcome): Mark[] {
  const both = (
    name: string,
    pick: (outcome: Outcome) => number,
    limitOf: (ms: number) => number,
  ) => [
    counted(`${name}, without it`, `${Math.round(pick(control))} ms`),
    atMost(`${name}, with it`, pick(withIt), limitOf(pick(control)), ' ms'),
  ];
  const figures = ({ blockedMs, cpuSeconds }: Outcome) =>
    `${Math.round(blockedMs)} ms, ${Math.round(cpuSeconds)} s`;
  return [
    ...both(
      '/healthz, p99',
      ({ health }) => percentile(health, 0.99),
      (ms) => Math.max(timesHealth * ms, fastMs),
    ),
    ...both(
      'receipt to backend, p50',
      ({ delays }) => percentile(delays, 0.5),
      (ms) => timesDelay * ms,
    ),
    ...both(
      'receipt to backend, p99',
      ({ delays }) => percentile(delays, 0.99),
      (ms) => timesDelay * ms,
    ),
    counted('longest turn and processor time, without it', figures(control)),
    counted('longest turn and processor time, with it', figures(withIt)),
  ];
}

/** How long each update took that was offered since then. */
function delaysSince(since: number, world: World): number[] {
  return world.bots.flatMap(({ unclaimed, pushed }) => {
    const arrivedAt = new Map(pushed.map(({ id, at }) => [id, at]));
    return unclaimed.flatMap(({ id, at }) => {
      const arrived = arrivedAt.get(id);
      return at < since || arrived === undefined ? [] : [arrived - at];
    });
  });
}
