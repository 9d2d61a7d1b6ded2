/*
 * Decides which channel tells people about an alert, and whether it is due. A channel that cannot
 * be used passes its alerts on to another one that may see them.
 */
import { type AlertChannel, maySee, wants } from '../../core/alerts/alert-channel.ts';
import type { Alert } from '../../core/alerts/alerts.ts';
import { isQuiet } from '../../core/alerts/quiet-hours.ts';
import type { AlertMessage } from '../../store/alerts/alert-message-row.ts';

/**
 * People are not notified of an edited message, so an alert that was over for this long gets a new
 * one.
 */
const backAfterMs = 5 * 60_000;

export type ChannelChoice = ReturnType<typeof createChannelChoice>;

export function createChannelChoice({
  alertOf,
  broken,
  channels,
  messages,
  now,
}: {
  now: number;
  channels: readonly AlertChannel[];
  /** The channels that cannot be used. */
  broken: { has(channelId: number): boolean };
  alertOf: ReadonlyMap<number, Alert>;
  /** What was sent before. */
  messages: readonly AlertMessage[];
}) {
  const known = new Map(messages.map((one) => [keyOf(one.alertId, one.channelId), one]));
  const assigned = new Set(messages.map(({ alertId, instead }) => keyOf(alertId, instead)));

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
    // Somebody already takes care of it.
    if (alert.acknowledgedAt !== 0) return false;
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

  /** Returns the same for one channel, by the ID of the alert. */
  const insteadOf = (channel: AlertChannel) => (alertId: number) =>
    instead(channel, alertOf.get(alertId));

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

  /** Says whether the channel already passed this alert on to that other one. */
  function isPassedOn({ id }: AlertChannel, alert: Alert, next: number): boolean {
    return known.get(keyOf(alert.id, id))?.instead === next;
  }

  return { instead, insteadOf, isBack, isDue, isOldEnough, isPassedOn, isUntold };
}

const keyOf = (alertId: number, channelId: number) => `${alertId} ${channelId}`;
