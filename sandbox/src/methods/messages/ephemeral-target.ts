import { badRequest } from '../../api-error.ts';
import { memberOf } from '../../world/chats/members.ts';
import type { ChatRecord, EphemeralMark, MessageRecord, Room } from '../../world/records.ts';
import { isAdmin, isPresent } from '../../world/chats/rights.ts';
import type { Call } from '../call.ts';
import { asNumber, asText } from '../params.ts';

/** How long after a user's action a bot may reply with an ephemeral message. */
const answerSeconds = 15;
const tooOld = 'query is too old and response timeout expired or query ID is invalid';

const methods = new Set(
  `sendmessage sendrichmessage sendphoto sendlivephoto sendaudio senddocument sendvideo
   sendanimation sendvoice sendvideonote sendlocation sendvenue sendcontact sendsticker`.split(
    /\s+/u,
  ),
);

function receiverOf(call: Call, chat: ChatRecord, given: unknown): number {
  if (given === undefined) throw badRequest('can\'t find field "receiver_user_id"');
  const userId = asNumber(given);
  if (!call.world.state.users.has(userId)) throw badRequest('user not found');
  if (!isPresent(memberOf(call.world, chat, userId))) throw badRequest('USER_NOT_PARTICIPANT');
  return userId;
}

const isRecent = (call: Call, date: number): boolean => call.world.now() - date <= answerSeconds;

/** Returns the answered press, whose message the answer may replace. */
function answered(
  call: Call,
  chat: ChatRecord,
  userId: number,
  queryId: string,
  covers: boolean,
): Pick<EphemeralMark, 'replaces'> {
  const query = call.world.state.callbacks.get(queryId);
  const own = query?.botId === call.bot.id && query.userId === userId;
  if (!own || query.roomKey !== chat.key || !isRecent(call, query.createdAt)) {
    throw badRequest(tooOld);
  }
  if (!covers) return {};
  if (!query.messageId) throw badRequest('MESSAGE_ID_INVALID');
  return { replaces: query.messageId };
}

/** Returns the person who alone will see the message of a call; undefined if everyone will. */
export function ephemeralTarget(
  call: Call,
  room: Room,
  replyToId: number | undefined,
): EphemeralMark | undefined {
  const given = call.params.json('ephemeral_message_parameters');
  if (given === undefined) {
    if (replyToId === undefined) return undefined;
    throw badRequest('replies to ephemeral messages must be ephemeral');
  }
  if (given === null || typeof given !== 'object' || Array.isArray(given)) {
    throw badRequest('object expected as ephemeral message parameters');
  }
  // Sending a private reply to everybody would be worse than not sending it.
  if (!methods.has(call.method.toLowerCase())) {
    throw badRequest("messages of this type can't be ephemeral");
  }
  if (room.type === 'private' || room.type === 'channel') {
    throw badRequest('ephemeral messages can be sent only to group and supergroup chats');
  }
  const fields = given as Record<string, unknown>;
  const userId = receiverOf(call, room, fields['receiver_user_id']);
  const mark: EphemeralMark = { id: 0, botId: call.bot.id, userId };
  const queryId = asText(fields['callback_query_id']);
  if (queryId !== '') {
    const covers = fields['replace_callback_query_message'] === true;
    return { ...mark, ...answered(call, room, userId, queryId, covers) };
  }
  if (replyToId !== undefined) {
    const target = room.ephemeral?.get(replyToId);
    const own = target?.fromId === userId && target.ephemeral?.botId === call.bot.id;
    if (!own || !isRecent(call, target.date)) throw badRequest('message to be replied not found');
  } else if (!isAdmin(room.members.get(call.bot.id))) {
    throw badRequest('CHAT_ADMIN_REQUIRED');
  }
  return mark;
}

/** Finds this bot's ephemeral message to one person, by its own ID. */
export function ownEphemeral(call: Call, chat: ChatRecord, refusal: string): MessageRecord {
  const record = chat.ephemeral?.get(call.params.integer('ephemeral_message_id'));
  const userId = call.params.integer('receiver_user_id');
  const own = record?.fromId === call.bot.id && record.ephemeral?.userId === userId;
  if (!own) throw badRequest(refusal);
  return record;
}
