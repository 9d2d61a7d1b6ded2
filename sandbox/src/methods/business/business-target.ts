import type { BusinessBotRights } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import { findAccountRoom } from '../../world/accounts.ts';
import type {
  BusinessConnectionRecord,
  DialogRecord,
  MessageRecord,
  Room,
} from '../../world/records.ts';
import type { Call } from '../call.ts';

/** Methods with this parameter. Telegram ignores parameters that a method does not have. */
const methods = /^(?:send|edit|stop|pin|unpin|readbusiness)/iu;

const daySeconds = 86_400;
const twoDaysSeconds = 2 * daySeconds;

export const actsForBusiness = (call: Call): boolean =>
  methods.test(call.method) && call.params.has('business_connection_id');

/** Returns the connection that a call names, even one that has ended. */
export function knownConnection(call: Call): BusinessConnectionRecord {
  const id = call.params.text('business_connection_id');
  const connection = call.world.state.connections?.get(id);
  if (connection?.botId !== call.bot.id) throw badRequest('business connection not found');
  return connection;
}

export function openConnection(
  call: Call,
  ...anyOf: (keyof BusinessBotRights)[]
): BusinessConnectionRecord {
  const connection = knownConnection(call);
  if (!connection.isEnabled) throw badRequest('BUSINESS_CONNECTION_INVALID');
  if (!anyOf.some((right) => connection.rights[right])) throw badRequest('not enough rights');
  return connection;
}

/** Returns a chat of the account in which the other side wrote within a day. */
export function businessRoom(
  call: Call,
  right: keyof BusinessBotRights = 'can_reply',
): DialogRecord {
  const connection = openConnection(call, right);
  const { state } = call.world;
  const room = findAccountRoom(state, connection.userId, call.params.integer('chat_id'));
  if (!room || !state.users.has(room.userId)) throw badRequest('BUSINESS_PEER_INVALID');
  const since = call.world.now() - daySeconds;
  const isOpen = room.messages
    .values()
    .some((record) => record.fromId === room.userId && record.date >= since);
  if (!isOpen) throw badRequest('BUSINESS_PEER_USAGE_MISSING');
  return room;
}

/** True for messages that the account wrote; without the bot, only for two days. */
export function mayEditForBusiness(call: Call, room: Room, record: MessageRecord): boolean {
  if (room.type !== 'private' || room.ownerId === undefined || record.fromId !== room.ownerId)
    return false;
  if (record.businessBotId === call.bot.id) return true;
  return call.world.now() - record.date <= twoDaysSeconds;
}
