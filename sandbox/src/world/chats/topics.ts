import { keep } from '../bounded.ts';
import { addService, removeMessage } from '../messages/messages.ts';
import type {
  ChatRecord,
  DialogRecord,
  MessageContent,
  Room,
  TopicRecord,
  WorldState,
} from '../records.ts';
import type { World } from '../world.ts';

/*
 * Topics of forums and of private chats with bots that have them. Messages of General belong to no
 * topic, as on Telegram.
 */

export const generalId = 1;
const defaultColor = 7_322_096;
export const iconColors = [defaultColor, 16_766_590, 13_338_331, 9_367_192, 16_749_490, 16_478_047];
const longestName = 128;

export const topicName = (given: string): string => given.trim().slice(0, longestName).trim();

export function hasTopics(state: WorldState, room: Room): boolean {
  if (room.type !== 'private') return room.isForum === true;
  return room.topicsOff !== true && state.bots.get(room.botId)?.hasTopics === true;
}

/** Returns a topic that still exists. */
export function findTopic(state: WorldState, room: Room, id: number): TopicRecord | undefined {
  const topic = hasTopics(state, room) ? room.topics?.get(id) : undefined;
  return topic?.deleted ? undefined : topic;
}

export const topicsOf = (state: WorldState, room: Room): TopicRecord[] =>
  hasTopics(state, room) ? [...(room.topics?.values() ?? [])].filter((one) => !one.deleted) : [];

/** The key of the draft that a bot writes in a topic, or outside of topics. */
export const draftPlace = (
  room: DialogRecord,
  topicId: number | undefined,
): Pick<DialogRecord, 'draft'> =>
  (topicId === undefined ? undefined : room.topics?.get(topicId)) ?? room;

/** Topics are kept while they are off. */
export function setForum(world: World, chat: ChatRecord, isForum: boolean): void {
  chat.isForum = isForum;
  const ownerId = [...chat.members].find(([, { status }]) => status === 'creator')?.[0] ?? 0;
  chat.topics ??= new Map([
    [generalId, { id: generalId, name: 'General', iconColor: defaultColor, creatorId: ownerId }],
  ]);
  changed(world, chat);
}

const changed = (world: World, { key }: Room): void =>
  world.changed({ type: 'chat_changed', roomKey: key });

export interface NewTopic {
  name: string;
  byId: number;
  iconColor?: number | undefined;
  iconEmojiId?: string | undefined;
  /** Nobody chose the name, so the bot should. */
  isNameImplicit?: boolean;
}

export function addTopic(world: World, room: Room, fields: NewTopic): TopicRecord {
  const { name, byId, iconEmojiId, isNameImplicit } = fields;
  const color = iconColors.find((one) => one === fields.iconColor) ?? defaultColor;
  const icon = iconEmojiId === undefined ? {} : { icon_custom_emoji_id: iconEmojiId };
  const { id } = addService(world, room, byId, {
    forum_topic_created: {
      name,
      icon_color: color,
      ...icon,
      ...(isNameImplicit && { is_name_implicit: true as const }),
    },
  });
  const topic: TopicRecord = {
    id,
    name,
    iconColor: color,
    creatorId: byId,
    ...(iconEmojiId !== undefined && { iconEmojiId }),
  };
  room.topics ??= new Map();
  const forgotten = keep(room.topics, id, topic);
  // The oldest topics are forgotten, but a forum has General for as long as it is one.
  for (const one of forgotten) if (one.id === generalId) keep(room.topics, one.id, one);
  changed(world, room);
  return topic;
}

function announce(
  world: World,
  room: Room,
  topic: TopicRecord,
  byId: number,
  content: MessageContent,
): void {
  addService(world, room, byId, content, topic.id === generalId ? {} : { topicId: topic.id });
  changed(world, room);
}

/** Changes name and icon; an empty icon removes it. Returns false if nothing differs. */
export function editTopic(
  world: World,
  room: Room,
  topic: TopicRecord,
  byId: number,
  given: { name?: string | undefined; iconEmojiId?: string | undefined },
): boolean {
  const name = given.name === topic.name ? undefined : given.name;
  const icon = given.iconEmojiId === (topic.iconEmojiId ?? '') ? undefined : given.iconEmojiId;
  if (name === undefined && icon === undefined) return false;
  if (name !== undefined) topic.name = name;
  if (icon === '') delete topic.iconEmojiId;
  else if (icon !== undefined) topic.iconEmojiId = icon;
  announce(world, room, topic, byId, {
    forum_topic_edited: {
      ...(name !== undefined && { name }),
      ...(icon !== undefined && { icon_custom_emoji_id: icon }),
    },
  });
  return true;
}

/** Opening General also shows it. Returns false if nothing differs. */
export function setTopicClosed(
  world: World,
  room: Room,
  topic: TopicRecord,
  byId: number,
  isClosed: boolean,
): boolean {
  if ((topic.isClosed ?? false) === isClosed) return false;
  topic.isClosed = isClosed;
  if (!isClosed) delete topic.isHidden;
  const content = isClosed ? { forum_topic_closed: {} } : { forum_topic_reopened: {} };
  announce(world, room, topic, byId, content as MessageContent);
  return true;
}

/** Hiding General also closes it. Returns false if nothing differs. */
export function setGeneralHidden(
  world: World,
  room: Room,
  general: TopicRecord,
  byId: number,
  isHidden: boolean,
): boolean {
  if ((general.isHidden ?? false) === isHidden) return false;
  general.isHidden = isHidden;
  if (isHidden) general.isClosed = true;
  const content = isHidden
    ? { general_forum_topic_hidden: {} }
    : { general_forum_topic_unhidden: {} };
  announce(world, room, general, byId, content as MessageContent);
  return true;
}

/** Removes a topic with its messages. */
export function deleteTopic(world: World, room: Room, topic: TopicRecord, byId: number): void {
  topic.deleted = { at: world.now(), byId };
  delete topic.draft;
  for (const { id, topicId } of [...room.messages.values()]) {
    if (topicId === topic.id) removeMessage(world, room, id);
  }
  changed(world, room);
}

/** Removes the message that created a topic, as happens to old ones in large groups. */
export function pruneTopic(world: World, room: Room, topic: TopicRecord): void {
  topic.isPruned = true;
  removeMessage(world, room, topic.id);
}
