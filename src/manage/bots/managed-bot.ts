import { reason } from '../../core/reasons/reason.ts';
import { type Caller, requireBot } from '../../core/access/access.ts';
import { RelayError } from '../../errors.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { Store } from '../../store/store.ts';
import { botNotFound } from './bots.ts';

/** Returns a bot that the caller may touch and whose chats are managed here. */
export async function requireManaged(
  store: Store,
  caller: Caller,
  botId: number,
): Promise<BotRecord> {
  requireBot(caller, botId);
  const bot = await store.bots.get(botId);
  if (!bot) throw botNotFound(botId, 'bot_id');
  if (!bot.manage_enabled) {
    throw new RelayError('management_disabled', reason('management_off', { bot_id: botId }));
  }
  return bot;
}
