import type { Caller } from '../../core/access/access.ts';
import { authorOf } from '../../core/messages/author.ts';
import { type AdminRight, adminRights, type ChatMember } from '../../core/people/chat-rights.ts';
import type { Store } from '../../store/store.ts';
import type { ChatMembers } from './chat-members.ts';
import { requireManaged } from '../bots/managed-bot.ts';
import type { PersonQuery } from './member-actions.ts';

export interface Admins {
  list(caller: Caller, botId: number, chatId: number): Promise<ChatMember[]>;
  /** Sets exactly these rights. */
  promote(
    caller: Caller,
    query: PersonQuery,
    rights: readonly AdminRight[],
    title: string | undefined,
  ): Promise<ChatMember>;
  demote(caller: Caller, query: PersonQuery): Promise<ChatMember>;
  setTitle(caller: Caller, query: PersonQuery, title: string): Promise<ChatMember>;
}

export function createAdmins(options: { store: Store; members: ChatMembers }): Admins {
  const { store, members } = options;

  async function change(
    caller: Caller,
    { bot_id, chat_id, user_id }: PersonQuery,
    work: (
      act: (method: string, params: Record<string, unknown>) => Promise<void>,
      ask: () => Promise<ChatMember>,
    ) => Promise<void>,
    action: 'promote' | 'demote' | 'title',
  ): Promise<ChatMember> {
    const bot = await requireManaged(store, caller, bot_id);
    const author = authorOf(caller);
    const target = { bot, chatId: chat_id, userId: user_id, author };
    const ask = () => members.ask(bot, chat_id, user_id);
    await work((method, params) => members.act(target, action, method, params), ask);
    const member = await ask();
    await members.keep(bot_id, chat_id, [member]);
    return member;
  }

  const chosen = (rights: readonly AdminRight[]) =>
    Object.fromEntries(adminRights.map((right) => [right, rights.includes(right)]));
  const titleMethod = 'setChatAdministratorCustomTitle';

  return {
    async list(caller, botId, chatId) {
      const bot = await requireManaged(store, caller, botId);
      const found = await members.administrators(bot, chatId);
      await members.keep(botId, chatId, found);
      return found;
    },
    promote: (caller, query, rights, title) =>
      change(
        caller,
        query,
        async (act, ask) => {
          const before = title === undefined ? undefined : await ask();
          await act('promoteChatMember', chosen(rights));
          if (title === undefined || !before) return;
          await act(titleMethod, { custom_title: title }).catch(async (refusal: unknown) => {
            // A refused change must not be half done, so the former rights are restored.
            await act('promoteChatMember', chosen(before.rights)).catch(() => {});
            throw refusal;
          });
        },
        'promote',
      ),
    demote: (caller, query) =>
      change(caller, query, (act) => act('promoteChatMember', chosen([])), 'demote'),
    setTitle: (caller, query, title) =>
      change(caller, query, (act) => act(titleMethod, { custom_title: title }), 'title'),
  };
}
