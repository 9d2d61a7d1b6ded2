import type { Chat, Message, ReactionType } from '@grammyjs/types';
import { presentMembers } from '../world/chats/members.ts';
import { botUser, humanUser, personOf } from '../world/people.ts';
import type { DraftRecord, MessageRecord, Room } from '../world/records.ts';
import { renderMessage } from '../world/messages/render.ts';
import { isPresent } from '../world/chats/rights.ts';
import { chatObject } from '../world/chats/rooms.ts';
import { generalId, hasTopics } from '../world/chats/topics.ts';
import type { World } from '../world/world.ts';
import { action } from './action.ts';
import { type Ref, roomRef, userRef } from './refs.ts';

/** A message as it looks on a user's phone. */
export interface ShownMessage {
  message: Message;
  outgoing: boolean;
  pinned: boolean;
  /** A reply keyboard, its removal or a forced reply. */
  keyboard?: object;
  /** Reactions by the ID of their author. */
  reactions?: Record<string, ReactionType[]>;
  /** The ephemeral message that this one replaces. */
  replaces?: number;
}

export interface ShownChat {
  key: string;
  chat: Chat;
  /** Only in private chats: the user blocked the bot. */
  blocked: boolean;
  memberCount: number;
  lastMessage?: ShownMessage;
  /** Only in private chats: the message that the bot is writing at the moment. */
  draft?: DraftRecord;
  /** It is a forum, or a private chat with topics. */
  hasTopics: boolean;
}

export function shown(
  world: World,
  room: Room,
  record: MessageRecord,
  userId: number,
): ShownMessage {
  return {
    message: renderMessage(world.state, room, record, 'user'),
    outgoing: record.fromId === userId || record.authorId === userId,
    pinned: room.pinned.includes(record.id),
    ...(record.ephemeral?.replaces !== undefined && { replaces: record.ephemeral.replaces }),
    ...(record.replyKeyboard && { keyboard: record.replyKeyboard }),
    ...(record.reactions && { reactions: record.reactions }),
  };
}

export interface HistoryOptions {
  limit?: number | undefined;
  /** Only messages with a lower id. */
  before?: number | undefined;
  /** Only messages of this topic; 1 is General, and what is in no topic. */
  topicId?: number | undefined;
}

/** The newest messages of a chat as a user sees it, oldest first. */
export function history(
  world: World,
  who: Ref,
  chat: Ref,
  options: HistoryOptions = {},
): ShownMessage[] {
  const user = userRef(world, who);
  const room = roomRef(world, user, chat);
  const before = options.before ?? Number.POSITIVE_INFINITY;
  const { topicId } = options;
  const records = [...room.messages.values()].filter(
    (record) =>
      record.id < before && (topicId === undefined || (record.topicId ?? generalId) === topicId),
  );
  return records
    .slice(-(options.limit ?? 100))
    .map((record) => shown(world, room, record, user.id));
}

const lastOf = (room: Room): MessageRecord | undefined => {
  let last: MessageRecord | undefined;
  for (const record of room.messages.values()) last = record;
  return last;
};

export function sees(world: World, userId: number, roomKey: string): boolean {
  const room = world.state.rooms.get(roomKey);
  if (!room) return false;
  return room.type === 'private'
    ? (room.ownerId ?? room.userId) === userId && (room.started || room.messages.size > 0)
    : room.migratedTo === undefined && isPresent(room.members.get(userId));
}

/** A user's chat list, the latest first. */
export function chatsOf(world: World, who: Ref): ShownChat[] {
  const user = userRef(world, who);
  const chats: ShownChat[] = [];
  for (const room of world.state.rooms.values()) {
    if (!sees(world, user.id, room.key)) continue;
    const last = lastOf(room);
    chats.push({
      key: room.key,
      chat: chatObject(world.state, room, 'user'),
      blocked: room.type === 'private' && room.blocked,
      memberCount: room.type === 'private' ? 2 : presentMembers(room).length,
      ...(last && { lastMessage: shown(world, room, last, user.id) }),
      ...(room.type === 'private' && room.draft && { draft: room.draft }),
      hasTopics: hasTopics(world.state, room),
    });
  }
  const dateOf = (chat: ShownChat): number => chat.lastMessage?.message.date ?? 0;
  return chats.sort((left, right) => dateOf(right) - dateOf(left));
}

export interface ShownFile {
  bytes: Buffer;
  mimeType: string;
  name?: string;
}

/** Returns a file by the ID that users' messages show. */
export function fileOf(world: World, key: string): ShownFile | undefined {
  const file = world.state.files.get(key);
  if (!file) return undefined;
  return {
    bytes: file.bytes,
    mimeType: file.mimeType ?? 'application/octet-stream',
    ...(file.name !== undefined && { name: file.name }),
  };
}

export interface Snapshot {
  users: ReturnType<typeof humanUser>[];
  bots: (ReturnType<typeof botUser> & {
    token: string;
    pendingUpdates: number;
    webhookUrl: string;
    privacyMode: boolean;
    hasTopics: boolean;
  })[];
  chats: (Chat & { members: { user: ReturnType<typeof humanUser>; status: string }[] })[];
}

/** Lists all people, bots and chats. */
export function snapshot(world: World): Snapshot {
  const { state } = world;
  const chats: Snapshot['chats'] = [];
  for (const room of state.rooms.values()) {
    if (room.type === 'private' || room.migratedTo !== undefined) continue;
    const members = presentMembers(room).map(([id, member]) => ({
      user: personOf(state, id),
      status: member.status,
    }));
    chats.push({ ...chatObject(state, room), members });
  }
  return {
    users: [...state.users.values()].map(humanUser),
    bots: [...state.bots.values()].map((bot) => ({
      ...botUser(bot),
      token: bot.token,
      pendingUpdates: bot.updates.size,
      webhookUrl: bot.webhook?.url ?? '',
      privacyMode: bot.privacyMode,
      hasTopics: bot.hasTopics ?? false,
    })),
    chats,
  };
}

export const showActions = {
  snapshot: action({
    reads: true,
    summary: 'Get the sandbox state',
    run: ({ world }) => snapshot(world),
  }),
};
