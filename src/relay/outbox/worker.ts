/*
 * Sends what is queued in the outbox: routed messages, and method calls that backends answered
 * with. Order within a chat is kept, chats go in parallel, and a send that has to wait holds back
 * only its own chat.
 */
import { reason } from '../../core/reasons/reason.ts';
import { backoffMs } from '../../core/backoff.ts';
import { makesMessages } from '../../core/messages/answer-facts.ts';
import { sendClassOf } from '../../core/messages/send-class.ts';
import type { SendStateLabel } from '../../core/stats/relay-metrics.ts';
import { isOutage, RelayError } from '../../errors.ts';
import { outboxSendId } from '../../store/apps/app-sends.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import { LeaseLost } from '../../store/cluster/leases.ts';
import type { OutboxRecord } from '../../store/outbox/outbox.ts';
import { lineOf } from '../../store/outbox/outbox-lines.ts';
import type { Step } from '../../store/engine.ts';
import { PlatformRefused, PlatformUnreachable } from '../../telegram/errors.ts';
import { createSweep, type OtherNodes } from './lost-sends.ts';
import {
  attempt,
  type Outcome,
  type OutboxDeps,
  type PreparedCall,
  recordSuccess,
  outcomeText,
} from './outbox.ts';

export interface OutboxWorkers {
  /** Begins to send for a bot; does nothing if it already sends. */
  start(botId: number): void;
  /** Stops taking new sends and waits for those in flight. */
  stop(botId: number): Promise<void>;
  /** Stops all bots for good. */
  stopAll(): Promise<void>;
  /** Something was queued for the bot. */
  wake(botId: number): void;
  /** A wake-up may have been missed. */
  wakeAll(): void;
}

interface WorkerOptions {
  random: () => number;
  /** A send is retried for this long after it was queued. */
  giveUpAfterMs: number;
  onError: (error: unknown, botId: number) => void;
  nodes: OtherNodes;
  /**
   * Returns the lease epoch, without which claims are refused once another node holds the bot; left
   * out if there is no other node.
   */
  leaseEpochOf?: (botId: number) => number | undefined;
  /**
   * A send ended after its bot was stopped on this node: the node that runs the bot may send the
   * next one.
   */
  wakeOwner?: (botId: number) => void;
}

/** A send that waited longer for its first attempt fails, because nobody expects it that late. */
const mostWaitMs = 24 * 3_600_000;
const linesAtOnce = 20;
const linesLookedAt = 500;
// Looks again after this time, in case a wake-up was lost, and after the database failed.
const lookAgainMs = 5_000;
// If the platform asked for a longer pause, the rate limiter keeps it, or the platform asks again.
const maxPostponeMs = 3_600_000;
// A bot may come from a node that died during a send, so the first look for lost sends comes soon.
const firstSweepMs = 1_000;
const stopped = new Error('the bot was stopped');

interface Worker {
  stopping: AbortController;
  busyLines: Set<string>;
  running: Set<Promise<void>>;
  looking: boolean;
  lookAgain: boolean;
  /** The number of sends in a row whose outcome is unknown. */
  unknowns: number;
  /** The end of the pause, by the monotonic clock. */
  pausedUntil: number;
  cancelTimer: () => void;
}

export function createOutboxWorkers(deps: OutboxDeps, options: WorkerOptions): OutboxWorkers {
  const { clock, outbox, inFlight } = deps;
  const workers = new Map<number, Worker>();
  const sweep = createSweep(
    { ...deps, nodes: options.nodes },
    { wake, onError: (error) => options.onError(error, 0) },
  );

  function wake(botId: number): void {
    const worker = workers.get(botId);
    if (worker) look(botId, worker);
  }

  function look(botId: number, worker: Worker): void {
    const done = lookNow(botId, worker).finally(() => worker.running.delete(done));
    worker.running.add(done);
  }

  async function lookNow(botId: number, worker: Worker): Promise<void> {
    if (worker.looking) {
      worker.lookAgain = true;
      return;
    }
    worker.looking = true;
    try {
      do {
        worker.lookAgain = false;
        await dispatch(botId, worker);
      } while (worker.lookAgain && !worker.stopping.signal.aborted);
    } catch (error) {
      options.onError(error, botId);
      lookLater(botId, worker, lookAgainMs);
    } finally {
      worker.looking = false;
    }
  }

  async function dispatch(botId: number, worker: Worker): Promise<void> {
    if (worker.stopping.signal.aborted) return;
    const now = clock.now();
    const queued = await outbox.queued(botId, linesLookedAt, now);
    if (worker.stopping.signal.aborted || queued.length === 0) return;
    // While outcomes are unknown, sends go one at a time with growing pauses, so that few are
    // risked.
    const atOnce = worker.unknowns > 0 ? 1 : linesAtOnce;
    let soonest = lookAgainMs;
    for (const record of queued) {
      const { chatId, notBefore } = record;
      // Nothing overtakes a message in flight, even one that an earlier worker or another node
      // sends.
      if (record.state === 'sending' || inFlight.has(record.id)) continue;
      if (worker.busyLines.has(lineOf(record))) continue;
      // A chat that has to pause takes none of the parallel slots.
      const putOffMs = notBefore - now;
      const waitMs = Math.max(
        // No send is postponed for longer than this, so the clock was set back since.
        putOffMs > maxPostponeMs ? 0 : putOffMs,
        worker.pausedUntil - clock.monotonic(),
        deps.rateLimiter.delayMs(botId, { chatId, sendClass: sendClassOf(record.method) }),
      );
      if (waitMs > 0) soonest = Math.min(soonest, waitMs);
      else if (worker.busyLines.size < atOnce) begin(record, worker);
    }
    lookLater(botId, worker, Math.max(1, soonest));
  }

  function lookLater(botId: number, worker: Worker, ms: number): void {
    worker.cancelTimer();
    if (worker.stopping.signal.aborted) return;
    worker.cancelTimer = clock.after(ms, () => look(botId, worker));
  }

  function begin(record: OutboxRecord, worker: Worker): void {
    worker.busyLines.add(lineOf(record));
    inFlight.add(record.id);
    const done = sendOne(record, worker)
      .catch((error: unknown) => {
        if (!worker.stopping.signal.aborted) options.onError(error, record.botId);
        return false;
      })
      .then((settled) => {
        worker.busyLines.delete(lineOf(record));
        inFlight.remove(record.id);
        worker.running.delete(done);
        if (worker.stopping.signal.aborted) {
          (options.wakeOwner ?? wake)(record.botId);
          return;
        }
        // A send that could not be attempted waits for a while; otherwise it would be attempted in
        // a loop.
        if (settled) look(record.botId, worker);
        else lookLater(record.botId, worker, lookAgainMs);
      });
    worker.running.add(done);
  }

  /** Returns false if nothing could be done with the send. */
  async function sendOne(record: OutboxRecord, worker: Worker): Promise<boolean> {
    const { botId, chatId, createdAt, method, notBefore } = record;
    const bot = await deps.bots.get(botId);
    if (!bot || bot.disabled) return false;
    // The age counts from the last time it was queued: a send that a person repeats may be older.
    if (clock.now() - record.updatedAt >= mostWaitMs) return failOld(record);
    const priority = record.priority === 0 ? 'interactive' : 'bulk';
    const asked = { botId, chatId, method, priority, signal: worker.stopping.signal } as const;
    const turnAt = await deps.chatQueues.next(asked);
    const node = deps.node();
    const claimed = await claim(record, node);
    if (claimed !== 'claimed') return claimed === 'taken';
    deps.metrics?.sendWaited(clock.now() - Math.max(createdAt, notBefore));
    try {
      await deps.chatQueues.keep(turnAt, asked);
    } catch {
      await inFlight.record(record, () =>
        outbox.requeue({ id: record.id, node }, null, 0, clock.now()),
      );
      return false;
    }
    try {
      return await sendClaimed(record, worker, { bot, node });
    } finally {
      if (record.appId !== 0 && makesMessages(method))
        deps.appSends?.ended(outboxSendId(record.id));
    }
  }

  /** Fails a send that waited too long for its bot to be enabled, or for its turn. */
  async function failOld(record: OutboxRecord): Promise<boolean> {
    const node = deps.node();
    const claimed = await claim(record, node);
    if (claimed !== 'claimed') return claimed === 'taken';
    const call = { method: record.method, params: {} };
    const outcome: Outcome = { kind: 'failed', error: notSent('send_too_old') };
    const failing = writing({ record, node, call }, outcome, clock.now());
    return (await inFlight.record(record, failing)) === undefined;
  }

  /** Returns false if the outcome could not be recorded. */
  async function sendClaimed(
    record: OutboxRecord,
    worker: Worker,
    { bot, node }: { bot: BotRecord; node: string },
  ): Promise<boolean> {
    const { botId, chatId, method } = record;
    // A stop does not cut this short: it is better to wait for a written request than to leave its
    // outcome unknown.
    let call: PreparedCall = { method, params: {} };
    const send = (ready: PreparedCall) => {
      call = ready;
      return attempt(deps, bot, { ...ready, chatId });
    };
    const notPrepared = (error: unknown) => outcomeOfPreparing(error, botId);
    let outcome = await prepared(record).then(send, notPrepared);
    if (outcome.kind === 'refused' && record.context !== '' && deps.instead) {
      const refused = outcome;
      outcome = await deps
        .instead(record, call, refused.error)
        .then((other) => (other ? send(other) : refused), notPrepared);
    }
    if (outcome.kind === 'refused') await noteMove(record, outcome.error);
    const now = clock.now();
    noteOutcome(worker, outcome);
    return (
      (await inFlight.record(record, writing({ record, node, call }, outcome, now))) === undefined
    );
  }

  /**
   * Only this refusal tells a bot that does not see the messages of a group that it became a
   * supergroup.
   */
  async function noteMove({ botId, chatId }: OutboxRecord, error: PlatformRefused): Promise<void> {
    const movedTo = error.parameters.migrate_to_chat_id;
    if (movedTo === undefined) return;
    try {
      await deps.onChatMoved?.(chatId, movedTo);
    } catch (failure) {
      options.onError(failure, botId);
    }
  }

  /** `stale` means that this node may not send it at present. */
  async function claim(record: OutboxRecord, node: string): Promise<'claimed' | 'taken' | 'stale'> {
    const { id, botId } = record;
    const leaseEpoch = options.leaseEpochOf?.(botId);
    if (options.leaseEpochOf && leaseEpoch === undefined) return 'stale';
    try {
      return (await outbox.claim(record, node, clock.now(), leaseEpoch)) ? 'claimed' : 'taken';
    } catch (error) {
      if (error instanceof LeaseLost) return 'stale';
      if (!isOutage(error)) throw error;
      // The send may have been claimed despite the error, and certainly was not sent.
      const taken = { id, node };
      await inFlight.record(record, () => outbox.requeue(taken, null, 0, clock.now()));
      return 'stale';
    }
  }

  /** Returns the function that records an outcome; it may be called until it succeeds. */
  function writing(
    { record, node, call }: { record: OutboxRecord; node: string; call: PreparedCall },
    outcome: Outcome,
    now: number,
  ): () => Promise<void> {
    const taken = { id: record.id, node };
    const ended = (state: SendStateLabel) => deps.metrics?.sendEnded(record.botId, state);
    if (outcome.kind === 'sent') {
      ended('sent');
      return async () => {
        await succeed(record, call, outcome.result);
        if (record.context !== '') deps.onRouted?.(record.botId);
      };
    }
    const words = outcomeText(outcome);
    if (outcome.kind === 'unknown') {
      ended('unknown');
      return () => outbox.fail(taken, 'unknown', words, now);
    }
    const isOver = clock.now() - record.createdAt >= options.giveUpAfterMs;
    if (outcome.kind === 'refused' || outcome.kind === 'failed' || isOver) {
      ended('failed');
      return () => outbox.fail(taken, 'failed', words, now);
    }
    const delayMs =
      outcome.kind === 'wait'
        ? Math.min(outcome.seconds * 1000, maxPostponeMs)
        : backoffMs(record.attempts, { random: options.random });
    return () => outbox.requeue(taken, words, now + delayMs, now);
  }

  /** Nothing was sent if preparing failed, so it may be retried unless it can never succeed. */
  function outcomeOfPreparing(error: unknown, botId: number): Outcome {
    if (error instanceof PlatformUnreachable) return { kind: 'retry', error };
    if (error instanceof PlatformRefused) {
      if (error.kind === 'wait') {
        return { kind: 'wait', error, seconds: error.parameters.retry_after ?? 1 };
      }
      return { kind: error.kind === 'retry' ? 'retry' : 'refused', error };
    }
    if (error instanceof RelayError && !isOutage(error)) return { kind: 'failed', error };
    options.onError(error, botId);
    return isOutage(error)
      ? { kind: 'retry', error: notSent('send_waits_for_database') }
      : { kind: 'failed', error: notSent('send_internal_error') };
  }

  function noteOutcome(worker: Worker, { kind }: Outcome): void {
    const now = clock.monotonic();
    if (kind === 'sent' || kind === 'refused') {
      worker.unknowns = 0;
      worker.pausedUntil = 0;
    } else if (kind === 'unknown' && now >= worker.pausedUntil) {
      // Sends that were in flight together count as one.
      worker.unknowns++;
      worker.pausedUntil = now + backoffMs(worker.unknowns, { random: options.random });
    }
  }

  async function prepared(record: OutboxRecord): Promise<PreparedCall> {
    if (record.context !== '' && deps.prepare) return deps.prepare(record);
    return {
      method: record.method,
      params: JSON.parse(record.params) as Record<string, unknown>,
    };
  }

  function succeed(record: OutboxRecord, call: PreparedCall, result: unknown): Promise<void> {
    return recordSuccess(deps, { ...record, ...call }, result, function* (): Step<void> {
      if (record.context !== '' && deps.onSuccess) yield* deps.onSuccess(record, call, result);
    });
  }

  async function stop(botId: number): Promise<void> {
    const worker = workers.get(botId);
    if (!worker) return;
    workers.delete(botId);
    if (workers.size === 0) sweep.pause();
    worker.cancelTimer();
    worker.stopping.abort(stopped);
    await Promise.all(worker.running);
  }

  return {
    start(botId) {
      if (workers.has(botId)) return;
      const worker: Worker = {
        stopping: new AbortController(),
        busyLines: new Set(),
        running: new Set(),
        looking: false,
        lookAgain: false,
        unknowns: 0,
        pausedUntil: 0,
        cancelTimer: () => {},
      };
      workers.set(botId, worker);
      sweep.lookWithin(firstSweepMs);
      look(botId, worker);
    },
    stop,
    stopAll: async () => {
      await Promise.all([...workers.keys()].map(stop));
      await sweep.end();
    },
    wake,
    wakeAll() {
      for (const [botId, worker] of workers) look(botId, worker);
    },
  };
}

function notSent(
  code: 'send_waits_for_database' | 'send_internal_error' | 'send_too_old',
): RelayError {
  return new RelayError('internal', reason(code));
}
