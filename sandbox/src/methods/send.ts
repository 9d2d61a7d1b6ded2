import type { Message, MessageEntity, ReplyParameters } from '@grammyjs/types';
import { badRequest } from '../api-error.ts';
import { checkEntities } from '../text/check-entities.ts';
import { formatText } from '../text/format.ts';
import { addEphemeral } from '../world/messages/ephemeral.ts';
import { originOf } from '../world/messages/forward.ts';
import { addMessage, type Draft } from '../world/messages/messages.ts';
import type { MessageContent, MessageRecord, Room } from '../world/records.ts';
import { renderMessage } from '../world/messages/render.ts';
import type { Permission } from '../world/chats/rights.ts';
import { chatObject } from '../world/chats/rooms.ts';
import { draftPlace } from '../world/chats/topics.ts';
import type { Call } from './call.ts';
import { ephemeralTarget } from './messages/ephemeral-target.ts';
import { asNumber } from './params.ts';
import { type Markup, readMarkup } from './messages/reply-markup.ts';
import { knownMessage, requirePermission, writableRoom } from './target.ts';
import { requireOpenTopic, topicOf } from './topic-target.ts';

const maxText = 4096;
const maxCaption = 1024;

export const show = (call: Call, room: Room, record: MessageRecord): Message =>
  renderMessage(call.world.state, room, record, { botId: call.bot.id });

export function readEntities(call: Call, name: string): MessageEntity[] {
  try {
    return checkEntities(call.params.json(name));
  } catch (error) {
    // A value that is not JSON counts as none.
    if (call.params.isJson(name)) throw error;
    return [];
  }
}

/** `text` and its entities, or a refusal. */
export function readText(call: Call): { text: string; entities?: MessageEntity[] } {
  const source = call.params.text('text');
  if (source === '') throw badRequest('message text is empty');
  const parsed = formatText(
    call.world.state,
    source,
    call.params.text('parse_mode'),
    readEntities(call, 'entities'),
  );
  if (parsed.text === '') throw badRequest('text must be non-empty');
  if (parsed.text.length > maxText) throw badRequest('message is too long');
  return { text: parsed.text, ...(parsed.entities.length > 0 && { entities: parsed.entities }) };
}

export function makeCaption(
  call: Call,
  source: string,
  mode: string,
  entities: MessageEntity[],
): Pick<MessageContent, 'caption' | 'caption_entities'> {
  const parsed = formatText(call.world.state, source, mode, entities);
  if (parsed.text.length > maxCaption) throw badRequest('message caption is too long');
  return {
    ...(parsed.text !== '' && { caption: parsed.text }),
    ...(parsed.entities.length > 0 && { caption_entities: parsed.entities }),
  };
}

export const readCaption = (call: Call): Pick<MessageContent, 'caption' | 'caption_entities'> =>
  makeCaption(
    call,
    call.params.text('caption'),
    call.params.text('parse_mode'),
    readEntities(call, 'caption_entities'),
  );

function replyParameters(call: Call): Partial<ReplyParameters> {
  const given = call.params.json('reply_parameters') ?? {};
  if (given === null || typeof given !== 'object' || Array.isArray(given)) {
    throw badRequest('object expected as reply parameters');
  }
  const names = Object.keys(given);
  if (
    names.length > 0 &&
    !names.includes('message_id') &&
    !names.includes('ephemeral_message_id')
  ) {
    throw badRequest('can\'t find field "message_id"');
  }
  return given;
}

function replyTarget(call: Call, room: Room, given: Partial<ReplyParameters>): number | undefined {
  const id = asNumber(given.message_id ?? call.params.integer('reply_to_message_id'));
  if (!(id > 0)) return undefined;
  if (knownMessage(call, room, id)) return id;
  const lenient =
    given.allow_sending_without_reply ?? call.params.flag('allow_sending_without_reply');
  if (lenient) return undefined;
  throw badRequest('message to be replied not found');
}

export interface Envelope {
  room: Room;
  draft: Omit<Draft, 'content'>;
  /** Content that does not depend on the kind of message. */
  common: Pick<MessageContent, 'has_protected_content' | 'external_reply'>;
}

/** Sorts a reply by topics: it is in the topic of its target, or shows a target elsewhere. */
function placeReply(
  call: Call,
  room: Room,
  topicId: number | undefined,
  replyTo: number | undefined,
): Pick<Draft, 'topicId' | 'replyTo'> & Pick<Envelope, 'common'> {
  const target = replyTo === undefined ? undefined : room.messages.get(replyTo);
  if (!target) return { ...(topicId !== undefined && { topicId }), common: {} };
  if (topicId === undefined || topicId === target.topicId) {
    const { topicId: own } = target;
    return { replyTo: target.id, ...(own !== undefined && { topicId: own }), common: {} };
  }
  const chat = chatObject(call.world.state, room);
  const origin = originOf(call.world, room, target);
  return { topicId, common: { external_reply: { origin, chat, message_id: target.id } } };
}

/** Reads what all sends have in common: the chat, the right to write, the reply, the keyboard. */
export function openEnvelope(call: Call, permission: Permission): Envelope {
  const room = writableRoom(call);
  requirePermission(call, room, permission);
  const topicId = topicOf(call, room);
  const reply = replyParameters(call);
  const ephemeral = ephemeralTarget(call, room, asNumber(reply.ephemeral_message_id) || undefined);
  // An ephemeral reply is refused without the message it answers.
  const strict = ephemeral && { allow_sending_without_reply: false };
  const replyTo = replyTarget(call, room, { ...reply, ...strict });
  const markup = readMarkup(call);
  if (ephemeral && hasLogin(markup)) throw badRequest('BUTTON_TYPE_INVALID');
  const { common, ...place } = placeReply(call, room, topicId, replyTo);
  requireOpenTopic(call, room, place.topicId);
  return {
    room,
    draft: {
      ...senderIn(room, call.bot.id),
      ...place,
      ...markup,
      ...(ephemeral && { ephemeral }),
    },
    common: {
      ...common,
      ...(call.params.flag('protect_content') && { has_protected_content: true }),
    },
  };
}

const hasLogin = ({ inlineKeyboard }: Markup): boolean =>
  (inlineKeyboard?.inline_keyboard ?? []).flat().some((button) => 'login_url' in button);

function senderIn(room: Room, botId: number): Partial<Draft> {
  if (room.type === 'channel') return { senderChatId: room.id, authorId: botId };
  const ownerId = room.type === 'private' ? room.ownerId : undefined;
  return ownerId === undefined ? { fromId: botId } : { fromId: ownerId, businessBotId: botId };
}

export function post(call: Call, envelope: Envelope, content: MessageContent): MessageRecord {
  const { room } = envelope;
  const draft = { ...envelope.draft, content: { ...content, ...envelope.common } };
  if (room.type === 'private') delete draftPlace(room, draft.topicId).draft;
  else if (draft.ephemeral)
    return addEphemeral(call.world, room, { ...draft, ephemeral: draft.ephemeral });
  return addMessage(call.world, room, draft);
}

/** Reads, opens, writes, shows: the whole of a simple send. Errors of the content come first. */
export function send(call: Call, permission: Permission, content: () => MessageContent): Message {
  const given = content();
  const envelope = openEnvelope(call, permission);
  return show(call, envelope.room, post(call, envelope, given));
}
