/*
 * Tells channels about alerts: one message for each alert, which is changed when the alert changes.
 *
 * Invariants: a message is queued once, on all nodes and over restarts, because its row and its
 * place in the outbox are one commit; what is in flight for a message is awaited before the next
 * change of it; a channel that cannot be used passes its alerts on to the next one.
 */
import type { Dispatcher } from 'undici';
import type { Clock } from '../../clock.ts';
import { backoffMs } from '../../core/backoff.ts';
import { type AlertChannel, wants } from '../../core/ops/alert-channel.ts';
import type { AlertRecord } from '../../core/ops/alerts.ts';
import { isQuiet } from '../../core/ops/quiet-hours.ts';
import type { RefusalCode } from '../../core/reasons/platform.ts';
import { type Reason, reason } from '../../core/reasons/reason.ts';
import { packReason, unpackReason } from '../../core/reasons/stored.ts';
import type { AlertMessage } from '../../store/ops/alert-messages.ts';
import type { OutboxIntent, OutboxRecord } from '../../store/outbox/outbox.ts';
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
  /** Sends what is due; true while something is in flight. */
  round(): Promise<boolean>;
}

/** More of them at once become one message. */
const mostAtOnce = 10;
const minuteMs = 60_000;
/** An open alert that changes all the time is told now and then. */
const changeEveryMs = minuteMs;
const digestEveryMs = 10_000;
/** What was not sent until then goes through another channel. */
const stuckMs = 2 * minuteMs;
/** A channel that failed is tried again with the first alert after that. */
const coolDownMs = 10 * minuteMs;
const mostCalls = 8;
const callLeaseMs = minuteMs;
const longestPauseMs = 5 * minuteMs;

export function createAlertSender(deps: AlertSenderDeps): AlertSender {
  const { clock, publicUrl, store } = deps;
  const { alertChannels, alertMessages: told, outbox } = store;

  /** Channels that cannot be used at the moment, and why. */
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
    const [all, { alerts, messages }] = await Promise.all([alertChannels.list(), told.pending()]);
    const channels = all.filter(({ disabled }) => !disabled);
    if (channels.length === 0 || alerts.length === 0) return false;
    const now = clock.now();
    const broken = await unusable(channels);
    const byId = new Map(alerts.map((alert) => [alert.id, alert]));
    const sends = await outbox.byKeys(
      messages.filter(({ state }) => state === 'sending').map(({ intent }) => intent),
    );
    const woken = new Set<number>();
    let isBusy = false;

    for (const channel of channels) {
      const rows = messages.filter(({ channelId }) => channelId === channel.id);
      const known = new Set(rows.map(({ alertId }) => alertId));
      const fresh = alerts.filter((alert) => !known.has(alert.id) && isDue(channel, alert));
      for (const group of Map.groupBy(rows, ({ thread }) => thread).values()) {
        if (await follow(channel, group)) isBusy = true;
      }
      if (fresh.length === 0) continue;
      isBusy = true;
      const problem = broken.get(channel.id);
      if (problem) {
        for (const { id } of fresh) {
          await told.skip(id, channel.id, packReason(problem), instead(channel), now);
        }
      } else if (channel.type === 'webhook') {
        for (const alert of fresh) await call(channel, alert);
      } else if (fresh.length > mostAtOnce) await post(channel, fresh);
      else for (const alert of fresh) await post(channel, [alert]);
    }
    if (woken.size > 0) deps.onQueued(woken);
    return isBusy;

    function isDue(channel: AlertChannel, alert: AlertRecord): boolean {
      if (alert.resolvedAt !== 0 || alert.mutedUntil > now) return false;
      if (isQuiet(channel.quiet_hours, now)) return false;
      const isAssigned = messages.some(
        (one) => one.alertId === alert.id && one.instead === channel.id,
      );
      if (isAssigned) return true;
      return wants(channel, alert) && now >= alert.openedAt + channel.delay_seconds * 1_000;
    }

    /** The next channel in their order; 0 for none. */
    function instead({ id }: AlertChannel): number {
      const at = channels.findIndex((one) => one.id === id);
      const others = [...channels.slice(at + 1), ...channels.slice(0, Math.max(at, 0))];
      return others.find((other) => !broken.has(other.id))?.id ?? 0;
    }

    async function post(channel: AlertChannel, group: readonly AlertRecord[]): Promise<void> {
      const intent = intentFor(channel, group, 0);
      if (await told.begin(channel.id, group, { intent }, now)) woken.add(channel.bot_id);
    }

    async function call(channel: AlertChannel, alert: AlertRecord): Promise<void> {
      const body = alertBody('alert.opened', alert, publicUrl, now);
      if (!(await told.begin(channel.id, [alert], { body }, now))) return;
      const row = await told.get(alert.id, channel.id);
      if (row) callInBackground(channel, row);
    }

    /** Goes on with a message; true while it is in flight. */
    async function follow(channel: AlertChannel, group: readonly AlertMessage[]): Promise<boolean> {
      const [first] = group;
      if (!first) return false;
      if (first.state === 'sending') {
        if (channel.type === 'webhook') {
          if (first.nextAt <= now) callInBackground(channel, first);
        } else await settle(channel, first, sends.get(first.intent));
        return true;
      }
      if (first.state !== 'sent') return false;
      const about = group.flatMap(({ alertId }) => byId.get(alertId) ?? []);
      const stale = group.filter((one) => one.version < (byId.get(one.alertId)?.version ?? 0));
      if (stale.length === 0) return false;
      const isOver = stale.some((one) => byId.get(one.alertId)?.resolvedAt !== 0);
      const pauseMs = !isOver ? changeEveryMs : group.length > 1 ? digestEveryMs : 0;
      if (now - first.updatedAt < pauseMs) return isOver;
      if (!isOver && about.every(({ mutedUntil }) => mutedUntil > now)) return false;
      if (channel.type === 'webhook') {
        const alert = byId.get(first.alertId) as AlertRecord;
        const wasOver = (JSON.parse(first.body) as { type: string }).type === 'alert.resolved';
        const type = isOver ? 'alert.resolved' : wasOver ? 'alert.opened' : 'alert.changed';
        const body = alertBody(type, alert, publicUrl, now);
        await told.renew([first], byId, { body }, now);
        return true;
      }
      // Of a message whose fate is not known, only the end is told.
      if ((first.messageId === 0 && !isOver) || broken.has(channel.id)) return false;
      const intent = intentFor(channel, about, first.messageId);
      if (await told.renew(group, byId, { intent }, now)) woken.add(channel.bot_id);
      return true;
    }

    async function settle(
      channel: AlertChannel,
      message: AlertMessage,
      send: OutboxRecord | undefined,
    ): Promise<void> {
      const isChange = message.messageId !== 0;
      switch (send?.state) {
        case undefined:
        case 'unknown':
          return told.sent(message, message.messageId, now);
        case 'sent':
          return told.sent(message, message.messageId || (send.messageId ?? 0), now);
        case 'failed':
          if (isChange && !isBarred(send.errorDetail)) {
            // It says so already, or somebody deleted the message.
            const isSame = refusalOf(send.errorDetail) === 'unchanged';
            return told.sent(message, isSame ? message.messageId : 0, now);
          }
          return told.failed(message, packReason(send.errorDetail), instead(channel), now);
        case 'queued': {
          if (now - message.updatedAt < stuckMs) return;
          const late = reason('alert_not_sent', { seconds: stuckMs / 1_000 });
          return told.failed(message, packReason(late), instead(channel), now);
        }
        case 'sending':
      }
    }

    function callInBackground(channel: AlertChannel, message: AlertMessage): void {
      const next = instead(channel);
      deps.background.run(() => callNow(channel, message, next), deps.onError);
    }
  }

  async function callNow(
    channel: AlertChannel,
    message: AlertMessage,
    next: number,
  ): Promise<void> {
    if (!(await told.claim(message, clock.now() + callLeaseMs))) return;
    const { alertId, attempts, body, channelId, version } = message;
    const id = `alert_${alertId}_${channelId}_${version}`;
    const problem = await postAlert({ ...deps, clock }, channel, { id, body });
    const now = clock.now();
    if (!problem) await told.sent(message, 0, now);
    else if (attempts + 1 >= mostCalls) {
      await told.failed(message, packReason(problem), next, now);
    } else {
      const pause = { random: deps.random, maxMs: longestPauseMs };
      await told.postpone(message, packReason(problem), now + backoffMs(attempts + 1, pause));
    }
  }

  /** A new message, or a change of the one with that id. */
  function intentFor(
    channel: AlertChannel,
    alerts: readonly AlertRecord[],
    messageId: number,
  ): OutboxIntent {
    const { bot_id: botId, chat_id: chatId, id, message_thread_id: topic } = channel;
    const said = alertMessage(channel, alerts, publicUrl);
    const versions = alerts.reduce((sum, { version }) => sum + version, 0);
    const isNew = messageId === 0;
    return {
      botId,
      chatId,
      method: isNew ? 'sendMessage' : 'editMessageText',
      params: {
        chat_id: chatId,
        ...(isNew ? (topic === 0 ? {} : { message_thread_id: topic }) : { message_id: messageId }),
        ...said,
        link_preview_options: { is_disabled: true },
      },
      origin: 'sent',
      intentKey: `alert:${alerts[0]?.id ?? 0}:${id}:${versions}`,
      priority: 'interactive',
    };
  }

  return { round };
}

const isTokenRefused = (lastError: string) =>
  unpackReason(lastError).detail?.code === 'intake_token_refused';

const refusalOf = (why: Reason | null) =>
  why?.code === 'platform_refused_with_code' ? why.params.refusal : undefined;

const barring = new Set<RefusalCode | ''>(['no_rights', 'no_chat', 'blocked', 'not_there']);

/** The bot may not write into the chat, or not at all. */
function isBarred(why: Reason | null): boolean {
  const refusal = refusalOf(why);
  if (why?.code !== 'platform_refused_with_code' || refusal === undefined) return true;
  return barring.has(refusal) || [401, 403].includes(why.params.error_code);
}
