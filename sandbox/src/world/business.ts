import type { BusinessConnection, Chat, Message } from '@grammyjs/types';
import { connectionOf } from './accounts.ts';
import { personOf } from './people.ts';
import type { BusinessConnectionRecord, MessageRecord, Room, WorldState } from './records.ts';
import { renderMessage } from './messages/render.ts';
import { chatObject, roomQueue } from './chats/rooms.ts';
import type { World } from './world.ts';

export function connectionObject(
  state: WorldState,
  connection: BusinessConnectionRecord,
): BusinessConnection {
  return {
    id: connection.id,
    user: personOf(state, connection.userId),
    user_chat_id: connection.userId,
    date: connection.date,
    rights: { ...connection.rights },
    is_enabled: connection.isEnabled,
  };
}

function listenerOf(world: World, room: Room) {
  if (room.type !== 'private' || room.ownerId === undefined) return undefined;
  const connection = connectionOf(world.state, room.ownerId);
  const bot = connection && world.state.bots.get(connection.botId);
  return connection && bot && { connection, bot };
}

/** Sends the bot of a business account an update about a message, unless the bot itself sent it. */
export function notifyConnected(
  world: World,
  room: Room,
  record: MessageRecord,
  edited: boolean,
): void {
  const listener = listenerOf(world, room);
  if (!listener || record.businessBotId === listener.bot.id) return;
  world.publish(
    listener.bot,
    edited ? 'edited_business_message' : 'business_message',
    () => renderMessage(world.state, room, record, { botId: listener.bot.id }) as Message as never,
    roomQueue(room),
  );
}

export function notifyDeletion(
  world: World,
  room: Room,
  messageIds: number[],
  byBotId: number | undefined,
): void {
  const listener = listenerOf(world, room);
  if (!listener || listener.bot.id === byBotId) return;
  world.publish(
    listener.bot,
    'deleted_business_messages',
    () => ({
      business_connection_id: listener.connection.id,
      chat: chatObject(world.state, room) as Chat.PrivateChat,
      message_ids: messageIds,
    }),
    roomQueue(room),
  );
}
