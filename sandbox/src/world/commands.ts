import type { BotCommand } from '@grammyjs/types';
import type { BotRecord } from './bot-records.ts';
import type { ChatRecord, UserRecord } from './records.ts';
import { isAdmin } from './chats/rights.ts';

/** Returns the commands that a bot offers somebody in a group: those of the narrowest scope that has any. */
export function groupCommands(bot: BotRecord, chat: ChatRecord, user: UserRecord): BotCommand[] {
  const forAdmins = isAdmin(chat.members.get(user.id));
  const scopes = [
    `chat_member:${chat.id}:${user.id}`,
    ...(forAdmins ? [`chat_administrators:${chat.id}`] : []),
    `chat:${chat.id}`,
    ...(forAdmins ? ['all_chat_administrators'] : []),
    'all_group_chats',
    'default',
  ];
  for (const scope of scopes) {
    // Within a scope, the person's language comes before the general commands.
    for (const language of [user.language_code ?? '', '']) {
      const commands = bot.commands[`${scope}|${language}`];
      if (commands) return commands;
    }
  }
  return [];
}
