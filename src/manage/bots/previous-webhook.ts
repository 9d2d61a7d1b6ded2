/*
 * Shows and restores the webhook that a bot had before the relay took it over.
 *
 * Invariants: a token has one receiver, so the bot is stopped here before its webhook is set again;
 * nothing pending is dropped; if Telegram refuses the webhook, the bot runs as before.
 */
import { isoTime } from '../../core/iso-time.ts';
import { type Reason, reason, reasonText } from '../../core/reasons/reason.ts';
import type { Clock } from '../../clock.ts';
import { type Caller, hasScope } from '../../core/access/access.ts';
import type { BotRunner } from '../../core/ports.ts';
import { RelayError } from '../../errors.ts';
import type { BotRuntimeRepository, PreviousWebhook } from '../../store/cluster/bot-runtime.ts';
import type { BotRecord, BotRepository } from '../../store/bots/bots.ts';
import type { TelegramClient } from '../../telegram/client.ts';
import { toRelayError } from '../../telegram/errors.ts';

export interface PreviousWebhookView {
  /** '' for callers who may not see secrets, as addresses of webhooks often contain one. */
  url: string;
  /** Empty for Telegram's default. */
  allowed_updates: string[];
  /** 0 if Telegram did not report it. */
  max_connections: number;
  has_custom_certificate: boolean;
  removed_at: string;
}

export interface RestoredWebhook {
  id: number;
  disabled: boolean;
  url: string;
  allowed_updates: string[];
  max_connections: number;
  pending_update_count: number;
  /** Settings that could not be restored. */
  warnings: string[];
  warnings_detail: Reason[];
}

export interface WebhookRestorer {
  view(caller: Caller, botId: number): Promise<PreviousWebhookView | undefined>;
  restore(bot: BotRecord, secretToken: string): Promise<RestoredWebhook>;
}

interface WebhookInfo {
  url?: string;
  allowed_updates?: string[];
  max_connections?: number;
  pending_update_count?: number;
}

const timeoutMs = 10_000;
const defaultConnections = 40;

export function createWebhookRestorer(deps: {
  bots: Pick<BotRepository, 'update'>;
  runtime: Pick<BotRuntimeRepository, 'previousWebhook'>;
  telegram: TelegramClient;
  runner: BotRunner;
  clock: Clock;
  /** Called when a bot was stopped or started in the process. */
  publish(botId: number, change: 'disabled' | 'enabled'): void;
}): WebhookRestorer {
  const { bots, runtime, telegram, runner, clock } = deps;

  async function setDisabled(botId: number, disabled: boolean): Promise<void> {
    await bots.update(botId, { disabled }, clock.now());
    await runner.apply(botId);
    deps.publish(botId, disabled ? 'disabled' : 'enabled');
  }

  /** The webhook that Telegram reports; the requested one if Telegram does not report any. */
  async function present({ token }: BotRecord, asked: WebhookInfo): Promise<WebhookInfo> {
    try {
      const info = await telegram.call(token, 'getWebhookInfo', {}, { timeoutMs });
      return info as WebhookInfo;
    } catch {
      return asked;
    }
  }

  return {
    async view(caller, botId) {
      const previous = await runtime.previousWebhook(botId);
      if (!previous) return undefined;
      return {
        url: hasScope(caller, 'manage') ? previous.url : '',
        allowed_updates: [...(previous.allowed_updates ?? [])],
        max_connections: previous.max_connections ?? 0,
        has_custom_certificate: previous.has_custom_certificate ?? false,
        removed_at: isoTime(previous.removed_at ?? 0),
      };
    },
    async restore(bot, secretToken) {
      const stored = await runtime.previousWebhook(bot.id);
      if (!stored) {
        throw new RelayError(
          'no_previous_webhook',
          reason('no_previous_webhook', { bot_id: bot.id }),
        );
      }
      const asked = {
        url: stored.url,
        // Without a list, Telegram would keep using the list that the relay polled with.
        allowed_updates: [...(stored.allowed_updates ?? [])],
        max_connections: stored.max_connections ?? defaultConnections,
        ...(secretToken === '' ? {} : { secret_token: secretToken }),
      };
      if (!bot.disabled) await setDisabled(bot.id, true);
      try {
        await telegram.call(bot.token, 'setWebhook', asked, { timeoutMs });
      } catch (error) {
        if (!bot.disabled) await setDisabled(bot.id, false);
        throw toRelayError(error);
      }
      const info = await present(bot, asked);
      const warnings = warningsOf(stored, secretToken);
      return {
        id: bot.id,
        disabled: true,
        url: info.url ?? '',
        allowed_updates: info.allowed_updates ?? [],
        max_connections: info.max_connections ?? asked.max_connections,
        pending_update_count: info.pending_update_count ?? 0,
        warnings: warnings.map(reasonText),
        warnings_detail: warnings,
      };
    },
  };
}

function warningsOf(stored: PreviousWebhook, secretToken: string): Reason[] {
  return [
    ...(secretToken === '' ? [reason('webhook_secret_not_restored')] : []),
    ...(stored.has_custom_certificate ? [reason('webhook_certificate_not_restored')] : []),
  ];
}
