import type { Message } from '@grammyjs/types';
import { businessFields } from '../accounts.ts';
import { type FileOwner, publicFileId } from './file-id.ts';
import { personOf } from '../people.ts';
import { pollObject } from './polls.ts';
import type { MessageRecord, Room, WorldState } from '../records.ts';
import { chatObject, findChat } from '../chats/rooms.ts';
import { botKnows } from './visibility.ts';

/** The reader of a message: file IDs are valid for one bot only. */
export type Viewer = { botId: number } | 'user';

/** Replaces file keys with the IDs of a bot, because each bot sees its own. */
export function localiseFiles<T>(value: T, bot: FileOwner): T {
  if (Array.isArray(value)) return value.map((item: unknown) => localiseFiles(item, bot)) as T;
  if (value === null || typeof value !== 'object') return value;
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    copy[key] =
      key.endsWith('file_id') && typeof item === 'string'
        ? publicFileId(bot, item)
        : localiseFiles(item, bot);
  }
  return copy as T;
}

const plain = new Set(['text', 'entities', 'caption', 'caption_entities', 'link_preview_options']);

function hasFiles(record: MessageRecord): boolean {
  for (const key in record.content) if (!plain.has(key)) return true;
  return false;
}

/** Includes the message that was replied to or pinned; in a basic group only for bots that know it anyway. */
function shownTarget(
  state: WorldState,
  room: Room,
  id: number,
  viewer: Viewer,
): MessageRecord | undefined {
  const target = room.messages.get(id);
  if (!target || viewer === 'user' || room.type !== 'group') return target;
  const bot = state.bots.get(viewer.botId);
  return bot && botKnows(state, room, target, bot) ? target : undefined;
}

/** In a forum, bots see every message of a topic as a reply to the message that created it. */
const implicitReply = (room: Room, { id, topicId }: MessageRecord, viewer: Viewer) =>
  viewer !== 'user' && room.type === 'supergroup' && topicId !== id ? topicId : undefined;

export function renderMessage(
  state: WorldState,
  room: Room,
  record: MessageRecord,
  viewer: Viewer,
  nested = false,
): Message {
  const message = {
    message_id: record.id,
    ...(record.fromId !== undefined && { from: personOf(state, record.fromId) }),
  } as Message;
  if (record.ephemeral) {
    const { id, botId, userId } = record.ephemeral;
    message.receiver_user = personOf(state, record.fromId === botId ? userId : botId);
    message.ephemeral_message_id = id;
  }
  if (record.senderChatId !== undefined) {
    const sender = findChat(state, record.senderChatId);
    if (sender) message.sender_chat = chatObject(state, sender);
  }
  message.chat = chatObject(state, room, viewer === 'user' ? 'user' : 'bot');
  message.date = record.date;
  if (viewer !== 'user') Object.assign(message, businessFields(state, room, record, viewer.botId));
  if (record.editDate !== undefined) message.edit_date = record.editDate;
  if (record.authorSignature !== undefined) message.author_signature = record.authorSignature;
  if (record.forwardOrigin) message.forward_origin = record.forwardOrigin;
  if (record.viaBotId !== undefined) message.via_bot = personOf(state, record.viaBotId);
  if (record.topicId !== undefined) {
    message.message_thread_id = record.topicId;
    message.is_topic_message = true;
  }
  const replyTo = record.replyTo ?? implicitReply(room, record, viewer);
  if (replyTo !== undefined && !nested) {
    const target = shownTarget(state, room, replyTo, viewer);
    if (target) {
      message.reply_to_message = renderMessage(state, room, target, viewer, true) as NonNullable<
        Message['reply_to_message']
      >;
    }
  }
  if (record.pinnedId !== undefined && !nested) {
    const target = shownTarget(state, room, record.pinnedId, viewer);
    message.pinned_message = target
      ? renderMessage(state, room, target, viewer, true)
      : { chat: message.chat, message_id: record.pinnedId, date: 0 };
  }
  const bot = viewer === 'user' || !hasFiles(record) ? undefined : state.bots.get(viewer.botId);
  Object.assign(message, bot ? localiseFiles(record.content, bot) : record.content);
  if (record.pollId !== undefined) {
    const poll = state.polls.get(record.pollId);
    if (poll) message.poll = pollObject(poll);
  }
  if (record.inlineKeyboard) message.reply_markup = record.inlineKeyboard;
  return message;
}
