/*
 * Chats between people. Each account numbers its private messages for itself, so every such chat
 * exists twice, and a message of it has two numbers. A bot that is connected to a business account
 * sees the account's own ones: they may well be numbers of other messages in the bot's own chats.
 */
import type { Message } from '@grammyjs/types';
import { personOf } from './people.ts';
import type {
  BusinessConnectionRecord,
  DialogRecord,
  MessageRecord,
  Room,
  WorldState,
} from './records.ts';

const accountKey = (ownerId: number, peerId: number): string => `${ownerId}>${peerId}`;

export function findAccountRoom(
  state: WorldState,
  ownerId: number,
  peerId: number,
): DialogRecord | undefined {
  const room = state.rooms.get(accountKey(ownerId, peerId));
  return room?.type === 'private' ? room : undefined;
}

/** The chat of one person with another, as the first one's account holds it. */
export function accountRoom(state: WorldState, ownerId: number, peerId: number): DialogRecord {
  const known = findAccountRoom(state, ownerId, peerId);
  if (known) return known;
  const room: DialogRecord = {
    key: accountKey(ownerId, peerId),
    type: 'private',
    userId: peerId,
    botId: peerId,
    ownerId,
    started: true,
    blocked: false,
    messages: new Map(),
    pinned: [],
  };
  state.rooms.set(room.key, room);
  return room;
}

/** The same chat in the other person's account. */
export function twinRoom(state: WorldState, room: Room): DialogRecord | undefined {
  if (room.type !== 'private' || room.ownerId === undefined) return undefined;
  return accountRoom(state, room.userId, room.ownerId);
}

export function twinMessage(
  state: WorldState,
  room: Room,
  record: MessageRecord,
): { room: DialogRecord; record: MessageRecord } | undefined {
  const other = twinRoom(state, room);
  const twin = record.twinId === undefined ? undefined : other?.messages.get(record.twinId);
  return other && twin && { room: other, record: twin };
}

/** The bot that answers in the name of an account, if there is one. */
export function connectionOf(
  state: WorldState,
  ownerId: number,
): BusinessConnectionRecord | undefined {
  return state.connections?.values().find((one) => one.userId === ownerId && one.isEnabled);
}

/** What a message of a business account says beyond an ordinary one. */
export function businessFields(
  state: WorldState,
  room: Room,
  record: MessageRecord,
  botId: number,
): Pick<Message, 'business_connection_id' | 'sender_business_bot'> {
  if (room.type !== 'private' || room.ownerId === undefined) return {};
  const connection = connectionOf(state, room.ownerId);
  if (connection?.botId !== botId) return {};
  const byBot = record.fromId === room.ownerId ? record.businessBotId : undefined;
  return {
    business_connection_id: connection.id,
    ...(byBot !== undefined && { sender_business_bot: personOf(state, byBot) }),
  };
}
