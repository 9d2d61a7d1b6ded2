import type { Config } from '../../config.ts';
import { commandProblem } from '../../core/apps/app-filter.ts';
import type { BotSettings } from '../../core/bots/bot-settings.ts';
import { isMaskedAddress } from '../../core/bots/bot-token.ts';
import { reason } from '../../core/reasons/reason.ts';
import { invalidField, RelayError } from '../../errors.ts';
import { checkBackendUrl } from '../../telegram/address-policy.ts';
import type { TelegramClient } from '../../telegram/client.ts';
import { type BotIdentity, identifyBot } from './bot-identity.ts';

/** `before` is undefined for a bot that is being added. */
export function checkBotSettings(
  config: Pick<Config, 'publicUrl' | 'backends'>,
  before: BotSettings | undefined,
  patch: Partial<BotSettings>,
): void {
  const after = { ...before, ...patch };
  if (patch.backend_url && patch.backend_url !== before?.backend_url) {
    const problem = isMaskedAddress(patch.backend_url)
      ? reason('address_masked')
      : checkBackendUrl(patch.backend_url, config.backends);
    if (problem) throw invalidField('backend_url', problem);
  }
  for (const command of patch.urgent ?? []) {
    const problem = commandProblem(command);
    if (problem) throw invalidField('urgent', problem);
  }
  if (after.proxy_enabled && !after.backend_url) {
    throw invalidField('backend_url', reason('backend_address_needed'));
  }
  if (patch.webhook_mode && !before?.webhook_mode && config.publicUrl === '') {
    throw invalidField('webhook_mode', reason('public_address_needed'));
  }
}

/** Asks Telegram for the bot behind a new token; throws if Telegram does not know it. */
export async function acceptedBot(
  telegram: TelegramClient,
  token: string,
): Promise<Exclude<BotIdentity, { outcome: 'refused' }>> {
  const identity = await identifyBot(telegram, token);
  if (identity.outcome !== 'refused') return identity;
  const { errorCode, description } = identity;
  throw new RelayError('token_refused', reason('token_refused', { description }), {
    details: [{ field: 'token', problem: reason('token_not_accepted') }],
    platform: { error_code: errorCode, description },
  });
}
