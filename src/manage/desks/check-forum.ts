import { object } from '../../core/log/wire.ts';
import { type AdminRight, readChatMember } from '../../core/people/chat-rights.ts';
import { type Reason, reason } from '../../core/reasons/reason.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { TelegramClient } from '../../telegram/client.ts';
import { platformIdOf } from '../../core/bots/bot-token.ts';
import { PlatformRefused, PlatformUnreachable } from '../../telegram/errors.ts';

/** Without the first, no topic opens; the others are for the card and for deletions. */
const neededRights: readonly AdminRight[] = [
  'can_manage_topics',
  'can_delete_messages',
  'can_pin_messages',
];
const timeoutMs = 10_000;

/** Asks Telegram what a bot lacks to run a desk in a forum. */
export async function checkForum(
  telegram: TelegramClient,
  bot: BotRecord,
  chatId: number,
): Promise<Reason[]> {
  try {
    const call = (method: string, params: Record<string, unknown>) =>
      telegram.call(bot.token, method, params, { timeoutMs });
    const chat = object(await call('getChat', { chat_id: chatId }));
    if (chat?.is_forum !== true) return [reason('desk_no_forum')];
    const user_id = bot.platform_id || platformIdOf(bot.token);
    const member = readChatMember(await call('getChatMember', { chat_id: chatId, user_id }));
    if (!member || !['administrator', 'creator'].includes(member.status)) {
      return [reason('desk_not_admin')];
    }
    return neededRights
      .filter((right) => !member.rights.includes(right))
      .map((right) => reason('desk_lacks_right', { right }));
  } catch (error) {
    if (!(error instanceof PlatformRefused || error instanceof PlatformUnreachable)) throw error;
    return [reason('desk_cannot_look', { cause: error.why })];
  }
}
