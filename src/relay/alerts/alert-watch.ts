/*
 * Turns conditions into alerts, on one node at a time, and has them sent. Two nodes may safely do
 * this at once, because all state is in the database.
 */
import type { Clock } from '../../clock.ts';
import { isOutage } from '../../errors.ts';
import type { AlertEvent, Alert, Condition } from '../../core/alerts/alerts.ts';
import type { AlertConditionRepository } from '../../store/alerts/alert-conditions.ts';
import type { AlertLogRepository } from '../../store/alerts/alert-log.ts';
import type { AlertSender } from './alert-sender.ts';
import type { OutageAlert } from './outage-alert.ts';

interface AlertWatchDeps {
  clock: Clock;
  log: Pick<AlertLogRepository, 'settle' | 'removeResolved'>;
  conditions(): Promise<Condition[]>;
  sender: AlertSender;
  /** Undefined if there is no other node. */
  lead: AlertConditionRepository['lead'] | undefined;
  node(): string;
  outage?: OutageAlert;
  /** Reloads what every node has to know. */
  refresh?(): Promise<void>;
  publish(type: AlertEvent, alert: Alert): void;
  onError(error: unknown): void;
}

export interface AlertWatch {
  /** Looks once and sends what is due; returns true while something is in flight. */
  look(): Promise<boolean>;
  /** Runs until the signal aborts; resolves when it has ended. */
  run(signal: AbortSignal): Promise<void>;
  /** Looks soon, because something changed. */
  wake(): void;
}

/** This is a third of `leadMs`. */
const lookEveryMs = 10_000;
const sendEveryMs = 1_000;
/** Many changes may come at once, so looks keep this distance. */
const wokenEveryMs = 2_000;
/** Bots need a moment to start; their state is unknown before. */
const firstLookMs = 10_000;
const leadMs = 30_000;
const keptMs = 30 * 24 * 3_600_000;
const removeEveryMs = 3_600_000;
/** A pause of twenty times the last look limits looks to a twentieth of the time. */
const pauseFactor = 20;

export function createAlertWatch(deps: AlertWatchDeps): AlertWatch {
  const { clock, log, sender } = deps;
  let wakeUp = () => {};
  let lookedAt = Number.NEGATIVE_INFINITY;
  let removedAt = Number.NEGATIVE_INFINITY;
  let tookMs = 0;
  let isWoken = false;

  /** While the database is unavailable, the node that led before keeps the lead. */
  let isLeading = deps.lead === undefined;

  async function leads(): Promise<boolean> {
    if (deps.lead) isLeading = await deps.lead(deps.node(), clock.now(), leadMs);
    // The node that reported an outage reports its end, whichever node leads by then.
    if (!isLeading) await deps.outage?.up();
    return isLeading;
  }

  async function failed(error: unknown): Promise<void> {
    deps.onError(error);
    if (isOutage(error) && isLeading) await deps.outage?.down();
  }

  async function evaluate(): Promise<void> {
    const startedAt = clock.monotonic();
    isWoken = false;
    const found = await deps.conditions();
    const transitions = await log.settle(found, clock.now());
    // The outage ends only after a write, because a full disk can be read but not written.
    await deps.outage?.up();
    await deps.outage?.remember();
    for (const { type, alert } of transitions) deps.publish(type, alert);
    if (startedAt - removedAt >= removeEveryMs) {
      await log.removeResolved(clock.now() - keptMs);
      removedAt = startedAt;
    }
    lookedAt = clock.monotonic();
    tookMs = lookedAt - startedAt;
  }

  async function look(): Promise<boolean> {
    if (!(await leads())) return false;
    await evaluate();
    return sender.round();
  }

  /** Runs one turn of the loop, which sends more often than it looks. */
  async function step(): Promise<number> {
    await deps.refresh?.();
    if (!(await leads())) return lookEveryMs;
    const everyMs = () => Math.max(isWoken ? wokenEveryMs : lookEveryMs, tookMs * pauseFactor);
    if (clock.monotonic() - lookedAt >= everyMs()) await evaluate();
    const isBusy = await sender.round();
    const restMs = everyMs() - (clock.monotonic() - lookedAt);
    // The lead is renewed in time, however long a look takes.
    return isBusy ? sendEveryMs : Math.min(lookEveryMs, Math.max(sendEveryMs, restMs));
  }

  async function wait(ms: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    wakeUp = () => woken.abort(new Error('woken'));
    await clock.sleep(ms, AbortSignal.any([signal, woken.signal])).catch(() => {});
    wakeUp = () => {};
  }

  return {
    look,
    async run(signal) {
      await deps.refresh?.().catch(deps.onError);
      await clock.sleep(firstLookMs, signal).catch(() => {});
      while (!signal.aborted) {
        const pauseMs = await step().catch(async (error: unknown) => {
          if (!signal.aborted) await failed(error);
          return lookEveryMs;
        });
        await wait(pauseMs, signal);
      }
    },
    wake() {
      if (isWoken) return;
      isWoken = true;
      wakeUp();
    },
  };
}
