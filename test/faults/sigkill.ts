/*
 * Fault 1: one node is killed again and again, at random moments of a steady stream of updates, and
 * of its own start.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { duplicatesOf } from '../invariants/support/reconcile.ts';
import { seeded } from '../support/seeded.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import {
  atMost,
  counted,
  type FaultOptions,
  type FaultResult,
  isSo,
  loggedAt,
  takeStock,
} from './result.ts';
import { allowedRepeats, createWorld } from './support/world.ts';

/** Every so many kills one hits a service that has not started yet. */
const killAtStartEvery = 10;
const startTakesMs = 1_500;
/** A life may last longer where few updates are offered. */
const maxLifeMs = 2_000;
const settleMs = 120_000;
/** On average: a route sends a few messages a second. */
const unknownPerKill = 1;
/** The service runs for seconds at a time: a reader that is behind catches up over several runs. */
const maxDelayMs = 180_000;

export async function runSigkill(options: FaultOptions): Promise<FaultResult> {
  const { database, updates, kills, perSecond, seed, say } = options;
  const beganAt = performance.now();
  const random = seeded(seed);
  const world = await createWorld({ ...options, withApps: true });
  const lives: number[] = [];
  const livesOfApps: number[] = [];
  let killed = 0;
  let busyKills = 0;
  let slowestStartMs = 0;
  let log = '';

  function newLife(): void {
    lives.push(world.pushes.length);
    livesOfApps.push(world.appPushes.length);
  }

  async function start(): Promise<ServiceProcess> {
    newLife();
    const startedAt = performance.now();
    const service = await world.launch(database.settings);
    slowestStartMs = Math.max(slowestStartMs, performance.now() - startedAt);
    return service;
  }

  async function killWhileStarting(): Promise<void> {
    const shutdown = new AbortController();
    newLife();
    const starting = world.launch(database.settings, { killed: shutdown.signal });
    const outcome = starting.then(
      (service) => service.ended,
      () => {},
    );
    await pause(random() * startTakesMs);
    shutdown.abort();
    await outcome;
    await world.sink.quiet();
  }

  try {
    let service = await start();
    world.up(service);
    await world.begin(service);
    // Updates keep coming while the service is down, but not faster than the kills.
    const share = updates / kills;
    const mostNow = () => Math.min(updates, Math.ceil(share * (killed + 2)));
    const offering = world.offerAtRate(perSecond, mostNow, () => world.offered() >= updates);
    for (; killed < kills; killed++) {
      await pause(random() * maxLifeMs);
      const moment = (killed + random()) * share;
      while (world.offered() < moment) await pause(5);
      if (world.inFlight() > 0) busyKills++;
      world.down(service);
      await service.crash();
      log += `${service.stdout()}${service.stderr()}\n`;
      await world.sink.quiet();
      if (killed % killAtStartEvery === killAtStartEvery - 1) await killWhileStarting();
      service = await start();
      world.up(service);
      if ((killed + 1) % 10 === 0) say(`${killed + 1} kills, ${world.offered()} updates offered`);
    }
    await offering;
    const isSettled = await world.settle(settleMs);
    await world.end();
    const { code, stdout, stderr } = await service.stop();
    log += stdout + stderr;
    const errors = loggedAt(50, log);
    const maxUnknown = unknownPerKill * (lives.length - 1);
    const { readers, marks } = await takeStock(world, database, { maxDelayMs, maxUnknown });
    const repeats = duplicatesOf(world.pushes, lives);
    const repeatsOfApps = duplicatesOf(world.appPushes, livesOfApps);
    const mostRepeats = Math.max(repeats.mostOfOneBot, repeatsOfApps.mostOfOneBot);
    return {
      fault: '1: SIGKILL at random moments',
      engine: database.dialect,
      seed,
      seconds: (performance.now() - beganAt) / 1_000,
      readers,
      marks: [
        counted('kills', lives.length - 1),
        counted('kills that hit deliveries in flight', busyKills),
        counted('longest start', `${Math.round(slowestStartMs)} ms`),
        ...marks,
        atMost('push: repeated after one kill, of one bot', mostRepeats, allowedRepeats),
        // Nodes of a cluster that were too slow to send a heartbeat start their bots again.
        ...(database.dialect === 'sqlite'
          ? [
              atMost(
                'push: repeated without a kill',
                repeats.withinOneLife + repeatsOfApps.withinOneLife,
                0,
              ),
            ]
          : []),
        isSo('everything settled', isSettled, `within ${settleMs / 1_000} s`),
        { name: 'last exit', value: String(code), limit: '0', ok: code === 0 },
        counted('warnings in the log', loggedAt(40, log)),
        { name: 'errors in the log', value: errors, limit: 'none', ok: errors === 'none' },
      ],
    };
  } finally {
    await world.close();
  }
}
