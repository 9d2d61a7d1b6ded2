import type { Chat, MessageOrigin } from '@grammyjs/types';
import type { Draft } from './messages.ts';
import { personOf } from '../people.ts';
import { keepPoll } from './polls.ts';
import type { MessageContent, MessageRecord, Room } from '../records.ts';
import { chatObject, findChat } from '../chats/rooms.ts';
import { nextLongId, type World } from '../world.ts';

export function originOf(world: World, room: Room, record: MessageRecord): MessageOrigin {
  if (record.forwardOrigin) return record.forwardOrigin;
  const { date } = record;
  if (room.type === 'channel') {
    return {
      type: 'channel',
      date,
      chat: chatObject(world.state, room) as Chat.ChannelChat,
      message_id: record.id,
      ...(record.authorSignature !== undefined && { author_signature: record.authorSignature }),
    };
  }
  const chat =
    record.senderChatId === undefined ? undefined : findChat(world.state, record.senderChatId);
  if (chat) return { type: 'chat', date, sender_chat: chatObject(world.state, chat) };
  return { type: 'user', date, sender_user: personOf(world.state, record.fromId ?? 0) };
}

const forwardableContent = (record: MessageRecord): MessageContent => {
  const { media_group_id: _group, has_protected_content: _protected, ...content } = record.content;
  return structuredClone(content);
};

/** Anyone can pay a forwarded invoice, unless it leads to the bot instead. */
function forwardedBill(
  world: World,
  { bill, content, inlineKeyboard }: MessageRecord,
): Pick<MessageRecord, 'bill' | 'inlineKeyboard'> {
  if (bill?.media) return { bill };
  if (!bill || !inlineKeyboard) return {};
  const start = content.invoice?.start_parameter ?? '';
  if (start === '') return { bill, inlineKeyboard };
  const name = world.state.bots.get(bill.botId)?.username ?? '';
  const url = `https://t.me/${name}?start=${start}`;
  return { inlineKeyboard: { inline_keyboard: [[{ text: 'Pay', url }]] } };
}

export function forwardDraft(world: World, room: Room, record: MessageRecord): Draft {
  return {
    content: forwardableContent(record),
    forwardOrigin: originOf(world, room, record),
    ...forwardedBill(world, record),
    ...(record.pollId !== undefined && { pollId: record.pollId }),
    ...(record.viaBotId !== undefined && { viaBotId: record.viaBotId }),
  };
}

/** Returns the same content as a new message; a poll starts without votes. */
export function copyDraft(world: World, record: MessageRecord, botId: number): Draft {
  const poll = record.pollId === undefined ? undefined : world.state.polls.get(record.pollId);
  if (!poll) return { content: forwardableContent(record) };
  const id = nextLongId(world);
  const options = poll.options.map((option) => ({ ...option, voter_count: 0 }));
  keepPoll(world, { ...poll, id, botId, options, votes: {}, isClosed: false });
  return { content: forwardableContent(record), pollId: id };
}

export const canTravel = (record: MessageRecord): boolean =>
  !record.isService && record.content.has_protected_content !== true;

export const canBeCopied = (record: MessageRecord): boolean =>
  canTravel(record) && !record.content.invoice && !record.content.paid_media;
