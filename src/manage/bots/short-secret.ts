import { isShortSecret, safeSecretLength } from '../../core/bots/bot-token.ts';
import type { Logger } from '../../logger.ts';

export function warnOfShortSecret(
  logger: Logger | undefined,
  botId: number,
  secretToken = '',
): void {
  if (!isShortSecret(secretToken)) return;
  logger?.warn(
    { bot_id: botId },
    `secret_token has fewer than ${safeSecretLength} characters and can be guessed: set a longer one`,
  );
}
