import { isoTime } from '../../core/iso-time.ts';
import { reason } from '../../core/reasons/reason.ts';
import type { Clock } from '../../clock.ts';
import { type Caller, requireBot } from '../../core/access/access.ts';
import { defaultColor, isColor } from '../../core/color.ts';
import { invalidField, RelayError } from '../../errors.ts';
import type { Store } from '../../store/store.ts';
import { everyBot, type TagRecord } from '../../store/people/tags.ts';
import { botNotFound } from '../bots/bots.ts';

export interface TagInput {
  chat_id: number;
  user_id: number;
  tag: string;
  bot_id?: number;
  username?: string;
  color?: string;
}

/** A tag in the API's form, with fields in the order of the contract. */
export interface TagView {
  id: number;
  chat_id: number;
  user_id: number;
  username: string;
  tag: string;
  color: string;
  created_at: string;
}

export interface TagService {
  add(caller: Caller, tag: TagInput): Promise<TagView>;
  ofChat(caller: Caller, chatId: number): Promise<TagView[]>;
  ofUser(caller: Caller, chatId: number, userId: number): Promise<TagView[]>;
  /** Returns the tag as it was. */
  remove(caller: Caller, id: number): Promise<TagView>;
}

export function createTagService(options: { store: Store; clock: Clock }): TagService {
  const { store, clock } = options;

  /** A caller limited to some bots sees only the chats of those bots. */
  async function knowsChat(caller: Caller, chatId: number): Promise<boolean> {
    return caller.botIds === null || store.chats.holdsAnyOf(chatId, caller.botIds);
  }

  async function requireChat(caller: Caller, chatId: number): Promise<void> {
    if (await knowsChat(caller, chatId)) return;
    throw notTheirChat(chatId);
  }

  /** A chat that nobody has seen yet may belong to the named bot; a chat of other bots does not. */
  async function requireNotOthers(caller: Caller, chatId: number): Promise<void> {
    if (await knowsChat(caller, chatId)) return;
    if (await store.chats.holdsAnyOf(chatId, null)) throw notTheirChat(chatId);
  }

  /**
   * Returns the bots that a tag is for. A private chat has the same ID at every bot, so a limited
   * caller tags it for its own bots only; a tag of a group is for all its bots.
   */
  async function botsOf({ botIds }: Caller, { bot_id, chat_id }: TagInput): Promise<number[]> {
    if (bot_id !== undefined) return [bot_id];
    if (botIds === null || chat_id < 0) return [everyBot];
    return store.chats.holders(chat_id, botIds);
  }

  return {
    async add(caller, input) {
      const { chat_id, user_id, tag, bot_id, username, color = '' } = input;
      if (tag.trim() === '') throw invalidField('tag', reason('blank'));
      if (color !== '' && !isColor(color)) {
        throw invalidField('color', reason('not_a_color'));
      }
      if (bot_id === undefined) await requireChat(caller, chat_id);
      else {
        requireBot(caller, bot_id);
        if (!(await store.bots.get(bot_id))) throw botNotFound(bot_id, 'bot_id');
        await requireNotOthers(caller, chat_id);
      }
      const seen = username ? undefined : await store.people.get(user_id);
      const added = await store.tags.add(
        { chat_id, user_id, tag, color, username: username || (seen?.username ?? '') },
        await botsOf(caller, input),
        defaultColor,
        clock.now(),
      );
      return view(added);
    },

    async ofChat(caller, chatId) {
      if (!(await knowsChat(caller, chatId))) return [];
      return (await store.tags.ofChat(chatId, caller.botIds)).map(view);
    },

    async ofUser(caller, chatId, userId) {
      if (!(await knowsChat(caller, chatId))) return [];
      return (await store.tags.ofUser(chatId, userId, caller.botIds)).map(view);
    },

    async remove(caller, id) {
      const tag = await store.tags.get(id);
      if (!tag) throw tagNotFound(id);
      await requireChat(caller, tag.chat_id);
      if (!(await store.tags.remove(id, caller.botIds))) {
        throw caller.botIds === null ? tagNotFound(id) : notTheirTag(id);
      }
      return view(tag);
    },
  };
}

function view(tag: TagRecord): TagView {
  return {
    id: tag.id,
    chat_id: tag.chat_id,
    user_id: tag.user_id,
    username: tag.username,
    tag: tag.tag,
    color: tag.color,
    created_at: isoTime(tag.created_at),
  };
}

function notTheirChat(chatId: number): RelayError {
  return new RelayError('bot_not_allowed', reason('chat_not_of_key', { chat_id: chatId }));
}

function notTheirTag(id: number): RelayError {
  return new RelayError('bot_not_allowed', reason('tag_not_of_key', { tag_id: id }));
}

function tagNotFound(id: number): RelayError {
  return new RelayError('tag_not_found', reason('no_such_tag', { tag_id: id }), {
    details: [{ field: 'id', problem: reason('names_no_tag') }],
  });
}
