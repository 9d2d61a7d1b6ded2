import { type Caller, hasScope } from '../../core/access/access.ts';
import { maskAddress, maskAddressesIn, maskSecret, maskToken } from '../../core/bots/bot-token.ts';
import type { BotStatus } from '../../core/ports.ts';
import type { BotRecord } from '../../store/bots/bots.ts';

/** A bot as the API shows it, in the order of the contract. */
export interface BotView {
  id: number;
  token: string;
  name: string;
  source: 'cli' | 'web';
  manage_enabled: boolean;
  proxy_enabled: boolean;
  backend_url: string;
  secret_token: string;
  long_poll_enabled: boolean;
  description: string;
  running: boolean;
  webhook_mode: boolean;
  disabled: boolean;
  username: string;
  platform_id: number;
  last_error: string;
  last_activity: string;
  backend_status: BotStatus['backendStatus'];
  backend_error: string;
  backend_seen_at: string;
  pending_updates: number;
  llm_routing_enabled: boolean;
  created_at: string;
}

/** Secrets are shown only to those who could change them. */
export function viewBot(caller: Caller, bot: BotRecord, status: BotStatus | undefined): BotView {
  const trusted = hasScope(caller, 'manage');
  const lastError = status?.lastError ?? '';
  return {
    id: bot.id,
    token: trusted ? bot.token : maskToken(bot.token),
    name: bot.name,
    source: bot.source,
    manage_enabled: bot.manage_enabled,
    proxy_enabled: bot.proxy_enabled,
    backend_url: trusted ? bot.backend_url : maskAddress(bot.backend_url),
    secret_token: trusted ? bot.secret_token : maskSecret(bot.secret_token),
    long_poll_enabled: bot.long_poll_enabled,
    description: bot.description,
    running: status?.running ?? false,
    webhook_mode: bot.webhook_mode,
    disabled: bot.disabled,
    username: bot.username,
    platform_id: bot.platform_id,
    last_error: trusted ? lastError : maskAddressesIn(lastError),
    last_activity: moment(status?.lastActivity ?? 0),
    backend_status: status?.backendStatus ?? '',
    backend_error: status?.backendError ?? '',
    backend_seen_at: moment(status?.backendSeenAt ?? 0),
    pending_updates: status?.pendingUpdates ?? 0,
    llm_routing_enabled: bot.llm_routing_enabled,
    created_at: moment(bot.created_at),
  };
}

export function moment(ms: number): string {
  return ms === 0 ? '' : new Date(ms).toISOString();
}
