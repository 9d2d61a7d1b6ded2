/*
 * Chats between people. Each account numbers its private messages separately, so every such chat
 * exists twice, and each of its messages has two IDs. A bot that is connected to a business account
 * sees the account's IDs, which may equal IDs of other messages in the bot's own chats.
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

/** Returns the chat of one person with another, as the first one's account holds it. */
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

/** Returns the same chat in the other person's account. */
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

/** Returns the connection to the bot that answers on behalf of an account, if there is one. */
export function connectionOf(
  state: WorldState,
  ownerId: number,
): BusinessConnectionRecord | undefined {
  return state.connections?.values().find((one) => one.userId === ownerId && one.isEnabled);
}

/** Returns the fields that a message of a business account has in addition. */
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
