import type { Sentences } from './shape.ts';

/** About alerts and their channels. */
export const alertReasons = {
  no_such_alert_channel: ({ channel_id }: { channel_id: number }) =>
    `Unknown alert channel ${channel_id}. List channels with GET /api/alerts/channels.`,
  no_open_alert: ({ alert_id }: { alert_id: number }) =>
    `Alert ${alert_id} is not open. List open alerts with GET /api/attention.`,
  names_no_channel: 'is not a known alert channel',
  too_many_alert_channels: ({ most }: { most: number }) =>
    `There can be at most ${most} alert channels. Delete one first.`,
  channel_field_needed: ({ type }: { type: string }) => `is required when type is ${type}`,
  channel_field_of_other: ({ type }: { type: string }) => `is for channels of type ${type}`,
  not_a_timezone: 'must be a time zone of the IANA database, such as Europe/Berlin',
  quiet_hours_empty: 'must differ from start',
  alert_bot_disabled: ({ bot_id }: { bot_id: number }) => `Bot ${bot_id} is disabled.`,
  alert_bot_refused: ({ bot_id }: { bot_id: number }) =>
    `Telegram refuses the token of bot ${bot_id}.`,
  alert_not_sent: ({ seconds }: { seconds: number }) => `It was not sent within ${seconds} s.`,
  alert_channel_moved: 'The alert channel was changed to another chat.',
} as const satisfies Sentences;
