/*
 * Feeds broadcasts into the outbox, a few sends at a time, so that ordinary sends find it nearly
 * empty and memory does not grow with the audience. The node that runs the bot does this.
 *
 * Invariant: all progress is in the database; this loop only asks for the next step, so it may stop
 * at any point and another node may go on.
 */
import type { Clock } from '../../clock.ts';
import { maxPostponeMs } from './queued-sender.ts';
import type { BroadcastOutcome } from '../../store/outbox/broadcast-settle.ts';
import {
  type BroadcastSend,
  type BroadcastSteps,
  needsAudience,
} from '../../store/outbox/broadcast-steps.ts';
import { outcomeOf } from '../../core/messages/broadcast.ts';
import { type Reason, reason } from '../../core/reasons/reason.ts';
import { packReason } from '../../core/reasons/stored.ts';
import { LeaseLost } from '../../store/cluster/leases.ts';
import type { BroadcastRepository } from '../../store/outbox/broadcasts.ts';

export interface BroadcastRunner {
  /** Runs until the signal is aborted. */
  keepRunning(signal: AbortSignal): Promise<void>;
  /** A broadcast was started or resumed. */
  wake(): void;
}

export interface BroadcastRunnerDeps {
  clock: Clock;
  broadcasts: BroadcastRepository;
  steps: BroadcastSteps;
  leaseEpochOf(botId: number): number | undefined;
  /** These bots have something to send. */
  onQueued(botIds: ReadonlySet<number>): void;
  /** The progress changed; the outcomes are those of new messages. */
  onProgress(botId: number, outcomes: readonly BroadcastOutcome[]): void;
  onError(error: unknown, botId: number): void;
}

/** A second's worth of sends. */
const mostInOutbox = 25;
const mostPaidInOutbox = 250;
const busyMs = 200;
const idleMs = 5_000;
/** A broadcast that waits shows this often that it does not stand still. */
const noteEveryMs = 60_000;
/** Nobody expects a broadcast to go on that stood still for longer. */
const mostStillMs = 24 * 3_600_000;

export function createBroadcastRunner(deps: BroadcastRunnerDeps): BroadcastRunner {
  const { broadcasts, clock, leaseEpochOf, onError, onProgress, onQueued, steps } = deps;
  let wakeUp = () => {};
  let isWoken = false;

  /** Returns true if there is more to do soon. */
  async function step(id: number, botId: number): Promise<boolean> {
    const leaseEpoch = leaseEpochOf(botId);
    if (leaseEpoch === undefined) return false;
    const running = { id, botId, leaseEpoch };
    const broadcast = await broadcasts.get(id);
    if (!broadcast) return false;
    const now = clock.now();
    if (broadcast.state === 'running' && now - broadcast.updatedAt > mostStillMs) {
      await broadcasts.halt(id, 'paused', now, reason('broadcast_stood_still'));
      return true;
    }
    if (needsAudience(broadcast)) {
      await steps.addAudience(running, now);
      return true;
    }
    const sends = await steps.sends(broadcast);
    const outcomes = sends.flatMap((send) => ended(send) ?? []);
    // If Telegram asks for a pause, the whole broadcast takes it.
    const isPutOff = sends.some(
      // No send is put off for longer, so the clock was set back since.
      ({ notBefore, state }) =>
        state === 'queued' && notBefore > now && notBefore - now <= maxPostponeMs,
    );
    if (isPutOff && outcomes.length === 0 && now - broadcast.updatedAt < noteEveryMs) return true;
    const { allow_paid_broadcast: isPaid } = broadcast.options;
    const most = isPutOff ? 0 : isPaid ? mostPaidInOutbox : mostInOutbox;
    const queued = await steps.advance(running, outcomes, most, now);
    if (outcomes.length > 0 || queued === undefined) {
      onProgress(botId, broadcast.task === 'send' ? outcomes : []);
    }
    if (queued) onQueued(new Set([botId]));
    return queued !== undefined;
  }

  async function look(): Promise<boolean> {
    let isBusy = false;
    try {
      const active = await broadcasts.active();
      if (active.length === 0) return false;
      await broadcasts.pauseDisabled(clock.now());
      for (const { botId, id } of active) {
        try {
          isBusy = (await step(id, botId)) || isBusy;
        } catch (error) {
          if (!(error instanceof LeaseLost)) onError(error, botId);
        }
      }
    } catch (error) {
      onError(error, 0);
    }
    return isBusy;
  }

  return {
    async keepRunning(signal) {
      signal.addEventListener('abort', () => wakeUp(), { once: true });
      while (!signal.aborted) {
        isWoken = false;
        const isBusy = await look();
        if (isWoken || signal.aborted) continue;
        const { promise, resolve } = Promise.withResolvers<void>();
        wakeUp = resolve;
        const cancel = clock.after(isBusy ? busyMs : idleMs, resolve);
        await promise;
        cancel();
      }
    },
    wake() {
      isWoken = true;
      wakeUp();
    },
  };
}

const isTokenRefused = (error: Reason | null) =>
  error?.code === 'platform_refused_with_code' && error.params.error_code === 401;

/** Undefined while the send has not ended. */
function ended({
  chatId,
  error,
  errorDetail,
  messageId,
  state,
}: BroadcastSend): BroadcastOutcome | undefined {
  if (state !== 'sent' && state !== 'failed' && state !== 'unknown') return undefined;
  return {
    chatId,
    messageId,
    // The stored form, so that clients get the code as well.
    error: state === 'sent' ? '' : errorDetail ? packReason(errorDetail) : error,
    state:
      state !== 'failed' ? state : isTokenRefused(errorDetail) ? 'waiting' : outcomeOf(errorDetail),
  };
}
