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
import { randomUUID } from 'node:crypto';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../clock.ts';
import { backoffMs } from '../../core/backoff.ts';
import { type AlertChannel, maySee, wants } from '../../core/alerts/alert-channel.ts';
import type { Alert } from '../../core/alerts/alerts.ts';
import { alertAuthor } from '../../core/messages/author.ts';
import { isQuiet } from '../../core/alerts/quiet-hours.ts';
import type { RefusalCode } from '../../core/reasons/platform.ts';
import { type Reason, reason } from '../../core/reasons/reason.ts';
import { packReason, unpackReason } from '../../core/reasons/stored.ts';
import { topicParam } from '../../core/messages/topics.ts';
import type { AlertMessage } from '../../store/alerts/alert-messages.ts';
import type { OutboxIntent } from '../../store/outbox/outbox.ts';
import type { Store } from '../../store/store.ts';
import type { Background } from '../async/background.ts';
import { alertMessage } from './alert-message.ts';
import { alertBody, postAlert } from './alert-webhook.ts';

interface AlertSenderDeps {
  clock: Clock;
  random: () => number;
  store: Pick<Store, 'alertChannels' | 'alertMessages' | 'outbox' | 'bots' | 'runtime'>;
  publicUrl: string;
  connections: Dispatcher;
  background: Background;
  /** Something waits to be sent through these bots. */
  onQueued(botIds: ReadonlySet<number>): void;
  onError(error: unknown): void;
}

export interface AlertSender {
  /** Sends what is due; returns true while something is in flight. */
  round(): Promise<boolean>;
}

/** More alerts than this at once, together with those that still wait, become one message. */
const mostAtOnce = 10;
const minuteMs = 60_000;
/** An open alert that changes all the time updates its message at this interval. */
const changeEveryMs = minuteMs;
const digestEveryMs = 10_000;
/** An alert that was not sent by then goes through another channel, if there is one. */
const stuckMs = 2 * minuteMs;
/** A channel that failed is tried again with the first alert after this time. */
const coolDownMs = 10 * minuteMs;
/**
 * People are not notified of an edited message, so an alert that was over for this long gets a new
 * one.
 */
const backAfterMs = 5 * minuteMs;
/** The end of an alert is no longer told after this time. */
const lateMs = 24 * 60 * minuteMs;
const mostCalls = 8;
const callLeaseMs = minuteMs;
const callPauses = { firstMs: 10_000, maxMs: 5 * minuteMs };
/** Calls that are due later than this need no closer look. */
const soonMs = 10_000;

export function createAlertSender(deps: AlertSenderDeps): AlertSender {
  const { clock, publicUrl, store } = deps;
  const { alertChannels, alertMessages: told, outbox } = store;

  /** Finds the channels that cannot be used at the moment, and why. */
  async function unusable(channels: readonly AlertChannel[]): Promise<Map<number, Reason>> {
    const now = clock.now();
    const botIds = [...new Set(channels.map(({ bot_id }) => bot_id).filter((id) => id !== 0))];
    const [bots, states] = await Promise.all([store.bots.list(botIds), store.runtime.get(botIds)]);
    const disabled = new Set(bots.filter((bot) => bot.disabled).map(({ id }) => id));
    const refused = new Set(
      states
        .filter(({ state, lastError }) => state === 'refused' && isTokenRefused(lastError))
        .map(({ botId }) => botId),
    );
    const broken = new Map<number, Reason>();
    for (const { id, bot_id, error, failedAt } of channels) {
      if (disabled.has(bot_id)) broken.set(id, reason('alert_bot_disabled', { bot_id }));
      else if (refused.has(bot_id)) broken.set(id, reason('alert_bot_refused', { bot_id }));
      else if (error !== '' && now - failedAt < coolDownMs) {
        broken.set(id, unpackReason(error).detail ?? reason('verbatim', { text: error }));
      }
    }
    return broken;
  }

  async function round(): Promise<boolean> {
    const now = clock.now();
    const [all, { alerts, messages }] = await Promise.all([
      alertChannels.list(),
      told.pending(now - lateMs),
    ]);
    const channels = all.filter(({ disabled }) => !disabled);
    if (channels.length === 0 || alerts.length === 0) return false;
    const broken = await unusable(channels);
    const byId = new Map(alerts.map((alert) => [alert.id, alert]));
    const rowsOf = Map.groupBy(messages, ({ channelId }) => channelId);
    const known = new Map(messages.map((one) => [keyOf(one.alertId, one.channelId), one]));
    const assigned = new Set(messages.map(({ alertId, instead }) => keyOf(alertId, instead)));
    const sends = await outbox.byKeys(
      messages.filter(({ state }) => state === 'sending').map(({ intent }) => intent),
    );
    const woken = new Set<number>();
    let isBusy = false;

    for (const channel of channels) {
      const rows = rowsOf.get(channel.id) ?? [];
      const inFlight = rows.filter(({ state }) => state === 'sending');
      // A channel that failed must prove with one message that it works.
      let room = channel.error === '' ? Number.POSITIVE_INFINITY : 1 - inFlight.length;
      for (const group of Map.groupBy(rows, ({ thread }) => thread).values()) {
        if (group[0]?.state === 'failed' && room < 1) continue;
        if (!(await follow(channel, group))) continue;
        isBusy = true;
        if (group[0]?.state === 'failed') room -= 1;
      }
      const fresh = alerts.filter((alert) => isUntold(channel, alert) && isDue(channel, alert));
      const problem = broken.get(channel.id);
      if (problem) {
        for (const alert of fresh) await passOn(channel, alert, problem);
        continue;
      }
      const waiting = new Set(
        inFlight.filter(({ intent }) => sends.get(intent)?.state === 'queued').map(threadOf),
      ).size;
      if (fresh.length === 0 || room < 1) continue;
      isBusy = true;
      if (channel.type === 'webhook') {
        for (const alert of fresh.slice(0, room)) await call(channel, alert);
      } else if (waiting >= mostAtOnce) continue;
      else if (waiting + fresh.length > mostAtOnce) await post(channel, fresh);
      else for (const alert of fresh.slice(0, room)) await post(channel, [alert]);
    }
    if (woken.size > 0) deps.onQueued(woken);
    return isBusy;

    /**
     * True if the channel has no message about the alert, and no other channel was told instead.
     */
    function isUntold({ id }: AlertChannel, alert: Alert): boolean {
      const row = known.get(keyOf(alert.id, id));
      if (!row) return true;
      if (row.messageId !== 0 || row.state === 'sending' || row.state === 'sent') return false;
      const other = known.get(keyOf(alert.id, row.instead));
      const isTold = other?.state === 'sending' || other?.state === 'sent';
      return !isTold || !channels.some((channel) => channel.id === row.instead);
    }

    function isDue(channel: AlertChannel, alert: Alert): boolean {
      if (alert.resolvedAt !== 0 || alert.mutedUntil > now) return false;
      if (isQuiet(channel.quiet_hours, now)) return false;
      if (assigned.has(keyOf(alert.id, channel.id))) return true;
      return wants(channel, alert) && isOldEnough(channel, alert);
    }

    function isOldEnough(channel: AlertChannel, { openedAt }: Alert): boolean {
      return now >= openedAt + channel.delay_seconds * 1_000;
    }

    /**
     * Returns the next channel in order that may see the alert, preferably one that wants it; 0 if
     * there is none.
     */
    function instead({ id }: AlertChannel, alert: Alert | undefined): number {
      if (!alert) return 0;
      const at = channels.findIndex((one) => one.id === id);
      const others = [...channels.slice(at + 1), ...channels.slice(0, Math.max(at, 0))].filter(
        (other) => !broken.has(other.id) && maySee(other, alert),
      );
      return (others.find((other) => wants(other, alert)) ?? others[0])?.id ?? 0;
    }

    function insteadOf(channel: AlertChannel): (alertId: number) => number {
      return (alertId) => instead(channel, byId.get(alertId));
    }

    async function passOn(channel: AlertChannel, alert: Alert, why: Reason): Promise<void> {
      const next = instead(channel, alert);
      if (known.get(keyOf(alert.id, channel.id))?.instead === next) return;
      await told.skip(alert.id, channel.id, packReason(why), next, now);
      isBusy = true;
    }

    async function post(channel: AlertChannel, group: readonly Alert[]): Promise<void> {
      const intent = intentFor(channel, group, 0);
      if (await told.begin(channel.id, group, { intent }, now)) woken.add(channel.bot_id);
    }

    async function call(channel: AlertChannel, alert: Alert): Promise<void> {
      const body = alertBody('alert.opened', alert, publicUrl, now);
      if (!(await told.begin(channel.id, [alert], { body }, now))) return;
      const row = await told.get(alert.id, channel.id);
      if (row) callInBackground(channel, row);
    }

    /** Continues with a message; returns true while it is in flight. */
    async function follow(channel: AlertChannel, group: readonly AlertMessage[]): Promise<boolean> {
      const [first] = group;
      if (!first) return false;
      if (first.state === 'sending') {
        if (channel.type === 'telegram') await settle(channel, group, first);
        else if (first.nextAt <= now) callInBackground(channel, first);
        return first.nextAt - now < soonMs;
      }
      // An edit that failed is sent when the channel works again.
      const isLeft = first.state === 'failed' && first.messageId !== 0;
      if (first.state !== 'sent' && !(isLeft && !broken.has(channel.id))) return false;
      const about = group.flatMap(({ alertId }) => byId.get(alertId) ?? []);
      const stale = group.filter((one) => one.version < (byId.get(one.alertId)?.version ?? 0));
      if (stale.length === 0 && !isLeft) return false;
      const isOver = (isLeft ? group : stale).some(
        (one) => byId.get(one.alertId)?.resolvedAt !== 0,
      );
      const pauseMs = !isOver ? changeEveryMs : group.length > 1 ? digestEveryMs : 0;
      if (now - first.updatedAt < pauseMs) return isOver;
      if (!isOver && about.every(({ mutedUntil }) => mutedUntil > now)) return false;
      if (channel.type === 'webhook') {
        const alert = byId.get(first.alertId) as Alert;
        const wasOver = (JSON.parse(first.body) as { type: string }).type === 'alert.resolved';
        const type = isOver ? 'alert.resolved' : wasOver ? 'alert.opened' : 'alert.changed';
        const body = alertBody(type, alert, publicUrl, now);
        await told.renew([first], byId, { body }, first.messageId, now);
        return true;
      }
      // If the outcome of a message is unknown, only the end of its alert is told.
      if ((first.messageId === 0 && !isOver) || broken.has(channel.id)) return false;
      const isAgain = about.length === 1 && about.every((alert) => isBack(channel, first, alert));
      if (isAgain && !about.every((alert) => isOldEnough(channel, alert))) return false;
      await change(channel, group, isAgain ? 0 : first.messageId);
      return true;
    }

    /**
     * True if the alert is worth a new notification: it is critical, and people believed it was
     * over.
     */
    function isBack(
      channel: AlertChannel,
      { updatedAt }: AlertMessage,
      { openedAt, resolvedAt, severity }: Alert,
    ): boolean {
      if (resolvedAt !== 0 || severity !== 'critical') return false;
      return openedAt - updatedAt >= backAfterMs && !isQuiet(channel.quiet_hours, now);
    }

    /**
     * Sends a message about all alerts of the group; edits the message with this ID, or sends a new
     * one if the ID is 0.
     */
    async function change(
      channel: AlertChannel,
      group: readonly AlertMessage[],
      messageId: number,
    ): Promise<void> {
      const about = group.flatMap(({ alertId }) => byId.get(alertId) ?? []);
      const intent = intentFor(channel, about, messageId);
      if (await told.renew(group, byId, { intent }, messageId, now)) woken.add(channel.bot_id);
    }

    async function settle(
      channel: AlertChannel,
      group: readonly AlertMessage[],
      message: AlertMessage,
    ): Promise<void> {
      const isChange = message.messageId !== 0;
      const send = sends.get(message.intent);
      switch (send?.state) {
        case undefined:
        case 'unknown':
          return told.sent(message, message.messageId, now);
        case 'sent':
          return told.sent(message, message.messageId || (send.messageId ?? 0), now);
        case 'failed':
          if (isChange && !isBarred(send.errorDetail)) {
            const isSame = refusalOf(send.errorDetail) === 'unchanged';
            if (isSame) return told.sent(message, message.messageId, now);
            // The message was deleted, or it is too old to be edited.
            return change(channel, group, 0);
          }
          return told.failed(message, packReason(send.errorDetail), insteadOf(channel), now);
        case 'queued': {
          // An edit may be late, because the message exists. So may a message that no other channel
          // could send.
          const isLate = now - message.updatedAt >= stuckMs && !isChange;
          const next = insteadOf(channel);
          if (!isLate || !group.some(({ alertId }) => next(alertId) !== 0)) return;
          const late = reason('alert_not_sent', { seconds: stuckMs / 1_000 });
          return told.withdraw(message, packReason(late), next, now);
        }
        case 'sending':
      }
    }

    function callInBackground(channel: AlertChannel, message: AlertMessage): void {
      const next = insteadOf(channel)(message.alertId);
      deps.background.run(() => callNow(channel, message, next), deps.onError);
    }
  }

  async function callNow(
    channel: AlertChannel,
    message: AlertMessage,
    next: number,
  ): Promise<void> {
    if (!(await told.claim(message, clock.now() + callLeaseMs))) return;
    const { alertId, body, channelId, version } = message;
    const claimed = { ...message, attempts: message.attempts + 1 };
    const id = `alert_${alertId}_${channelId}_${version}`;
    const problem = await postAlert({ ...deps, clock }, channel, { id, body });
    const now = clock.now();
    if (!problem) return told.sent(claimed, 1, now);
    const why = packReason(problem);
    if (claimed.attempts >= mostCalls) return told.failed(claimed, why, () => next, now);
    const pauseMs = backoffMs(claimed.attempts, { random: deps.random, ...callPauses });
    const isLate = now - message.updatedAt >= stuckMs;
    await told.postpone(claimed, why, now + pauseMs, isLate ? next : 0, now);
  }

  /** Builds a new message, or an edit of the one with this ID. */
  function intentFor(
    channel: AlertChannel,
    alerts: readonly Alert[],
    messageId: number,
  ): OutboxIntent {
    const { bot_id: botId, chat_id: chatId, id, message_thread_id: topic } = channel;
    const said = alertMessage(channel, alerts, publicUrl);
    const isNew = messageId === 0;
    return {
      botId,
      chatId,
      method: isNew ? 'sendMessage' : 'editMessageText',
      params: {
        chat_id: chatId,
        ...(isNew ? topicParam(topic) : { message_id: messageId }),
        ...said,
        link_preview_options: { is_disabled: true },
      },
      origin: 'sent',
      // The row of the message makes it be sent once; after a failure the same text is sent with a
      // new key.
      intentKey: `alert:${alerts[0]?.id ?? 0}:${id}:${randomUUID()}`,
      priority: 'interactive',
      author: alertAuthor,
    };
  }

  return { round };
}

const keyOf = (alertId: number, channelId: number) => `${alertId} ${channelId}`;
const threadOf = ({ thread }: AlertMessage) => thread;

const isTokenRefused = (lastError: string) =>
  unpackReason(lastError).detail?.code === 'intake_token_refused';

const refusalOf = (why: Reason | null) =>
  why?.code === 'platform_refused_with_code' ? why.params.refusal : undefined;

const barring = new Set<RefusalCode | ''>(['no_rights', 'no_chat', 'blocked', 'not_there']);

/** True if the bot may not write into the chat, or cannot send at all. */
function isBarred(why: Reason | null): boolean {
  const refusal = refusalOf(why);
  if (why?.code !== 'platform_refused_with_code' || refusal === undefined) return true;
  return barring.has(refusal) || [401, 403].includes(why.params.error_code);
}
