import type { Dispatcher } from 'undici';
import type { Clock } from '../../clock.ts';
import { backoffMs } from '../../core/backoff.ts';
import type { AlertChannel } from '../../core/alerts/alert-channel.ts';
import { packReason } from '../../core/reasons/stored.ts';
import type { AlertMessage } from '../../store/alerts/alert-message-row.ts';
import type { Store } from '../../store/store.ts';
import type { Background } from '../async/background.ts';
import { postAlert } from './alert-webhook.ts';

export interface AlertCallDeps {
  clock: Clock;
  random: () => number;
  store: Pick<Store, 'alertMessages'>;
  connections: Dispatcher;
  background: Background;
  onError(error: unknown): void;
}

/** An alert that was not sent by then goes through another channel, if there is one. */
export const stuckMs = 2 * 60_000;
const mostCalls = 8;
const callLeaseMs = 60_000;
const callPauses = { firstMs: 10_000, maxMs: 5 * 60_000 };

export type AlertCalls = ReturnType<typeof createAlertCalls>;

/** Calls a webhook in the background; meanwhile, the channel `next` may get the alert. */
export function createAlertCalls(deps: AlertCallDeps) {
  const { clock } = deps;
  const told = deps.store.alertMessages;

  async function callNow(
    channel: AlertChannel,
    message: AlertMessage,
    next: number,
  ): Promise<void> {
    if (!(await told.takeCall(message, clock.now() + callLeaseMs))) return;
    const { alertId, body, channelId, version } = message;
    const taken = { ...message, attempts: message.attempts + 1 };
    const id = `alert_${alertId}_${channelId}_${version}`;
    const problem = await postAlert({ ...deps, clock }, channel, { id, body });
    const now = clock.now();
    if (!problem) return told.sent(taken, 1, now);
    const why = packReason(problem);
    if (taken.attempts >= mostCalls) return told.failed(taken, why, () => next, now);
    const pauseMs = backoffMs(taken.attempts, { random: deps.random, ...callPauses });
    const isLate = now - message.updatedAt >= stuckMs;
    await told.postpone(taken, why, now + pauseMs, isLate ? next : 0, now);
  }

  return (channel: AlertChannel, message: AlertMessage, next: number): void => {
    deps.background.run(() => callNow(channel, message, next), deps.onError);
  };
}
