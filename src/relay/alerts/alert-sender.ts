/*
 * Tells channels about alerts, with one message for each alert, which is edited when the alert
 * changes.
 *
 * For each alert and channel, one row holds the message and the version of the alert that it shows.
 * An open alert is due if it has no known message, or if its message shows an older version.
 *
 * Invariants: a message is queued once, on all nodes and over restarts, because its row and its
 * outbox entry share a commit; an edit waits until what is in flight for the message has ended; a
 * channel that cannot be used passes its alerts on to another one that may see them, and is told
 * later itself if that failed.
 */
import type { AlertChannel } from '../../core/alerts/alert-channel.ts';
import type { Alert } from '../../core/alerts/alerts.ts';
import { packReason } from '../../core/reasons/stored.ts';
import type { AlertMessage } from '../../store/alerts/alert-message-row.ts';
import type { Store } from '../../store/store.ts';
import { type AlertCallDeps, createAlertCalls } from './alert-calls.ts';
import { type AlertRound, createAlertFollow, intentFor } from './alert-follow.ts';
import { alertBody } from './alert-webhook.ts';
import { brokenChannels } from './broken-channels.ts';
import { createChannelChoice } from './channel-choice.ts';

interface AlertSenderDeps extends AlertCallDeps {
  store: Pick<Store, 'alertChannels' | 'alertMessages' | 'outbox' | 'bots' | 'runtime'>;
  publicUrl: string;
  /** Something waits to be sent through these bots. */
  onQueued(botIds: ReadonlySet<number>): void;
}

export interface AlertSender {
  /** Sends what is due; returns true while something is in flight. */
  round(): Promise<boolean>;
}

/** More alerts than this at once, together with those that still wait, become one message. */
const mostAtOnce = 10;
/** The end of an alert is no longer told after this time. */
const lateMs = 24 * 3_600_000;

export function createAlertSender(deps: AlertSenderDeps): AlertSender {
  const { clock, publicUrl, store } = deps;
  const { alertChannels, alertMessages: told, outbox } = store;
  const calls = createAlertCalls(deps);
  const follow = createAlertFollow({ store, publicUrl, calls });

  /** Sends through one channel what is due; returns true while something is in flight. */
  async function send(
    round: AlertRound,
    channel: AlertChannel,
    messages: readonly AlertMessage[],
  ): Promise<boolean> {
    const { alertOf, broken, choice, sends } = round;
    let isBusy = false;
    const inFlight = messages.filter(({ state }) => state === 'sending');
    // A channel that failed must prove with one message that it works.
    let room = channel.error === '' ? Number.POSITIVE_INFINITY : 1 - inFlight.length;
    for (const group of Map.groupBy(messages, ({ thread }) => thread).values()) {
      if (group[0]?.state === 'failed' && room < 1) continue;
      if (!(await follow(round, channel, group))) continue;
      isBusy = true;
      if (group[0]?.state === 'failed') room -= 1;
    }
    const fresh = [...alertOf.values()].filter(
      (alert) => choice.isUntold(channel, alert) && choice.isDue(channel, alert),
    );
    const problem = broken.get(channel.id);
    if (problem) {
      for (const alert of fresh) {
        const next = choice.instead(channel, alert);
        if (choice.isPassedOn(channel, alert, next)) continue;
        await told.skip(alert.id, channel.id, packReason(problem), next, round.now);
        isBusy = true;
      }
      return isBusy;
    }
    const waiting = new Set(
      inFlight
        .filter(({ intent }) => sends.get(intent)?.state === 'queued')
        .map(({ thread }) => thread),
    ).size;
    if (fresh.length === 0 || room < 1) return isBusy;
    if (channel.type === 'webhook') {
      for (const alert of fresh.slice(0, room)) await call(round, channel, alert);
    } else if (waiting + fresh.length <= mostAtOnce) {
      for (const alert of fresh.slice(0, room)) await post(round, channel, [alert]);
    } else if (waiting < mostAtOnce) await post(round, channel, fresh);
    return true;
  }

  async function post(
    { now, woken }: AlertRound,
    channel: AlertChannel,
    group: readonly Alert[],
  ): Promise<void> {
    const intent = intentFor(channel, group, 0, publicUrl);
    if (await told.begin(channel.id, group, { intent }, now)) woken.add(channel.bot_id);
  }

  async function call(
    { choice, now }: AlertRound,
    channel: AlertChannel,
    alert: Alert,
  ): Promise<void> {
    const body = alertBody('alert.opened', alert, publicUrl, now);
    if (!(await told.begin(channel.id, [alert], { body }, now))) return;
    const message = await told.get(alert.id, channel.id);
    if (message) calls(channel, message, choice.instead(channel, alert));
  }

  return {
    async round() {
      const now = clock.now();
      const [all, { alerts, messages }] = await Promise.all([
        alertChannels.list(),
        told.pending(now - lateMs),
      ]);
      const channels = all.filter(({ disabled }) => !disabled);
      if (channels.length === 0 || alerts.length === 0) return false;
      const broken = await brokenChannels(deps, channels);
      const alertOf = new Map(alerts.map((alert) => [alert.id, alert]));
      const inFlight = messages.filter(({ state }) => state === 'sending');
      const round: AlertRound = {
        now,
        alertOf,
        broken,
        choice: createChannelChoice({ now, channels, broken, alertOf, messages }),
        sends: await outbox.byKeys(inFlight.map(({ intent }) => intent)),
        woken: new Set(),
      };
      const messagesOf = Map.groupBy(messages, ({ channelId }) => channelId);
      let isBusy = false;
      for (const channel of channels) {
        if (await send(round, channel, messagesOf.get(channel.id) ?? [])) isBusy = true;
      }
      if (round.woken.size > 0) deps.onQueued(round.woken);
      return isBusy;
    },
  };
}
