import { localCaller } from '../core/access/access.ts';
import { secretHash } from '../core/access/vault.ts';
import { RelayError } from '../errors.ts';
import type { AuditLog } from '../manage/access/audit.ts';
import type { BotService } from '../manage/bots/bots.ts';
import type { Store } from '../store/store.ts';

/**
 * Registers the bot of TELEGRAM_BOT_TOKEN, once: a bot deleted since then does not return at the
 * next start. Returns a message about it, '' for none.
 */
export async function registerConfiguredBot(
  token: string,
  parts: { store: Store; bots: BotService; audit: AuditLog },
): Promise<string> {
  if (token === '') return '';
  const mark = `registered_bot:${secretHash(token)}`;
  if ((await parts.store.settings.get(mark)) !== undefined) return '';
  let outcome: string;
  try {
    const change = {
      caller: { ...localCaller, name: 'TELEGRAM_BOT_TOKEN' },
      action: 'bots.add',
      rule: { subject: 'bot' } as const,
      input: { query: {}, body: { token } },
      requestId: '',
    };
    const bot = await parts.audit.around(change, () =>
      parts.bots.add(localCaller, { token }, 'cli'),
    );
    outcome = `Registered the bot of TELEGRAM_BOT_TOKEN as bot ${bot.id}`;
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    if (error.code !== 'token_taken') return `TELEGRAM_BOT_TOKEN: ${error.message}`;
    outcome = '';
  }
  await parts.store.settings.set(mark, '1');
  return outcome;
}
