import { ControlError } from '../api-error.ts';
import { accountRoom } from '../world/accounts.ts';
import { memberOf } from '../world/chats/members.ts';
import { botByUsername, userByUsername } from '../world/people.ts';
import type { BotRecord } from '../world/bot-records.ts';
import type { ChatRecord, MessageRecord, Room, TopicRecord, UserRecord } from '../world/records.ts';
import { isPresent } from '../world/chats/rights.ts';
import { dialogOf, findChat, findChatByUsername } from '../world/chats/rooms.ts';
import { findTopic, hasTopics } from '../world/chats/topics.ts';
import type { World } from '../world/world.ts';

/** A user, bot or chat: its id, its @username, or an object that carries the id. */
export type Ref = number | string | { id: number };

const nameOf = (ref: string): string => ref.replace(/^@/, '');

const idOf = (ref: Ref): number | undefined => {
  if (typeof ref === 'object') return ref.id;
  if (typeof ref === 'number') return ref;
  return /^-?\d+$/.test(ref) ? Number(ref) : undefined;
};

const labelOf = (ref: Ref): string => String(typeof ref === 'object' ? ref.id : ref);

export function userRef(world: World, ref: Ref): UserRecord {
  const id = idOf(ref);
  const user =
    id === undefined
      ? userByUsername(world.state, nameOf(ref as string))
      : world.state.users.get(id);
  if (!user) throw new ControlError('no_user', { user: labelOf(ref) });
  return user;
}

export function botRef(world: World, ref: Ref): BotRecord {
  const id = idOf(ref);
  const bot =
    id === undefined ? botByUsername(world.state, nameOf(ref as string)) : world.state.bots.get(id);
  if (!bot) throw new ControlError('no_bot', { bot: labelOf(ref) });
  return bot;
}

/** Finds a group, supergroup or channel; an upgraded group resolves to its supergroup. */
export function chatRef(world: World, ref: Ref): ChatRecord {
  const id = idOf(ref);
  const chat =
    id === undefined
      ? findChatByUsername(world.state, nameOf(ref as string))
      : findChat(world.state, id);
  if (!chat) throw new ControlError('no_chat', { chat: labelOf(ref) });
  return chat.migratedTo === undefined ? chat : chatRef(world, chat.migratedTo);
}

/** Finds the chat that a user writes in: a bot or a person means the private chat with them. */
export function roomRef(world: World, user: UserRecord, ref: Ref): Room {
  const id = idOf(ref);
  const bot =
    id === undefined ? botByUsername(world.state, nameOf(ref as string)) : world.state.bots.get(id);
  if (bot) return dialogOf(world.state, user.id, bot.id);
  const person =
    id === undefined
      ? userByUsername(world.state, nameOf(ref as string))
      : world.state.users.get(id);
  if (person?.id === user.id) throw new ControlError('not_to_oneself');
  if (person) return accountRoom(world.state, user.id, person.id);
  const chat = chatRef(world, ref);
  if (!isPresent(memberOf(world, chat, user.id))) {
    throw new ControlError('not_a_member', { user: user.first_name, chat: chat.title });
  }
  return chat;
}

/** Finds a topic that people can see. */
export function topicRef(world: World, room: Room, topicId: number): TopicRecord {
  if (!hasTopics(world.state, room)) throw new ControlError('no_topics');
  const topic = findTopic(world.state, room, topicId);
  if (!topic) throw new ControlError('no_topic', { message_thread_id: topicId });
  return topic;
}

export function messageRef(room: Room, messageId: number): MessageRecord {
  const record = room.messages.get(messageId);
  if (!record) throw new ControlError('no_message', { message_id: messageId });
  return record;
}
