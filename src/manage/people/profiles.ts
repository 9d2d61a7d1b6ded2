import { reason } from '../../core/reasons/reason.ts';
import type { Clock } from '../../clock.ts';
import type { Caller } from '../../core/access/access.ts';
import { mayReadChat } from '../../core/access/chat-limits.ts';
import type { ChatMember } from '../../core/people/chat-rights.ts';
import { RelayError } from '../../errors.ts';
import type { ListedPerson, MemberRecord, NameRecord } from '../../store/people/members.ts';
import type { NoteRecord } from '../../store/people/notes.ts';
import type { Store } from '../../store/store.ts';
import type { TagRecord } from '../../store/people/tags.ts';
import type { WarningRecord } from '../../store/people/warnings.ts';
import type { ChatMembers } from './chat-members.ts';
import { requireManaged } from '../bots/managed-bot.ts';
import type { StatsCounter } from '../stats/stats.ts';

export interface ProfileChat {
  chat_id: number;
  type: string;
  title: string;
  /** '' if Telegram never reported it. */
  status: string;
  member: MemberRecord | undefined;
  messages: number;
}

export interface Profile {
  person: Awaited<ReturnType<Store['people']['get']>> & object;
  names: NameRecord[];
  chats: ProfileChat[];
  messages: number;
  tags: TagRecord[];
  notes: NoteRecord[];
  warnings: WarningRecord[];
  /** The membership in the requested chat, as Telegram reports it; undefined if it reports nothing. */
  member: ChatMember | undefined;
}

export interface Profiles {
  list(
    caller: Caller,
    query: { bot_id: number; chat_id?: number; q?: string; after?: number; limit: number },
  ): Promise<ListedPerson[]>;
  profile(caller: Caller, botId: number, userId: number, chatId?: number): Promise<Profile>;
  addNote(caller: Caller, botId: number, userId: number, text: string): Promise<NoteRecord>;
  removeNote(caller: Caller, botId: number, id: number): Promise<NoteRecord>;
}

export function createProfiles(options: {
  store: Store;
  members: ChatMembers;
  stats: StatsCounter;
  clock: Clock;
}): Profiles {
  const { store, members, stats, clock } = options;

  async function chatsOf(botId: number, userId: number): Promise<ProfileChat[]> {
    const [counted, known] = await Promise.all([
      store.stats.chatsOf(botId, userId),
      store.members.ofUser(botId, userId),
    ]);
    const messages = new Map(counted.map((row) => [row.chat_id, row.messages]));
    const memberOf = new Map(known.map((row) => [row.chat_id, row]));
    const ids = [...new Set([...messages.keys(), ...memberOf.keys()])];
    return Promise.all(
      ids.map(async (chatId) => {
        const chat = await store.chats.get(botId, chatId);
        const member = memberOf.get(chatId);
        return {
          chat_id: chatId,
          type: chat?.type ?? '',
          title: chat?.title ?? '',
          status: member?.status ?? '',
          member,
          messages: messages.get(chatId) ?? 0,
        };
      }),
    );
  }

  return {
    async list(caller, { bot_id, chat_id = 0, q = '', after = 0, limit }) {
      await requireManaged(store, caller, bot_id);
      await stats.refresh();
      const filter = { botId: bot_id, chatId: chat_id, query: q.trim().replace(/^@/, '') };
      return store.members.list({ ...filter, afterUserId: after, limit });
    },

    async profile(caller, botId, userId, chatId) {
      const bot = await requireManaged(store, caller, botId);
      await stats.refresh();
      const person = await store.people.get(userId);
      const known = person ? await chatsOf(botId, userId) : [];
      const chats = known.filter((chat) => mayReadChat(caller, chat.chat_id));
      // People are stored once for all bots, so a person who never met this bot is treated as
      // unknown.
      if (!person || chats.length === 0) {
        throw new RelayError(
          'user_not_found',
          reason('unknown_person', { bot_id: botId, user_id: userId }),
          {
            details: [{ field: 'user_id', problem: reason('names_no_person') }],
          },
        );
      }
      const tags = await Promise.all(
        chats.map((chat) => store.tags.ofUser(chat.chat_id, userId, caller.botIds)),
      );
      return {
        person,
        names: await store.members.namesOf(userId),
        chats,
        messages: chats.reduce((sum, chat) => sum + chat.messages, 0),
        tags: tags.flat(),
        // Notes are about the person in all chats.
        notes: caller.chats ? [] : await store.notes.ofUser(botId, userId),
        warnings: (await store.warnings.ofUser(botId, userId)).filter((one) =>
          mayReadChat(caller, one.chat_id),
        ),
        // If Telegram is unavailable, stored data is shown nevertheless.
        member:
          chatId === undefined
            ? undefined
            : await members.ask(bot, chatId, userId).catch(() => undefined),
      };
    },

    async addNote(caller, botId, userId, text) {
      await requireManaged(store, caller, botId);
      return store.notes.add({
        bot_id: botId,
        user_id: userId,
        text,
        author: caller.name,
        created_at: clock.now(),
      });
    },
    async removeNote(caller, botId, id) {
      await requireManaged(store, caller, botId);
      const note = await store.notes.remove(botId, id);
      if (note) return note;
      throw new RelayError('not_found', reason('no_such_note', { bot_id: botId, note_id: id }));
    },
  };
}
