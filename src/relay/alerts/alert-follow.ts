/*
 * Continues with messages that were sent before: takes their results, and sends what changed since.
 * An edit waits until what is in flight for its message has ended.
 */
import { randomUUID } from 'node:crypto';
import type { AlertChannel } from '../../core/alerts/alert-channel.ts';
import type { Alert } from '../../core/alerts/alerts.ts';
import { alertAuthor } from '../../core/messages/author.ts';
import { topicParam } from '../../core/messages/topics.ts';
import type { RefusalCode } from '../../core/reasons/platform.ts';
import { type Reason, reason } from '../../core/reasons/reason.ts';
import { packReason } from '../../core/reasons/stored.ts';
import type { AlertMessage } from '../../store/alerts/alert-message-row.ts';
import type { OutboxIntent } from '../../store/outbox/outbox.ts';
import type { OutboxRecord } from '../../store/outbox/outbox-record.ts';
import type { Store } from '../../store/store.ts';
import { type AlertCalls, stuckMs } from './alert-calls.ts';
import { alertMessage } from './alert-message.ts';
import { alertBody } from './alert-webhook.ts';
import type { ChannelChoice } from './channel-choice.ts';

/** The input of one round: the alerts, their messages and the outcome of these. */
export interface AlertRound {
  now: number;
  alertOf: ReadonlyMap<number, Alert>;
  /** The channels that cannot be used, and why. */
  broken: ReadonlyMap<number, Reason>;
  choice: ChannelChoice;
  /** The sends in flight, by their keys. */
  sends: ReadonlyMap<string, OutboxRecord>;
  /** The bots through which something was queued. */
  woken: Set<number>;
}

/** An open alert that changes all the time updates its message at this interval. */
const changeEveryMs = 60_000;
const digestEveryMs = 10_000;
/** Calls that are due later than this need no closer look. */
const soonMs = 10_000;

interface FollowDeps {
  store: Pick<Store, 'alertMessages'>;
  publicUrl: string;
  calls: AlertCalls;
}

/** Returns a function that continues with a message; it returns true while it is in flight. */
export function createAlertFollow({ calls, publicUrl, store }: FollowDeps) {
  const told = store.alertMessages;

  /** Takes the result of a send. */
  async function settle(
    round: AlertRound,
    channel: AlertChannel,
    group: readonly AlertMessage[],
    message: AlertMessage,
  ): Promise<void> {
    const { now, sends } = round;
    const insteadOf = round.choice.insteadOf(channel);
    const isEdit = message.messageId !== 0;
    const send = sends.get(message.intent);
    switch (send?.state) {
      case undefined:
      case 'unknown':
        return told.sent(message, message.messageId, now);
      case 'sent':
        return told.sent(message, message.messageId || (send.messageId ?? 0), now);
      case 'failed':
        if (isEdit && !isBarred(send.errorDetail)) {
          const isSame = refusalOf(send.errorDetail) === 'unchanged';
          if (isSame) return told.sent(message, message.messageId, now);
          // The message was deleted, or it is too old to be edited.
          return change(round, channel, group, 0);
        }
        return told.failed(message, packReason(send.errorDetail), insteadOf, now);
      case 'queued': {
        // An edit may be late, because the message exists. So may a message that no other channel
        // could send.
        const isLate = now - message.updatedAt >= stuckMs && !isEdit;
        if (!isLate || !group.some(({ alertId }) => insteadOf(alertId) !== 0)) return;
        const late = reason('alert_not_sent', { seconds: stuckMs / 1_000 });
        return told.withdraw(message, packReason(late), insteadOf, now);
      }
      case 'sending':
    }
  }

  /**
   * Sends a message about all alerts of the group; edits the message with this ID, or sends a new
   * one if the ID is 0.
   */
  async function change(
    { alertOf, now, woken }: AlertRound,
    channel: AlertChannel,
    group: readonly AlertMessage[],
    messageId: number,
  ): Promise<void> {
    const about = group.flatMap(({ alertId }) => alertOf.get(alertId) ?? []);
    const intent = intentFor(channel, about, messageId, publicUrl);
    if (await told.renew(group, alertOf, { intent }, messageId, now)) woken.add(channel.bot_id);
  }

  return async (
    round: AlertRound,
    channel: AlertChannel,
    group: readonly AlertMessage[],
  ): Promise<boolean> => {
    const { alertOf, broken, choice, now } = round;
    const [first] = group;
    if (!first) return false;
    if (first.state === 'sending') {
      if (channel.type === 'telegram') await settle(round, channel, group, first);
      else if (first.nextAt <= now) calls(channel, first, choice.insteadOf(channel)(first.alertId));
      return first.nextAt - now < soonMs;
    }
    // An edit that failed is sent when the channel works again.
    const isLeft = first.state === 'failed' && first.messageId !== 0;
    if (first.state !== 'sent' && !(isLeft && !broken.has(channel.id))) return false;
    const about = group.flatMap(({ alertId }) => alertOf.get(alertId) ?? []);
    const stale = group.filter((one) => one.version < (alertOf.get(one.alertId)?.version ?? 0));
    if (stale.length === 0 && !isLeft) return false;
    const isOver = (isLeft ? group : stale).some(
      (one) => alertOf.get(one.alertId)?.resolvedAt !== 0,
    );
    const pauseMs = !isOver ? changeEveryMs : group.length > 1 ? digestEveryMs : 0;
    if (now - first.updatedAt < pauseMs) return isOver;
    if (!isOver && about.every(({ mutedUntil }) => mutedUntil > now)) return false;
    if (channel.type === 'webhook') {
      const alert = alertOf.get(first.alertId) as Alert;
      const wasOver = (JSON.parse(first.body) as { type: string }).type === 'alert.resolved';
      const type = isOver ? 'alert.resolved' : wasOver ? 'alert.opened' : 'alert.changed';
      const body = alertBody(type, alert, publicUrl, now);
      await told.renew([first], alertOf, { body }, first.messageId, now);
      return true;
    }
    // If the outcome of a message is unknown, only the end of its alert is told.
    if ((first.messageId === 0 && !isOver) || broken.has(channel.id)) return false;
    const isAgain =
      about.length === 1 && about.every((alert) => choice.isBack(channel, first, alert));
    if (isAgain && !about.every((alert) => choice.isOldEnough(channel, alert))) return false;
    await change(round, channel, group, isAgain ? 0 : first.messageId);
    return true;
  };
}

/** Builds a new message, or an edit of the one with this ID. */
export function intentFor(
  channel: AlertChannel,
  alerts: readonly Alert[],
  messageId: number,
  publicUrl: string,
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

const refusalOf = (why: Reason | null) =>
  why?.code === 'platform_refused_with_code' ? why.params.refusal : undefined;

const barring = new Set<RefusalCode | ''>(['no_rights', 'no_chat', 'blocked', 'not_there']);

/** True if the bot may not write into the chat, or cannot send at all. */
function isBarred(why: Reason | null): boolean {
  const refusal = refusalOf(why);
  if (why?.code !== 'platform_refused_with_code' || refusal === undefined) return true;
  return barring.has(refusal) || [401, 403].includes(why.params.error_code);
}
