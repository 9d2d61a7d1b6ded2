/*
 * The reader that routes. One loop per bot: read after the cursor, decide, and commit the
 * decisions, the sends they ask for and the cursor together; so an update acts once, however often
 * it is read again.
 *
 * What cannot be decided yet is set aside, and what comes behind it in other chats is decided
 * meanwhile. The cursor stays before the first that is set aside.
 */
import type { Clock } from '../../clock.ts';
import { compileRoutes, type RouteMatcher } from '../../core/routing/route-matcher.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import {
  addDecision,
  type DecisionRepository,
  settleDecision,
} from '../../store/routing/decisions.ts';
import type { Engine, Step } from '../../store/engine.ts';
import { LeaseLost, type LeaseRepository } from '../../store/cluster/leases.ts';
import { type LogRepository, moveReader } from '../../store/log/log.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import { closeQuestion, openQuestion } from '../../store/routing/model-questions.ts';
import { enqueueIntent } from '../../store/outbox/outbox.ts';
import type { RouteRecord } from '../../store/routing/routes.ts';
import { type RoutingRepository, routingReader } from '../../store/routing/routing.ts';
import type { UpdateLog } from '../log/update-log.ts';
import { planDecisions, type PlannedDecision } from './plan-decisions.ts';
import type { DecideDeps } from './routing-decision.ts';

export interface RouterDeps extends DecideDeps {
  clock: Clock;
  engine: Pick<Engine, 'write'>;
  requireEpoch: LeaseRepository['requireEpoch'];
  countTraffic: RoutingRepository['countTraffic'];
  log: UpdateLog;
  readers: Pick<LogRepository, 'openReader' | 'readers'>;
  decisions: DecisionRepository;
  /** The lease under which this node runs the bot; left out where there are no others. */
  leaseEpochOf?: (botId: number) => number | undefined;
  routesFrom(botId: number): Promise<RouteRecord[]>;
  /** Something was queued for these bots. */
  onQueued(botIds: ReadonlySet<number>): void;
  /** An update waits for the model. */
  onQuestion(botId: number): void;
  onError(error: unknown, botId: number): void;
}

export interface Router {
  /** The routes may have changed, or someone set the reader to another position. */
  reload(): void;
  stop(): Promise<void>;
}

const batchSize = 100;
// The nets under a lost wake-up and a lost change of the routes.
const lookAgainMs = 5_000;
const retryMs = 1_000;
const asideWaitMs = 100;
/** Beyond this, nothing more is read until some of it is decided. */
const maxSetAside = 1_000;
/** Thrown to take a commit back. */
const answeredMeanwhile = new Error('the model answered meanwhile');

export function startRouter(deps: RouterDeps, botId: number): Router {
  const { clock, log, engine } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  let matcher: RouteMatcher<RouteRecord> | undefined;
  let matcherReadAt = 0;
  /** How often it was told that the routes changed. */
  let changes = 0;
  /** The reader may stand elsewhere by now. */
  let isUnsure = false;
  let album = { position: 0, since: 0 };
  let wake = () => {};
  const stopListening = log.onAppend(botId, () => wake());

  async function loop(): Promise<'moved' | 'ended'> {
    // A reader that is gone may have gone with its bot.
    if (!(await deps.bots.get(botId))) return 'ended';
    // Taken before the reader's position: what another node did under a later one is then noticed.
    const leaseEpoch = deps.leaseEpochOf?.(botId);
    if (deps.leaseEpochOf && leaseEpoch === undefined) throw new LeaseLost(botId);
    const { position, generation } = await deps.readers.openReader(
      botId,
      routingReader,
      clock.now(),
    );
    let cursor = position;
    /** Everything up to here was read. */
    let front = position;
    let aside: LogEntry[] = [];
    while (!signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const bot = await deps.bots.get(botId);
      if (!bot) return 'ended';
      if (isUnsure) {
        isUnsure = false;
        if ((await currentGeneration()) !== generation) return 'moved';
      }
      const room = aside.length < maxSetAside ? batchSize : 0;
      const fresh = room > 0 ? await log.read(botId, front, room) : [];
      const entries = [...aside, ...fresh];
      if (entries.length === 0) {
        await pause(woken, lookAgainMs);
        continue;
      }
      const isWhole = fresh.length < batchSize;
      const plan = await planDecisions(
        { ...deps, waitingSince },
        await currentMatcher(bot),
        bot,
        entries,
        isWhole,
        aside.length,
      );
      const leftOver = aside.filter((entry) => entry.position > plan.upTo);
      const asideNow = [...plan.aside, ...leftOver];
      const frontNow = Math.max(front, plan.upTo);
      const firstAside = asideNow[0];
      const upTo = firstAside ? firstAside.position - 1 : frontNow;
      if (plan.decisions.length > 0 || upTo > cursor) {
        if (!(await commit(plan.decisions, upTo, generation, leaseEpoch))) return 'moved';
      }
      cursor = upTo;
      front = frontNow;
      aside = asideNow;
      const waitMs = aside.length > 0 && isWhole ? asideWaitMs : 0;
      if (plan.waitMs > 0 || waitMs > 0) await pause(woken, plan.waitMs || waitMs);
    }
    return 'ended';
  }

  function waitingSince(position: number): number {
    if (album.position !== position) album = { position, since: clock.monotonic() };
    return album.since;
  }

  async function currentGeneration(): Promise<number | undefined> {
    const readers = await deps.readers.readers(botId);
    return readers.find(({ name }) => name === routingReader)?.generation;
  }

  async function currentMatcher(bot: BotRecord): Promise<RouteMatcher<RouteRecord>> {
    const readAt = clock.monotonic();
    if (matcher && readAt - matcherReadAt < lookAgainMs) return matcher;
    const changesBefore = changes;
    const fresh = compileRoutes(await deps.routesFrom(botId), bot.username);
    // What was told meanwhile may not be in it: then it serves only this once.
    matcher = changes === changesBefore ? fresh : undefined;
    matcherReadAt = readAt;
    return fresh;
  }

  /**
   * False when it has to be read again: someone set the reader to another position (what was decided
   * is decided then, too), or the model answered a question that the plan takes for open.
   */
  async function commit(
    decisions: readonly PlannedDecision[],
    upTo: number,
    generation: number,
    leaseEpoch: number | undefined,
  ): Promise<boolean> {
    const now = clock.now();
    const queued = new Set<number>();
    let asks = false;
    const work = function* (): Step<boolean> {
      if (leaseEpoch !== undefined) yield* deps.requireEpoch(botId, leaseEpoch);
      queued.clear();
      asks = false;
      for (const { decision, intents, droppedBy, withdrawn } of decisions) {
        // Decided before means sent before, or being sent: never again.
        if (!(yield* addDecision({ ...decision, createdAt: now }))) continue;
        for (const position of withdrawn) yield* withdraw(position, decision.position);
        for (const intent of intents) {
          yield* enqueueIntent(intent, now);
          queued.add(intent.botId);
        }
        yield* deps.countTraffic(droppedBy, now);
        if (decision.outcome !== 'asking') continue;
        asks = true;
        yield* openQuestion(decision, now);
      }
      return yield* moveReader(botId, routingReader, {
        position: upTo,
        state: '',
        generation,
        nowMs: now,
      });
    };
    const isMoved = await engine.write(work).catch((error: unknown) => {
      if (error === answeredMeanwhile) return false;
      throw error;
    });
    if (queued.size > 0) deps.onQueued(queued);
    if (asks) deps.onQuestion(botId);
    return isMoved;
  }

  function* withdraw(position: number, because: number): Step<void> {
    if (!(yield* closeQuestion({ botId, position }))) throw answeredMeanwhile;
    yield* settleDecision(botId, position, {
      outcome: 'none',
      reason: `Edited or deleted before the model chose: see position ${because}.`,
      matched: '[]',
      model: '',
    });
  }

  async function pause(woken: Promise<void>, ms: number): Promise<void> {
    const timer = new AbortController();
    const both = AbortSignal.any([signal, timer.signal]);
    const timeIsUp = clock.sleep(ms, both).then(
      () => {
        isUnsure = true;
      },
      () => {},
    );
    await Promise.race([woken, timeIsUp]);
    timer.abort();
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        if ((await loop()) === 'ended') return;
      } catch (error) {
        if (signal.aborted) return;
        // Another node runs the bot: before long this router is stopped.
        if (!(error instanceof LeaseLost)) deps.onError(error, botId);
        await clock.sleep(retryMs, signal).catch(() => {});
      }
    }
  }

  const running = run();
  return {
    reload() {
      matcher = undefined;
      changes++;
      isUnsure = true;
      wake();
    },
    async stop() {
      stopListening();
      stopping.abort(new Error('the router was stopped'));
      wake();
      await running;
    },
  };
}
