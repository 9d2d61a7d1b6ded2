import type { ForumTopic, Sticker } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import { hasRight } from '../../world/chats/rights.ts';
import {
  addTopic,
  deleteTopic,
  editTopic,
  findTopic,
  generalId,
  hasTopics,
  setGeneralHidden,
  setTopicClosed,
  topicName,
} from '../../world/chats/topics.ts';
import { publicFileId, uniqueFileId } from '../../world/messages/file-id.ts';
import { storeFile } from '../../world/messages/files.ts';
import { unpinMessage } from '../../world/messages/messages.ts';
import { paintPicture } from '../../world/messages/picture.ts';
import type { ChatRecord, Room, TopicRecord } from '../../world/records.ts';
import type { Call, MethodTable } from '../call.ts';
import { requirePinning } from '../messages/deleting.ts';
import { roomOf, writableRoom } from '../target.ts';

const topicNotModified = 'TOPIC_NOT_MODIFIED';

function forumOf(call: Call): Room {
  const room = writableRoom(call);
  if (!hasTopics(call.world.state, room)) throw badRequest('the chat is not a forum');
  return room;
}

/** Topics of private chats can be neither closed nor hidden. */
function groupForumOf(call: Call): ChatRecord {
  const room = forumOf(call);
  if (room.type === 'private') throw badRequest('the chat is not a supergroup forum');
  return room;
}

function topicIdOf(call: Call): number {
  const id = call.params.integer('message_thread_id');
  if (id <= 0) throw badRequest('invalid forum topic identifier specified');
  return id;
}

type TopicRight = 'can_manage_topics' | 'can_delete_messages';

/** Finds a topic that the bot may change: with a right, or because it created it. */
function changeable(
  call: Call,
  room: Room,
  id: number,
  right: TopicRight,
  refusal: string,
): TopicRecord {
  const topic = findTopic(call.world.state, room, id);
  if (!topic) throw badRequest('TOPIC_ID_INVALID');
  const isFree = room.type === 'private' || topic.creatorId === call.bot.id;
  if (!isFree && !hasRight(room.members.get(call.bot.id), right)) throw badRequest(refusal);
  return topic;
}

/** A text that is no number counts as none. */
const iconOf = ({ params }: Call): string =>
  params.text('icon_custom_emoji_id').match(/^\d+/u)?.[0] ?? '';

function createForumTopic(call: Call): ForumTopic {
  const room = forumOf(call);
  const { id: byId } = call.bot;
  if (room.type !== 'private' && !hasRight(room.members.get(byId), 'can_manage_topics')) {
    throw badRequest('not enough rights to create a topic');
  }
  const name = topicName(call.params.text('name'));
  if (name === '') throw badRequest('name must be non-empty');
  const iconColor = call.params.integer('icon_color');
  if (iconColor < 0 || iconColor > 0xffffff) throw badRequest('invalid icon color specified');
  const topic = addTopic(call.world, room, {
    name,
    byId,
    iconColor,
    iconEmojiId: iconOf(call) || undefined,
  });
  return {
    message_thread_id: topic.id,
    name,
    icon_color: topic.iconColor as ForumTopic['icon_color'],
    ...(topic.iconEmojiId !== undefined && { icon_custom_emoji_id: topic.iconEmojiId }),
  };
}

function edit(call: Call, room: Room, id: number, canSetIcon: boolean): true {
  const refusal = 'not enough rights to edit the topic';
  const topic = changeable(call, room, id, 'can_manage_topics', refusal);
  const given = call.params.text('name');
  const name = topicName(given);
  if (given !== '' && name === '') throw badRequest('name must be non-empty');
  const iconEmojiId =
    canSetIcon && call.params.isGiven('icon_custom_emoji_id') ? iconOf(call) : undefined;
  if (name === '' && iconEmojiId === undefined) return true;
  if (iconEmojiId !== undefined && id === generalId)
    throw badRequest('GENERAL_MODIFY_ICON_FORBIDDEN');
  if (!editTopic(call.world, room, topic, call.bot.id, { name: name || undefined, iconEmojiId })) {
    throw badRequest(topicNotModified);
  }
  return true;
}

function toggle(
  call: Call,
  set: typeof setTopicClosed,
  idOf: (call: Call) => number,
  value: boolean,
): true {
  const room = groupForumOf(call);
  const refusal = 'not enough rights to close or open the topic';
  const topic = changeable(call, room, idOf(call), 'can_manage_topics', refusal);
  if (!set(call.world, room, topic, call.bot.id, value)) throw badRequest(topicNotModified);
  return true;
}

function deleteForumTopic(call: Call): true {
  const room = forumOf(call);
  const refusal = 'not enough rights to delete the topic';
  const topic = changeable(call, room, topicIdOf(call), 'can_delete_messages', refusal);
  if (topic.id === generalId) throw badRequest('TOPIC_ID_INVALID');
  deleteTopic(call.world, room, topic, call.bot.id);
  return true;
}

/** Messages of General belong to no topic. */
function unpinAll(call: Call, id: number): true {
  const room = roomOf(call);
  requirePinning(call, room);
  if (!hasTopics(call.world.state, room)) throw badRequest("chat doesn't have topics");
  if (!findTopic(call.world.state, room, id)) throw badRequest('TOPIC_ID_INVALID');
  for (const pinned of [...room.pinned]) {
    const { topicId = generalId } = room.messages.get(pinned) ?? {};
    if (topicId === id) unpinMessage(call.world, room, pinned);
  }
  return true;
}

const icons = Object.entries({
  '📰': '5434144690511290129',
  '💡': '5312536423851630001',
  '⚡️': '5312016608254762256',
  '🎙': '5377544228505134960',
  '🔝': '5418085807791545980',
  '🗣': '5370870893004203704',
  '🆒': '5420216386448270341',
  '❗️': '5379748062124056162',
  '📝': '5373251851074415873',
  '📆': '5433614043006903194',
});

const iconSize = 100;

/** Ten of Telegram's icons; each is painted when somebody first needs it. */
const getForumTopicIconStickers = ({ bot, world }: Call): Sticker[] =>
  icons.map(([emoji, id], at) => {
    const key = `f${id}`;
    if (!world.state.files.has(key)) {
      const bytes = paintPicture(iconSize, iconSize, (at * 360) / icons.length);
      storeFile(world, { bytes, name: 'icon.png', mimeType: 'image/png' }, 'stickers', key);
    }
    return {
      file_id: publicFileId(bot, key),
      file_unique_id: uniqueFileId(key),
      type: 'custom_emoji',
      width: iconSize,
      height: iconSize,
      is_animated: false,
      is_video: false,
      emoji,
      set_name: 'Topics',
      custom_emoji_id: id,
      needs_repainting: true,
    };
  });

const general = () => generalId;

export const topicMethods: MethodTable = {
  createforumtopic: createForumTopic,
  editforumtopic: (call) => edit(call, forumOf(call), topicIdOf(call), true),
  closeforumtopic: (call) => toggle(call, setTopicClosed, topicIdOf, true),
  reopenforumtopic: (call) => toggle(call, setTopicClosed, topicIdOf, false),
  deleteforumtopic: deleteForumTopic,
  unpinallforumtopicmessages: (call) => unpinAll(call, topicIdOf(call)),
  editgeneralforumtopic: (call) => edit(call, forumOf(call), generalId, false),
  closegeneralforumtopic: (call) => toggle(call, setTopicClosed, general, true),
  reopengeneralforumtopic: (call) => toggle(call, setTopicClosed, general, false),
  hidegeneralforumtopic: (call) => toggle(call, setGeneralHidden, general, true),
  unhidegeneralforumtopic: (call) => toggle(call, setGeneralHidden, general, false),
  unpinallgeneralforumtopicmessages: (call) => unpinAll(call, generalId),
  getforumtopiciconstickers: getForumTopicIconStickers,
};
