import { badRequest } from '../../api-error.ts';
import { pinMessage, removeMessage, unpinMessage } from '../../world/messages/messages.ts';
import type { MessageRecord, Room } from '../../world/records.ts';
import { hasRight, isPermitted } from '../../world/chats/rights.ts';
import type { Call, MethodTable } from '../call.ts';
import { messageOf, roomOf } from '../target.ts';

const twoDaysSeconds = 48 * 3600;

function refusalToDelete(call: Call, room: Room, record: MessageRecord): string | undefined {
  if (record.content.forum_topic_created) return "message can't be deleted";
  const old = call.world.now() - record.date > twoDaysSeconds;
  if (room.type === 'private') return old ? "message can't be deleted for everyone" : undefined;
  const member = room.members.get(call.bot.id);
  if (hasRight(member, 'can_delete_messages')) return undefined;
  const own = record.fromId === call.bot.id || record.authorId === call.bot.id;
  const post = room.type === 'channel' && hasRight(member, 'can_post_messages');
  if (!own && !post) return "message can't be deleted";
  return old ? "message can't be deleted for everyone" : undefined;
}

function deleteMessage(call: Call): true {
  if (!call.params.has('chat_id')) throw badRequest('chat identifier is not specified');
  if (call.params.integer('message_id') <= 0) {
    throw badRequest('message identifier is not specified');
  }
  const room = roomOf(call);
  const record = messageOf(call, room, 'message to delete not found');
  const refusal = refusalToDelete(call, room, record);
  if (refusal) throw badRequest(refusal);
  removeMessage(call.world, room, record.id);
  return true;
}

/** Reads 1–100 message IDs; those that do not exist are skipped. */
export function readMessageIds(call: Call): number[] {
  const given = call.params.json('message_ids', 'message_ids') ?? [];
  if (!Array.isArray(given)) throw badRequest('expected an Array of message identifiers');
  if (given.length === 0) throw badRequest('message identifiers are not specified');
  if (given.length > 100) throw badRequest('too many message identifiers specified');
  return given.map((value: unknown) => {
    if (typeof value !== 'number' && typeof value !== 'string') {
      throw badRequest('message identifier must be a Number');
    }
    const id = Number(value);
    if (value === '' || !Number.isSafeInteger(id)) {
      throw badRequest("can't parse message identifier as Number");
    }
    if (id <= 0) throw badRequest('invalid message identifier specified');
    return id;
  });
}

function deleteMessages(call: Call): true {
  const room = roomOf(call);
  for (const id of readMessageIds(call)) {
    const record = room.messages.get(id);
    if (record && refusalToDelete(call, room, record) === undefined)
      removeMessage(call.world, room, id);
  }
  return true;
}

export function requirePinning(call: Call, room: Room): void {
  if (room.type === 'private') return;
  const member = room.members.get(call.bot.id);
  const allowed =
    room.type === 'channel'
      ? hasRight(member, 'can_edit_messages')
      : hasRight(member, 'can_pin_messages') ||
        (member?.status === 'member' && isPermitted(room, call.bot.id, 'can_pin_messages'));
  if (!allowed) throw badRequest('not enough rights to manage pinned messages in the chat');
}

function pinChatMessage(call: Call): true {
  const room = roomOf(call);
  requirePinning(call, room);
  const record = messageOf(call, room, 'message to pin not found');
  if (record.isService) throw badRequest("message can't be pinned");
  pinMessage(call.world, room, record.id, call.bot.id);
  return true;
}

function unpinChatMessage(call: Call): true {
  const room = roomOf(call);
  requirePinning(call, room);
  const id = call.params.has('message_id') ? call.params.integer('message_id') : room.pinned.at(-1);
  if (id === undefined || !unpinMessage(call.world, room, id)) {
    throw badRequest('message to unpin not found');
  }
  return true;
}

function unpinAllChatMessages(call: Call): true {
  const room = roomOf(call);
  requirePinning(call, room);
  for (const id of [...room.pinned]) unpinMessage(call.world, room, id);
  return true;
}

export const deletingMethods: MethodTable = {
  deletemessage: deleteMessage,
  deletemessages: deleteMessages,
  pinchatmessage: pinChatMessage,
  unpinchatmessage: unpinChatMessage,
  unpinallchatmessages: unpinAllChatMessages,
};
