import type { Chat } from '@grammyjs/types';
import { defined } from '../defined.ts';
import { personOf } from '../people.ts';
import type { ChatRecord, DialogRecord, Room, WorldState } from '../records.ts';
import { fullRights, openPermissions } from './rights.ts';
import { nextChannelId, nextGroupId, type World } from '../world.ts';

export const dialogKey = (userId: number, botId: number): string => `${userId}:${botId}`;

export function dialogOf(state: WorldState, userId: number, botId: number): DialogRecord {
  const key = dialogKey(userId, botId);
  const known = state.rooms.get(key);
  if (known?.type === 'private') return known;
  const dialog: DialogRecord = {
    key,
    type: 'private',
    userId,
    botId,
    started: false,
    blocked: false,
    messages: new Map(),
    pinned: [],
  };
  state.rooms.set(key, dialog);
  return dialog;
}

export function findChat(state: WorldState, id: number): ChatRecord | undefined {
  const room = state.rooms.get(String(id));
  return room?.type === 'private' ? undefined : room;
}

export function findChatByUsername(state: WorldState, username: string): ChatRecord | undefined {
  const wanted = username.toLowerCase();
  for (const room of state.rooms.values()) {
    if (room.type !== 'private' && room.username?.toLowerCase() === wanted) return room;
  }
  return undefined;
}

export interface NewChat {
  type: ChatRecord['type'];
  title: string;
  username?: string;
  description?: string;
  ownerId: number;
  joinByRequest?: boolean;
}

export function addChat(world: World, fields: NewChat): ChatRecord {
  const id = fields.type === 'group' ? nextGroupId(world.state) : nextChannelId(world.state);
  const chat = defined<ChatRecord>({
    key: String(id),
    id,
    type: fields.type,
    title: fields.title,
    isForum: undefined,
    topics: undefined,
    username: fields.username,
    description: fields.description,
    photo: undefined,
    permissions: openPermissions(),
    members: new Map(),
    lastMessageId: 0,
    messages: new Map(),
    pinned: [],
    inviteLinks: [],
    joinRequests: new Map(),
    joinByRequest: fields.joinByRequest ?? false,
    guardBotId: undefined,
    migratedTo: undefined,
    migratedFrom: undefined,
    ephemeral: undefined,
    lastEphemeralId: undefined,
    lastBotId: undefined,
  });
  chat.members.set(fields.ownerId, { status: 'creator', rights: fullRights(chat) });
  world.state.rooms.set(chat.key, chat);
  world.changed({ type: 'chat_changed', roomKey: chat.key });
  return chat;
}

/** Returns an ordinary Chat object; in a private chat a bot sees the user and the user the bot. */
export function chatObject(state: WorldState, room: Room, viewer: 'bot' | 'user' = 'bot'): Chat {
  if (room.type === 'private') {
    const person = personOf(state, viewer === 'bot' ? room.userId : room.botId);
    return defined<Chat.PrivateChat>({
      id: person.id,
      type: 'private',
      first_name: person.first_name,
      last_name: person.last_name,
      username: person.username,
    } as Chat.PrivateChat);
  }
  if (room.type === 'group') return { id: room.id, type: 'group', title: room.title };
  const base = {
    id: room.id,
    title: room.title,
    ...(room.username && { username: room.username }),
  };
  return room.type === 'supergroup'
    ? { ...base, type: 'supergroup', ...(room.isForum && { is_forum: true as const }) }
    : { ...base, type: 'channel' };
}

/** Returns the queue that keeps the order of deliveries about this room. */
export const roomQueue = (room: Room): string =>
  `chat:${room.type === 'private' ? room.userId : room.id}`;
