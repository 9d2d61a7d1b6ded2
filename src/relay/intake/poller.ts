/*
 * Polls one bot.
 *
 * Invariants: an offset is sent only after the batch it confirms is committed; the first call of a
 * run carries no offset, because the earlier confirmations are unknown; the next poll begins only
 * after the last batch is stored, so a slow database slows the platform and nothing piles up here;
 * every turn of the loop waits for something.
 */
import { type Reason, reason } from '../../core/reasons/reason.ts';
import type { Clock } from '../../clock.ts';
import { isOutage } from '../../errors.ts';
import { backoffMs } from '../../core/backoff.ts';
import { updateKinds } from '../../core/log/update-kinds.ts';
import type { BotState } from '../../store/cluster/bot-runtime.ts';
import { isWebhookConflict, classifyFault } from './intake-faults.ts';
import { type Batch, readPollAnswer } from './poll-answer.ts';
import type { Connect } from '../../telegram/platform-connector.ts';
import { openPollConnection, type PollAnswer } from './poll-connection.ts';
import type { UpdateLog } from '../log/update-log.ts';

export interface PollerDeps {
  log: UpdateLog;
  clock: Clock;
  random: () => number;
  /** Returns the address of the platform for this token, without a trailing slash. */
  baseUrlFor(token: string): string;
  /** Opens connections to the platform; they are direct if left out. */
  connect?: Connect;
  /** The time for which the platform may hold a poll; 50 if left out. */
  pollTimeoutSeconds?: number;
  /**
   * The interval between polls of a bot that gets updates all the time; 0 if left out. Some
   * milliseconds bring several updates with one request and into one commit.
   */
  minIntervalMs?: number;
  /** True if another node may have taken the bot without this node knowing yet. */
  isUncertain(): boolean;
  /** Limits how many bots make their first call at once. */
  startSlot(signal: AbortSignal): Promise<() => void>;
}

export interface PollerRun {
  botId: number;
  token: string;
  leaseEpoch: number;
  signal: AbortSignal;
  report(state: BotState, lastError: Reason | null): void;
  /** Updates came in. */
  active(): void;
  /** Removes the webhook that is in the way; returns what to report about it. */
  removeWebhook(): Promise<Reason | null>;
}

/** refused: the token is invalid. lost: the bot was taken over or deleted. */
export type PollerEnd = 'stopped' | 'refused' | 'lost';

const allowedUpdates = encodeURIComponent(JSON.stringify(updateKinds));
const batchSize = 100;
const defaultTimeoutSeconds = 50;
const answerMarginMs = 20_000;
// An empty answer that comes sooner than this means that the platform does not hold polls.
const quickMs = 250;
const firstWaitMs = 500;
const uncertainMs = 100;
const idleMaxMs = 5_000;
const storeAgainMs = 1_000;

export async function runPoller(deps: PollerDeps, run: PollerRun): Promise<PollerEnd> {
  const { log, clock, random } = deps;
  const { botId, token, leaseEpoch, signal, report } = run;
  const timeoutSeconds = deps.pollTimeoutSeconds ?? defaultTimeoutSeconds;
  const { origin, method } = addressOf(deps.baseUrlFor(token), token);
  const connection = openPollConnection(origin, deps.connect);
  const onAbort = () => connection.abort();
  signal.addEventListener('abort', onAbort, { once: true });

  let offset: number | undefined;
  let isFirst = true;
  let mayRemoveWebhook = true;
  let note: Reason | null = null;
  let failures = 0;
  let fruitless = 0;

  /** Thousands of bots that began together, or lost the platform together, must drift apart. */
  let isSpread = false;
  const heldSeconds = () =>
    isSpread ? timeoutSeconds : timeoutSeconds - Math.floor(random() * (timeoutSeconds / 2));

  /**
   * The first poll is answered at once: it shows whether the bot works, and tells the platform
   * which kinds to send.
   */
  async function firstPoll(): Promise<PollAnswer> {
    const open = await deps.startSlot(signal);
    try {
      const path = `${method}&timeout=0&allowed_updates=${allowedUpdates}`;
      return await connection.get(path, answerMarginMs);
    } finally {
      open();
    }
  }

  function nextPoll(): Promise<PollAnswer> {
    const confirmed = offset === undefined ? '' : `&offset=${offset}`;
    const waitMs = timeoutSeconds * 1000 + answerMarginMs;
    return connection.get(`${method}&timeout=${heldSeconds()}${confirmed}`, waitMs);
  }

  async function store(batch: Batch): Promise<'fresh' | 'known' | 'lost'> {
    const receivedAt = clock.now();
    for (let tries = 1; ; tries++) {
      try {
        const outcome = await log.append(botId, batch.updates, { receivedAt, leaseEpoch });
        if (outcome.status !== 'stored') return 'lost';
        run.active();
        return outcome.entries.length > 0 ? 'fresh' : 'known';
      } catch (error) {
        if (!isOutage(error)) throw error;
        // The platform would only send the same updates again, while the store may recover at any
        // moment.
        if (tries > 1 || isFirst) report('waiting', reason('intake_not_stored'));
        await clock.sleep(storeAgainMs * (0.5 + random() / 2), signal);
      }
    }
  }

  /** Waits as the fault demands; returns true if there is no point in retrying. */
  async function recover(failure: unknown): Promise<boolean> {
    let error = failure;
    isSpread = false;
    if (mayRemoveWebhook && isWebhookConflict(failure)) {
      try {
        note = await run.removeWebhook();
        mayRemoveWebhook = false;
        return false;
      } catch (failed) {
        error = failed;
      }
    }
    const fault = classifyFault(error);
    if (fault.action === 'stop') {
      report('refused', fault.explanation);
      return true;
    }
    if (fault.action === 'pause') {
      report(isFirst ? 'waiting' : 'polling', fault.explanation);
      await clock.sleep(fault.waitMs + random() * 250, signal);
      return false;
    }
    failures++;
    // A running bot that fails once retries at once, before the failure is reported.
    if (!fault.isBlip || failures > 1 || isFirst) report('waiting', fault.explanation);
    const waits = { random, firstMs: firstWaitMs, maxMs: fault.maxWaitMs };
    await clock.sleep(backoffMs(failures, waits), signal);
    return false;
  }

  /** Returns how long to wait until the next poll. */
  function taken(batch: Batch, outcome: 'fresh' | 'known', startedAt: number): number {
    offset = batch.nextOffset ?? offset;
    isSpread = !isFirst;
    failures = 0;
    mayRemoveWebhook = false;
    report('polling', note);
    const tookMs = clock.monotonic() - startedAt;
    fruitless = isFirst || tookMs >= quickMs || outcome === 'fresh' ? 0 : fruitless + 1;
    isFirst = false;
    if (outcome === 'fresh') return (deps.minIntervalMs ?? 0) - tookMs;
    if (fruitless <= 1) return 0;
    return backoffMs(fruitless - 1, { random, firstMs: quickMs, maxMs: idleMaxMs });
  }

  try {
    while (!signal.aborted) {
      // All of this is in one function: each further async function would keep its state for as
      // long as a poll is held.
      try {
        // A poll would end that of the node that has the bot.
        while (deps.isUncertain()) await clock.sleep(uncertainMs, signal);
        const startedAt = clock.monotonic();
        const answer = await (isFirst ? firstPoll() : nextPoll());
        const batch = readPollAnswer(answer, clock.now(), token);
        const outcome = batch.updates.length > 0 ? await store(batch) : 'known';
        if (outcome === 'lost') return 'lost';
        const pauseMs = taken(batch, outcome, startedAt);
        if (pauseMs > 0) await clock.sleep(pauseMs, signal);
      } catch (error) {
        if (signal.aborted) break;
        if (await recover(error)) return 'refused';
      }
    }
    return 'stopped';
  } catch (error) {
    if (signal.aborted) return 'stopped';
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
    connection.close();
  }
}

function addressOf(baseUrl: string, token: string): { origin: string; method: string } {
  const { origin, pathname } = new URL(baseUrl);
  const folder = pathname.endsWith('/') ? pathname : `${pathname}/`;
  return { origin, method: `${folder}bot${token}/getUpdates?limit=${batchSize}` };
}
