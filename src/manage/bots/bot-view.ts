import { isoTime } from '../../core/iso-time.ts';
import { type Caller, hasScope } from '../../core/access/access.ts';
import {
  botSetting,
  botSettingNames,
  type BotSettingName,
  type BotSettings,
} from '../../core/bots/bot-settings.ts';
import {
  maskAddress,
  maskAddressesIn,
  maskReason,
  maskSecret,
  maskToken,
} from '../../core/bots/bot-token.ts';
import type { BotStatus } from '../../core/ports.ts';
import type { BotRecord } from '../../store/bots/bots.ts';

/** The bot in the API's form. */
export type BotView = ReturnType<typeof viewBot>;

/** Secrets are shown only to callers who could change them. */
export function viewBot(caller: Caller, bot: BotRecord, status: BotStatus | undefined) {
  const trusted = hasScope(caller, 'manage');
  const lastError = status?.lastError ?? '';
  const detail = status?.lastErrorDetail ?? null;
  return {
    id: bot.id,
    token: trusted ? bot.token : maskToken(bot.token),
    ...settingsOf(bot, trusted),
    source: bot.source,
    running: status?.running ?? false,
    disabled: bot.disabled,
    username: bot.username,
    platform_id: bot.platform_id,
    last_error: trusted ? lastError : maskAddressesIn(lastError),
    last_error_detail: trusted ? detail : maskReason(detail),
    last_activity: isoTime(status?.lastActivity ?? 0),
    backend_status: status?.backendStatus ?? '',
    backend_error: status?.backendError ?? '',
    backend_error_detail: status?.backendErrorDetail ?? null,
    backend_seen_at: isoTime(status?.backendSeenAt ?? 0),
    pending_updates: status?.pendingUpdates ?? 0,
    created_at: isoTime(bot.created_at),
  };
}

const masks = { address: maskAddress, secret: maskSecret };

function settingsOf(bot: BotRecord, trusted: boolean): BotSettings {
  const settings: Partial<Record<BotSettingName, BotSettings[BotSettingName]>> = {};
  for (const name of botSettingNames) {
    const { mask } = botSetting(name);
    settings[name] = mask && !trusted ? masks[mask](String(bot[name])) : bot[name];
  }
  return settings as BotSettings;
}
