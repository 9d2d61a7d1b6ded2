import { type Caller, hasScope } from '../../core/access/access.ts';
import { maskAddressesIn, maskReason } from '../../core/bots/bot-token.ts';
import { isoTime } from '../../core/iso-time.ts';
import type { BotStatus } from '../../core/ports.ts';
import { type Reason, reasonText, verbatim } from '../../core/reasons/reason.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { BotIdentity } from './bot-identity.ts';
import type { BotView } from './bot-view.ts';
import type { PreviousWebhookView } from './previous-webhook.ts';

export interface BotHealth {
  id: number;
  healthy: boolean;
  running: boolean;
  disabled: boolean;
  platform_ok: boolean;
  platform_latency_ms: number;
  last_error: string;
  last_error_detail: Reason | null;
  last_activity: string;
  backend_status: BotView['backend_status'];
  pending_updates: number;
  /** Set for a bot that had another receiver before. */
  previous_webhook?: PreviousWebhookView;
}

interface HealthFacts {
  identity: BotIdentity;
  /** The time in which Telegram said who the bot is. */
  latencyMs: number;
  status: BotStatus | undefined;
  previous: PreviousWebhookView | undefined;
}

/** Shows a bot's health; those who only read do not see addresses. */
export function healthOf(
  caller: Caller,
  bot: BotRecord,
  { identity, latencyMs, status, previous }: HealthFacts,
): BotHealth {
  const platformOk = identity.outcome === 'known';
  const problem = problemOf(identity);
  const trusted = hasScope(caller, 'manage');
  const lastError = problem ? reasonText(problem) : (status?.lastError ?? '');
  const detail = problem ?? status?.lastErrorDetail ?? null;
  return {
    id: bot.id,
    healthy:
      platformOk &&
      (status?.running ?? false) &&
      !['failing', 'paused'].includes(status?.backendStatus ?? ''),
    running: status?.running ?? false,
    disabled: bot.disabled,
    platform_ok: platformOk,
    platform_latency_ms: latencyMs,
    last_error: trusted ? lastError : maskAddressesIn(lastError),
    last_error_detail: trusted ? detail : maskReason(detail),
    last_activity: isoTime(status?.lastActivity ?? 0),
    backend_status: status?.backendStatus ?? '',
    pending_updates: status?.pendingUpdates ?? 0,
    ...(previous ? { previous_webhook: previous } : {}),
  };
}

/** Returns why Telegram could not confirm a bot; undefined if it did. */
function problemOf(identity: BotIdentity): Reason | undefined {
  if (identity.outcome === 'unreachable') return identity.why;
  return identity.outcome === 'refused' ? verbatim(identity.description) : undefined;
}
