import { badRequest, forbidden } from '../api-error.ts';
import { contactFor } from '../world/chats/join-requests.ts';
import { memberOf } from '../world/chats/members.ts';
import type { ChatRecord, DialogRecord, MessageRecord, Room } from '../world/records.ts';
import {
  type AdminRight,
  hasRight,
  isPermitted,
  isPresent,
  type Permission,
} from '../world/chats/rights.ts';
import { botKnows } from '../world/messages/visibility.ts';
import { dialogKey, dialogOf, findChat, findChatByUsername } from '../world/chats/rooms.ts';
import { actsForBusiness, businessRoom } from './business/business-target.ts';
import type { Call } from './call.ts';

const kindNames = { group: 'group chat', supergroup: 'supergroup chat', channel: 'channel chat' };

/** Returns the private chat with somebody the bot knows. */
export function privateRoom(call: Call, userId: number): DialogRecord {
  const { state } = call.world;
  if (state.bots.has(userId)) throw forbidden("bots can't send messages to bots");
  const known = state.rooms.get(dialogKey(userId, call.bot.id));
  if (known?.type === 'private' && (known.started || known.messages.size > 0)) return known;
  const reachable = sharesChat(call, userId) || contactFor(call.world, call.bot.id, userId);
  if (!state.users.has(userId) || !reachable) throw badRequest('chat not found');
  return dialogOf(state, userId, call.bot.id);
}

/** A bot knows people it shares a group with, though it may not write to them first. */
function sharesChat(call: Call, userId: number): boolean {
  for (const room of call.world.state.rooms.values()) {
    if (room.type === 'private') continue;
    if (isPresent(room.members.get(userId)) && isPresent(room.members.get(call.bot.id)))
      return true;
  }
  return false;
}

function groupRoom(call: Call, chat: ChatRecord | undefined): ChatRecord {
  if (!chat) throw badRequest('chat not found');
  if (chat.migratedTo !== undefined) {
    throw badRequest('group chat was upgraded to a supergroup chat', {
      migrate_to_chat_id: chat.migratedTo,
    });
  }
  const member = memberOf(call.world, chat, call.bot.id);
  if (isPresent(member)) return chat;
  if (member?.status === 'kicked')
    throw forbidden(`bot was kicked from the ${kindNames[chat.type]}`);
  if (member || chat.username)
    throw forbidden(`bot is not a member of the ${kindNames[chat.type]}`);
  throw badRequest('chat not found');
}

export function roomOf(call: Call, name = 'chat_id'): Room {
  if (name === 'chat_id' && actsForBusiness(call)) return businessRoom(call);
  const given = call.params.text(name).trim();
  if (given === '') throw badRequest(`${name} is empty`);
  if (given.startsWith('@')) {
    return groupRoom(call, findChatByUsername(call.world.state, given.slice(1)));
  }
  const id = Number(given);
  if (!Number.isSafeInteger(id) || id === 0) throw badRequest('chat not found');
  return id > 0 ? privateRoom(call, id) : groupRoom(call, findChat(call.world.state, id));
}

export function chatOf(
  call: Call,
  refusal = 'there is no such method in private chats',
): ChatRecord {
  const room = roomOf(call);
  if (room.type === 'private') throw badRequest(refusal);
  return room;
}

/** Returns a chat that the bot may write to at the moment. */
export function writableRoom(call: Call): Room {
  const room = roomOf(call);
  if (room.type !== 'private') return room;
  const user = call.world.state.users.get(room.userId);
  if (!user || user.deactivated) throw forbidden('user is deactivated');
  if (room.blocked) throw forbidden('bot was blocked by the user');
  if (!room.started) {
    const request = contactFor(call.world, call.bot.id, room.userId);
    if (!request) throw forbidden("bot can't initiate conversation with a user");
    request.contactedBy = call.bot.id;
  }
  return room;
}

const permissionLabels: Partial<Record<Permission, string>> = {
  can_send_messages: 'text messages',
  can_send_audios: 'music',
  can_send_documents: 'documents',
  can_send_photos: 'photos',
  can_send_videos: 'videos',
  can_send_video_notes: 'video notes',
  can_send_voice_notes: 'voice notes',
  can_send_polls: 'polls',
  can_send_other_messages: 'stickers and GIFs',
};

export function requirePermission(call: Call, room: Room, permission: Permission): void {
  if (room.type === 'private') return;
  if (room.type === 'channel') {
    if (!hasRight(room.members.get(call.bot.id), 'can_post_messages')) {
      throw badRequest('need administrator rights in the channel chat');
    }
    return;
  }
  if (!isPermitted(room, call.bot.id, permission)) {
    throw badRequest(
      `not enough rights to send ${permissionLabels[permission] ?? 'messages'} to the chat`,
    );
  }
}

export function requireRight(
  call: Call,
  chat: ChatRecord,
  right: AdminRight,
  refusal: string,
): void {
  if (!hasRight(chat.members.get(call.bot.id), right)) throw badRequest(refusal);
}

/** Finds a message that the bot knows: messages that it never received do not exist for it. */
export function knownMessage(call: Call, room: Room, id: number): MessageRecord | undefined {
  const record = room.messages.get(id);
  return record && botKnows(call.world.state, room, record, call.bot) ? record : undefined;
}

/** Returns the message a call names; the refusal has that call's own text. */
export function messageOf(
  call: Call,
  room: Room,
  refusal: string,
  name = 'message_id',
): MessageRecord {
  const record = room.messages.get(call.params.integer(name));
  if (!record) throw badRequest(refusal);
  return record;
}

export function userIdOf(call: Call): number {
  const id = call.params.integer('user_id');
  if (id <= 0) throw badRequest('invalid user_id specified');
  const { state } = call.world;
  if (!state.users.has(id) && !state.bots.has(id)) throw badRequest('user not found');
  return id;
}
