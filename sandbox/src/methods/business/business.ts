import type { BusinessConnection } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import { connectionObject } from '../../world/business.ts';
import { removeMessage } from '../../world/messages/messages.ts';
import type { BusinessConnectionRecord, DialogRecord, MessageRecord } from '../../world/records.ts';
import { businessRoom, knownConnection, openConnection } from './business-target.ts';
import type { Call, MethodTable } from '../call.ts';
import { readMessageIds } from '../messages/deleting.ts';
import { messageOf } from '../target.ts';

const getBusinessConnection = (call: Call): BusinessConnection =>
  connectionObject(call.world.state, knownConnection(call));

function readBusinessMessage(call: Call): true {
  const room = businessRoom(call, 'can_read_messages');
  messageOf(call, room, 'message not found');
  return true;
}

/** Finds a message of the account: its IDs are unique across all of its chats. */
function findMessage(
  call: Call,
  { userId }: BusinessConnectionRecord,
  id: number,
): { room: DialogRecord; record: MessageRecord } | undefined {
  for (const room of call.world.state.rooms.values()) {
    if (room.type !== 'private' || room.ownerId !== userId) continue;
    const record = room.messages.get(id);
    if (record) return { room, record };
  }
  return undefined;
}

function deleteBusinessMessages(call: Call): true {
  const connection = openConnection(
    call,
    'can_delete_outgoing_messages',
    'can_delete_all_messages',
  );
  const found = readMessageIds(call)
    .map((id) => findMessage(call, connection, id))
    .filter((one) => one !== undefined);
  if (new Set(found.map(({ room }) => room.key)).size > 1) throw badRequest('MESSAGE_ID_INVALID');
  const mayAll = connection.rights.can_delete_all_messages === true;
  if (!mayAll && found.some(({ record }) => record.businessBotId !== call.bot.id)) {
    throw badRequest('not enough rights');
  }
  for (const { room, record } of found) removeMessage(call.world, room, record.id, call.bot.id);
  return true;
}

export const businessMethods: MethodTable = {
  getbusinessconnection: getBusinessConnection,
  readbusinessmessage: readBusinessMessage,
  deletebusinessmessages: deleteBusinessMessages,
};
