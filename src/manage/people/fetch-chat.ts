import { integer, object, text, type Wire } from '../../core/log/wire.ts';
import { chatFact } from '../../core/messages/message-facts.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { ChatDetails } from '../../store/people/chat-record.ts';
import type { TelegramClient } from '../../telegram/client.ts';
import { toRelayError } from '../../telegram/errors.ts';

/** Asks Telegram for a chat and for what the bot is there. */
export async function fetchChat(
  telegram: TelegramClient,
  bot: BotRecord,
  chatId: number,
): Promise<{ fact: ReturnType<typeof chatFact>; details: ChatDetails }> {
  async function ask(method: string, params: Wire): Promise<unknown> {
    try {
      return await telegram.call(bot.token, method, params);
    } catch (error) {
      throw toRelayError(error);
    }
  }

  const chat = object(await ask('getChat', { chat_id: chatId })) ?? {};
  const isPrivate = chat['type'] === 'private';
  const [count, self] = isPrivate
    ? [2, undefined]
    : await Promise.all([
        ask('getChatMemberCount', { chat_id: chatId }),
        ask('getChatMember', { chat_id: chatId, user_id: bot.platform_id }).then(object),
      ]);
  return {
    fact: chatFact(chat),
    details: {
      memberCount: integer(count) ?? -1,
      description: text(chat['description']) || text(chat['bio']),
      photoFileId: text(object(chat['photo'])?.['big_file_id']),
      ownStatus: text(self?.['status']),
      ownRights: self ? JSON.stringify(rightsOf(self)) : '',
      pinned: pinnedIn(chat),
    },
  };
}

function pinnedIn(chat: Wire): ChatDetails['pinned'] {
  const pinned = object(chat['pinned_message']);
  const id = integer(pinned?.['message_id']);
  return id === undefined ? undefined : { id, date: integer(pinned?.['date']) ?? 0 };
}

/** The bot's rights according to Telegram: the fields that are true or false. */
function rightsOf(member: Wire): Record<string, boolean> {
  return Object.fromEntries(
    Object.entries(member).filter(
      (entry): entry is [string, boolean] =>
        typeof entry[1] === 'boolean' && entry[0].startsWith('can_'),
    ),
  );
}
