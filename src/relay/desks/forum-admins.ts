import type { Clock } from '../../clock.ts';
import { readChatMember } from '../../core/people/chat-rights.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { TelegramClient } from '../../telegram/client.ts';
import type { DecideDeps } from '../routing/routing-decision.ts';

const knownMs = 60_000;
const mostKnown = 1_000;
const timeoutMs = 5_000;

/** Asks Telegram who is an administrator, at most once a minute for each person. */
export function createForumAdmins(
  telegram: TelegramClient,
  clock: Clock,
): DecideDeps['isForumAdmin'] {
  const known = new Map<string, { isAdmin: boolean; until: number }>();

  async function ask(bot: BotRecord, chatId: number, userId: number): Promise<boolean> {
    const params = { chat_id: chatId, user_id: userId };
    const answer = await telegram.call(bot.token, 'getChatMember', params, { timeoutMs });
    return ['administrator', 'creator'].includes(readChatMember(answer)?.status ?? '');
  }

  return async (bot, chatId, userId) => {
    const key = `${chatId} ${userId}`;
    const before = known.get(key);
    if (before && before.until > clock.monotonic()) return before.isAdmin;
    try {
      const isAdmin = await ask(bot, chatId, userId);
      if (known.size >= mostKnown) known.clear();
      known.set(key, { isAdmin, until: clock.monotonic() + knownMs });
      return isAdmin;
    } catch {
      return undefined;
    }
  };
}
