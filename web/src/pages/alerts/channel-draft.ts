import {
  type AlertChannel,
  type AlertKind,
  type ChannelChange,
  type NewChannel,
} from '../../api/alerts.ts';

/** A channel in the form of the form's fields. */
export interface ChannelDraft {
  type: AlertChannel['type'];
  bot_id: number;
  chat_id: number | undefined;
  topic: string | number;
  url: string;
  kinds: AlertKind[];
  bot_ids: number[];
  min_severity: AlertChannel['min_severity'];
  delay_seconds: string | number;
  isQuiet: boolean;
  quiet: NonNullable<AlertChannel['quiet_hours']>;
  allowed_user_ids: string[];
}

export function draftOf(
  channel: AlertChannel | undefined,
  fallback: { botId: number; timezone: string },
): ChannelDraft {
  const quiet_hours = channel?.quiet_hours ?? null;
  return {
    type: channel?.type ?? 'telegram',
    bot_id: channel?.bot_id || fallback.botId,
    chat_id: channel?.chat_id || undefined,
    topic: channel?.message_thread_id || '',
    url: channel?.url ?? '',
    kinds: channel?.kinds ?? [],
    bot_ids: channel?.bot_ids ?? [],
    min_severity: channel?.min_severity ?? 'warning',
    delay_seconds: channel?.delay_seconds ?? 120,
    isQuiet: quiet_hours !== null,
    quiet: quiet_hours ?? { start: '22:00', end: '07:00', timezone: fallback.timezone },
    allowed_user_ids: (channel?.allowed_user_ids ?? []).map(String),
  };
}

type Settings = Omit<NewChannel, 'type'>;

/** Returns only the settings that belong to the type. */
export function settingsOf(draft: ChannelDraft): Settings {
  const { bot_id, bot_ids, kinds, min_severity, type } = draft;
  const filters = {
    kinds,
    bot_ids,
    min_severity,
    delay_seconds: Number(draft.delay_seconds),
    quiet_hours: draft.isQuiet ? draft.quiet : null,
  };
  if (type === 'webhook') return { ...filters, url: draft.url.trim() };
  return {
    ...filters,
    bot_id,
    chat_id: draft.chat_id ?? 0,
    message_thread_id: Number(draft.topic),
    allowed_user_ids: draft.allowed_user_ids.map(Number),
  };
}

/** Returns a request that restores a channel as it was. */
export function changeTo(channel: AlertChannel): ChannelChange {
  return { id: channel.id, ...settingsOf(draftOf(channel, { botId: 0, timezone: '' })) };
}
