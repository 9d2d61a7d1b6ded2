import type { Message } from '@grammyjs/types';
import { badRequest } from '../api-error.ts';
import { kindOf } from '../world/media.ts';
import { messageEdited } from '../world/messages.ts';
import type { MessageContent, MessageRecord, Room } from '../world/records.ts';
import { hasRight } from '../world/rights.ts';
import { mayEditForBusiness } from './business-target.ts';
import type { Call, MethodTable } from './call.ts';
import { itemContent, itemParams } from './media.ts';
import { readLocation } from './other-content.ts';
import { readMarkup } from './reply-markup.ts';
import { readCaption, readText, show } from './send.ts';
import { messageOf, roomOf } from './target.ts';

interface Target {
  room: Room;
  record: MessageRecord;
  inline: boolean;
}

const NOT_MODIFIED =
  'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message';

function inlineTarget(call: Call, id: string): Target {
  const place = call.world.state.inlineMessages.get(id);
  const room = place && call.world.state.rooms.get(place.roomKey);
  const record = place && room?.messages.get(place.messageId);
  if (!room || !record || place.botId !== call.bot.id) throw badRequest('MESSAGE_ID_INVALID');
  return { room, record, inline: true };
}

function targetOf(call: Call): Target {
  const inlineId = call.params.text('inline_message_id');
  if (inlineId && !call.params.has('message_id')) return inlineTarget(call, inlineId);
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

/** Replaces content and keyboard; an edit without a keyboard takes the keyboard away. */
function replace(call: Call, target: Target, content: MessageContent): Message | true {
  const { room, record } = target;
  const { inlineKeyboard } = readMarkup(call);
  const same =
    JSON.stringify(record.content) === JSON.stringify(content) &&
    JSON.stringify(record.inlineKeyboard) === JSON.stringify(inlineKeyboard);
  if (same) throw badRequest(NOT_MODIFIED);
  const onlyKeyboard = JSON.stringify(record.content) === JSON.stringify(content);
  record.content = content;
  if (inlineKeyboard) record.inlineKeyboard = inlineKeyboard;
  else delete record.inlineKeyboard;
  // A changed keyboard alone does not count as an edit of the message.
  if (!onlyKeyboard) record.editDate = call.world.now();
  messageEdited(call.world, room, record, true);
  return target.inline ? true : show(call, room, record);
}

function editMessageText(call: Call): Message | true {
  const target = targetOf(call);
  const { content } = target.record;
  if (content.text === undefined) throw badRequest('there is no text in the message to edit');
  const { entities: _entities, ...rest } = content;
  return replace(call, target, { ...rest, ...readText(call) });
}

function editMessageCaption(call: Call): Message | true {
  const target = targetOf(call);
  const kind = kindOf(target.record.content);
  if (!kind || kind === 'sticker' || kind === 'video_note') {
    throw badRequest('there is no caption in the message to edit');
  }
  const { caption: _caption, caption_entities: _entities, ...rest } = target.record.content;
  return replace(call, target, { ...rest, ...readCaption(call) });
}

async function editMessageMedia(call: Call): Promise<Message | true> {
  const target = targetOf(call);
  if (!kindOf(target.record.content) && target.record.content.text === undefined) {
    throw badRequest("message can't be edited");
  }
  const given = call.params.json('media');
  if (given === undefined) throw badRequest('media is empty');
  const content = await itemContent(call, itemParams(call, given));
  const { media_group_id: group } = target.record.content;
  return replace(call, target, {
    ...content,
    ...(group !== undefined && { media_group_id: group }),
  });
}

const editMessageReplyMarkup = (call: Call): Message | true => {
  const target = targetOf(call);
  return replace(call, target, target.record.content);
};

function editMessageLiveLocation(call: Call): Message | true {
  const target = targetOf(call);
  const { location } = target.record.content;
  if (!location?.live_period) throw badRequest("message can't be edited");
  const next = { live_period: location.live_period, ...readLocation(call) };
  return replace(call, target, { ...target.record.content, location: next });
}

function stopMessageLiveLocation(call: Call): Message | true {
  const target = targetOf(call);
  const { location } = target.record.content;
  if (!location?.live_period) throw badRequest("message can't be edited");
  const { latitude, longitude } = location;
  return replace(call, target, { ...target.record.content, location: { latitude, longitude } });
}

export const editingMethods: MethodTable = {
  editmessagetext: editMessageText,
  editmessagecaption: editMessageCaption,
  editmessagemedia: editMessageMedia,
  editmessagereplymarkup: editMessageReplyMarkup,
  editmessagelivelocation: editMessageLiveLocation,
  stopmessagelivelocation: stopMessageLiveLocation,
};
