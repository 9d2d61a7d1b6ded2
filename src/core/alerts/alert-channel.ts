import type { AlertKind, Alert, Severity } from './alerts.ts';
import { severities } from './alerts.ts';
import type { QuietHours } from './quiet-hours.ts';

export const channelTypes = ['telegram', 'webhook'] as const;
export type ChannelType = (typeof channelTypes)[number];

export interface ChannelSettings {
  /** The bot that writes; 0 for a webhook. */
  bot_id: number;
  chat_id: number;
  /** 0 for no topic. */
  message_thread_id: number;
  /** Only for webhooks. */
  url: string;
  /** [] for all. */
  kinds: readonly AlertKind[];
  bot_ids: readonly number[];
  min_severity: Severity;
  /** How long a condition must last before the channel is notified. */
  delay_seconds: number;
  quiet_hours: QuietHours | null;
  /** Who may press the buttons of a message. */
  allowed_user_ids: readonly number[];
}

/** A destination of alerts. */
export interface AlertChannel extends ChannelSettings {
  id: number;
  type: ChannelType;
  /** The secret of a webhook, whsec_…; '' for Telegram. */
  secret: string;
  disabled: boolean;
  /** Why the last alert did not arrive, in its stored form; '' if it arrived. */
  error: string;
  failedAt: number;
  /** When the last alert arrived; 0 if it failed, or none was sent. */
  sentAt: number;
  created_at: number;
  updated_at: number;
}

export const channelDefaults = {
  bot_id: 0,
  chat_id: 0,
  message_thread_id: 0,
  url: '',
  kinds: [],
  bot_ids: [],
  min_severity: 'warning',
  delay_seconds: 120,
  quiet_hours: null,
  allowed_user_ids: [],
} as const satisfies ChannelSettings;

/** Says whether people in a channel may see an alert, even one the channel did not ask for. */
export function maySee(
  { bot_ids }: Pick<AlertChannel, 'bot_ids'>,
  { botId }: Pick<Alert, 'botId'>,
): boolean {
  return bot_ids.length === 0 || bot_ids.includes(botId);
}

/** Says whether a channel is configured to receive an alert. */
export function wants(
  channel: Pick<AlertChannel, 'kinds' | 'bot_ids' | 'min_severity'>,
  alert: Pick<Alert, 'kind' | 'botId' | 'severity' | 'params'>,
): boolean {
  const { target_bot_id: target } = alert.params;
  if (alert.kind === 'route_to_disabled' && target !== undefined) {
    // Send one alert per cause: the alert about the disabled bot already counts its routes.
    const cause = { ...alert, kind: 'bot_disabled' as const, botId: target };
    if (wants(channel, cause)) return false;
  }
  if (severities.indexOf(alert.severity) < severities.indexOf(channel.min_severity)) return false;
  if (channel.kinds.length > 0 && !channel.kinds.includes(alert.kind)) return false;
  return maySee(channel, alert);
}
