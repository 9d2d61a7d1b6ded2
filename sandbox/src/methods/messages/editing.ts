import type { Location, Message, MessageEntity } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import { notifyEphemeral } from '../../world/messages/ephemeral.ts';
import { kindOf } from '../../world/messages/media.ts';
import { messageEdited } from '../../world/messages/messages.ts';
import type { MessageContent, MessageRecord, Room } from '../../world/records.ts';
import { hasRight } from '../../world/chats/rights.ts';
import { mayEditForBusiness } from '../business/business-target.ts';
import type { Call, MethodTable } from '../call.ts';
import { itemContent, itemParams } from './media.ts';
import { readLocation } from './other-content.ts';
import { readMarkup } from './reply-markup.ts';
import { readRichMessage } from './rich-messages.ts';
import { readCaption, readText, show } from '../send.ts';
import { messageOf, roomOf } from '../target.ts';

export interface Target {
  room: Room;
  record: MessageRecord;
  inline: boolean;
}

const notModified =
  'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message';

export function inlineTarget(call: Call): Target {
  const id = call.params.text('inline_message_id');
  if (id === '') throw badRequest('message identifier is not specified');
  const inline = call.world.state.inlineMessages.get(id);
  const room = inline && call.world.state.rooms.get(inline.roomKey);
  const record = inline && room?.messages.get(inline.messageId);
  if (!room || !record || inline.botId !== call.bot.id) throw badRequest('MESSAGE_ID_INVALID');
  return { room, record, inline: true };
}

export function targetOf(call: Call): Target {
  const { params } = call;
  if (!params.has('chat_id') && params.integer('message_id') <= 0) return inlineTarget(call);
  const room = roomOf(call);
  const record = messageOf(call, room, 'message to edit not found');
  const own =
    record.fromId === call.bot.id ||
    record.authorId === call.bot.id ||
    mayEditForBusiness(call, room, record);
  const post =
    room.type === 'channel' && hasRight(room.members.get(call.bot.id), 'can_edit_messages');
  if (record.isService || record.forwardOrigin || (!own && !post))
    throw badRequest("message can't be edited");
  return { room, record, inline: false };
}

/** Replaces content and keyboard; an edit without a keyboard removes the keyboard. */
export function replaceContent(
  call: Call,
  target: Target,
  content: MessageContent,
): Message | true {
  const { room, record } = target;
  const { inlineKeyboard } = readMarkup(call);
  const same =
    JSON.stringify(record.content) === JSON.stringify(content) &&
    JSON.stringify(record.inlineKeyboard) === JSON.stringify(inlineKeyboard);
  if (same) throw badRequest(notModified);
  const onlyKeyboard = JSON.stringify(record.content) === JSON.stringify(content);
  record.content = content;
  if (inlineKeyboard) record.inlineKeyboard = inlineKeyboard;
  else delete record.inlineKeyboard;
  // A changed keyboard alone does not count as an edit of the message.
  if (!onlyKeyboard) record.editDate = call.world.now();
  if (record.ephemeral && room.type !== 'private')
    notifyEphemeral(call.world, room, record.ephemeral);
  else messageEdited(call.world, room, record, true);
  return target.inline ? true : show(call, room, record);
}

type Find = (call: Call) => Target;

/**
 * Replaces a text with another text or a rich message, or a rich message with a text; a game gets
 * text below it.
 */
export async function editText(call: Call, find: Find): Promise<Message | true> {
  const isRich = call.params.has('rich_message');
  const words = isRich ? { rich_message: await readRichMessage(call) } : readText(call);
  const target = find(call);
  const { content } = target.record;
  if (content.game && !isRich) {
    const { text, entities } = words as { text: string; entities?: MessageEntity[] };
    const game = { ...content.game, text, text_entities: entities ?? [] };
    return replaceContent(call, target, { ...content, game });
  }
  if (content.text === undefined && !content.rich_message) {
    throw badRequest('there is no text in the message to edit');
  }
  const { text: _text, entities: _entities, rich_message: _rich, ...rest } = content;
  return replaceContent(call, target, { ...rest, ...words });
}

export function editCaption(call: Call, find: Find): Message | true {
  const target = find(call);
  const kind = kindOf(target.record.content);
  if (!kind || kind === 'sticker' || kind === 'video_note') {
    throw badRequest('there is no caption in the message to edit');
  }
  const { caption: _caption, caption_entities: _entities, ...rest } = target.record.content;
  return replaceContent(call, target, { ...rest, ...readCaption(call) });
}

export async function editMedia(call: Call, find: Find): Promise<Message | true> {
  const target = find(call);
  if (!kindOf(target.record.content) && target.record.content.text === undefined) {
    throw badRequest("message can't be edited");
  }
  call.params.required('media');
  const given = call.params.json('media', 'input media');
  const content = await itemContent(call, itemParams(call, given));
  const { media_group_id: group } = target.record.content;
  return replaceContent(call, target, {
    ...content,
    ...(group !== undefined && { media_group_id: group }),
  });
}

export const editMarkup = (call: Call, find: Find): Message | true => {
  const target = find(call);
  return replaceContent(call, target, target.record.content);
};

/** A live location that has not expired; 0x7FFFFFFF never expires. */
function liveLocation(call: Call, { record }: Target): Location {
  const { location } = record.content;
  const period = location?.live_period ?? 0;
  const isOver = period !== 0x7fffffff && call.world.now() >= record.date + period;
  if (!location || isOver) throw badRequest("message can't be edited");
  return location;
}

function editMessageLiveLocation(call: Call): Message | true {
  const target = targetOf(call);
  const { live_period = 0 } = liveLocation(call, target);
  const next: Location = { live_period, ...readLocation(call) };
  return replaceContent(call, target, { ...target.record.content, location: next });
}

function stopMessageLiveLocation(call: Call): Message | true {
  const target = targetOf(call);
  const { latitude, longitude } = liveLocation(call, target);
  return replaceContent(call, target, {
    ...target.record.content,
    location: { latitude, longitude },
  });
}

export const editingMethods: MethodTable = {
  editmessagetext: (call) => editText(call, targetOf),
  editmessagecaption: (call) => editCaption(call, targetOf),
  editmessagemedia: (call) => editMedia(call, targetOf),
  editmessagereplymarkup: (call) => editMarkup(call, targetOf),
  editmessagelivelocation: editMessageLiveLocation,
  stopmessagelivelocation: stopMessageLiveLocation,
};
