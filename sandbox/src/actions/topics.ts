import { Type } from 'typebox';
import { ControlError } from '../api-error.ts';
import { hasRight, isPermitted } from '../world/chats/rights.ts';
import {
  addTopic,
  deleteTopic,
  editTopic,
  generalId,
  hasTopics,
  iconColors,
  pruneTopic,
  setForum,
  setGeneralHidden,
  setTopicClosed,
  topicName,
  topicsOf,
} from '../world/chats/topics.ts';
import type {
  DraftRecord,
  MessageRecord,
  Room,
  TopicRecord,
  UserRecord,
} from '../world/records.ts';
import type { World } from '../world/world.ts';
import { action } from './action.ts';
import { AnyText, Flag, inChat, MessageId, Name, Whole } from './fields.ts';
import { type Ref, roomRef, topicRef, userRef } from './refs.ts';
import { shown, type ShownMessage } from './show.ts';

/** A topic as it looks on a user's phone. */
export interface ShownTopic {
  message_thread_id: number;
  name: string;
  icon_color: number;
  icon_custom_emoji_id?: string;
  isClosed: boolean;
  isHidden: boolean;
  lastMessage?: ShownMessage;
  /** Only in private chats: the message that the bot is writing there at the moment. */
  draft?: DraftRecord;
}

/** Lists the topics of a chat, the latest first; General leads. */
export function topics(world: World, who: Ref, chat: Ref): ShownTopic[] {
  const user = userRef(world, who);
  const room = roomRef(world, user, chat);
  const latest = new Map<number, MessageRecord>();
  for (const record of room.messages.values()) latest.set(record.topicId ?? generalId, record);
  const idOf = ({ id }: TopicRecord): number =>
    id === generalId ? Number.POSITIVE_INFINITY : (latest.get(id)?.id ?? id);
  return topicsOf(world.state, room)
    .sort((left, right) => idOf(right) - idOf(left))
    .map((topic) => {
      const last = latest.get(topic.id);
      return {
        message_thread_id: topic.id,
        name: topic.name,
        icon_color: topic.iconColor,
        ...(topic.iconEmojiId !== undefined && { icon_custom_emoji_id: topic.iconEmojiId }),
        isClosed: topic.isClosed ?? false,
        isHidden: topic.isHidden ?? false,
        ...(last && { lastMessage: shown(world, room, last, user.id) }),
        ...(topic.draft && { draft: topic.draft }),
      };
    });
}

/** An administrator makes a supergroup a forum; a user wants topics in the chat with a bot. */
export function enableTopics(world: World, who: Ref, chat: Ref, enabled = true): void {
  const user = userRef(world, who);
  const room = roomRef(world, user, chat);
  if (room.type === 'private') {
    const bot = world.state.bots.get(room.botId);
    if (!bot?.hasTopics) throw new ControlError('bot_without_topics');
    room.topicsOff = !enabled;
    world.changed({ type: 'chat_changed', roomKey: room.key });
    return;
  }
  if (room.type !== 'supergroup') throw new ControlError('supergroups_only');
  if (!hasRight(room.members.get(user.id), 'can_change_info')) throw mayNot(user);
  setForum(world, room, enabled);
}

const mayNot = ({ first_name }: UserRecord) =>
  new ControlError('may_not_manage_topics', { user: first_name });

/** In private chats, the bot decides whether people manage topics. */
function requireTopicRight(
  world: World,
  user: UserRecord,
  room: Room,
  inGroup: (chat: Exclude<Room, { type: 'private' }>) => boolean,
): void {
  const isAllowed =
    room.type === 'private'
      ? world.state.bots.get(room.botId)?.usersManageTopics !== false
      : inGroup(room);
  if (!isAllowed) throw mayNot(user);
}

/** In a group, a topic may be changed by who made it and by admins with this right. */
function topicToChange(
  world: World,
  who: Ref,
  chat: Ref,
  topicId: number,
  right: 'can_manage_topics' | 'can_delete_messages',
) {
  const user = userRef(world, who);
  const room = roomRef(world, user, chat);
  const topic = topicRef(world, room, topicId);
  requireTopicRight(
    world,
    user,
    room,
    ({ members }) => topic.creatorId === user.id || hasRight(members.get(user.id), right),
  );
  return { user, room, topic };
}

export interface TopicFields {
  name?: string | undefined;
  iconColor?: number | undefined;
  iconEmojiId?: string | undefined;
}

/** Without a name, the topic of a private chat gets one that the bot should change. */
export function createTopic(world: World, who: Ref, chat: Ref, fields: TopicFields = {}): number {
  const user = userRef(world, who);
  const room = roomRef(world, user, chat);
  if (!hasTopics(world.state, room)) throw new ControlError('no_topics');
  requireTopicRight(world, user, room, (group) => isPermitted(group, user.id, 'can_manage_topics'));
  const name = topicName(fields.name ?? '');
  const isNameImplicit = name === '' && room.type === 'private';
  if (name === '' && !isNameImplicit) throw new ControlError('field_empty', { field: 'name' });
  if (room.type === 'private') room.started = true;
  const { iconColor, iconEmojiId } = fields;
  const given = { name: name || 'New Thread', iconColor, iconEmojiId, isNameImplicit };
  return addTopic(world, room, { ...given, byId: user.id }).id;
}

export interface TopicChanges extends Omit<TopicFields, 'iconColor'> {
  isClosed?: boolean | undefined;
  isHidden?: boolean | undefined;
}

/** Changes what is given; an empty icon removes it. */
export function changeTopic(
  world: World,
  who: Ref,
  chat: Ref,
  topicId: number,
  { isClosed, isHidden, ...given }: TopicChanges,
): void {
  const { user, room, topic } = topicToChange(world, who, chat, topicId, 'can_manage_topics');
  if (isHidden !== undefined && topic.id !== generalId) throw new ControlError('general_only');
  if (isClosed !== undefined && room.type === 'private') throw new ControlError('forums_only');
  const name = given.name === undefined ? undefined : topicName(given.name);
  editTopic(world, room, topic, user.id, { ...given, name: name || undefined });
  if (isClosed !== undefined) setTopicClosed(world, room, topic, user.id, isClosed);
  if (isHidden !== undefined) setGeneralHidden(world, room, topic, user.id, isHidden);
}

export function removeTopic(world: World, who: Ref, chat: Ref, topicId: number): void {
  const { user, room, topic } = topicToChange(world, who, chat, topicId, 'can_delete_messages');
  if (topic.id === generalId) throw mayNot(user);
  deleteTopic(world, room, topic, user.id);
}

export function pruneFirstMessage(world: World, who: Ref, chat: Ref, topicId: number): void {
  const room = roomRef(world, userRef(world, who), chat);
  pruneTopic(world, room, topicRef(world, room, topicId));
}

const atTopic = { ...inChat, message_thread_id: MessageId('The topic; 1 is General.') };
const icon = Type.Optional(
  AnyText('Custom emoji ID of its icon; "" removes it.', 20, '5312241539987020022'),
);

export const topicActions = {
  topics: action({
    reads: true,
    summary: 'List topics of a chat',
    fields: inChat,
    run: ({ world }, { user, chat }) => topics(world, user, chat),
  }),
  'topics/enable': action({
    summary: 'Turn topics of a chat on or off',
    description:
      'Of a supergroup, which makes it a forum, or of the private chat with a bot that has topics.',
    fields: { ...inChat, enabled: Flag('Default: true.') },
    run: ({ world }, { user, chat, enabled }) => enableTopics(world, user, chat, enabled),
  }),
  'topics/create': action({
    summary: 'Create a topic as a person',
    fields: {
      ...inChat,
      name: Type.Optional(
        Name('Its name. In a private chat, it may be left out.', 128, 'Delivery'),
      ),
      icon_color: Type.Optional(
        Whole(`One of ${iconColors.join(', ')}.`, 0, 0xffffff, iconColors[0]),
      ),
      icon_custom_emoji_id: icon,
    },
    response: Type.Object({
      message_thread_id: Type.Integer({ description: 'ID of the topic.' }),
    }),
    run: ({ world }, { user, chat, name, icon_color, icon_custom_emoji_id }) => ({
      message_thread_id: createTopic(world, user, chat, {
        name,
        iconColor: icon_color,
        iconEmojiId: icon_custom_emoji_id || undefined,
      }),
    }),
  }),
  'topics/edit': action({
    summary: 'Edit a topic as a person',
    description: 'Renames, closes, opens, hides or shows it, or changes its icon.',
    fields: {
      ...atTopic,
      name: Type.Optional(Name('New name.', 128)),
      icon_custom_emoji_id: icon,
      is_closed: Flag('Closes or opens it. Forums only.'),
      is_hidden: Flag('Hides or shows General.'),
    },
    run: ({ world }, { user, chat, message_thread_id, ...given }) =>
      changeTopic(world, user, chat, message_thread_id, {
        name: given.name,
        iconEmojiId: given.icon_custom_emoji_id,
        isClosed: given.is_closed,
        isHidden: given.is_hidden,
      }),
  }),
  'topics/delete': action({
    summary: 'Delete a topic as a person',
    fields: atTopic,
    run: ({ world }, { user, chat, message_thread_id }) =>
      removeTopic(world, user, chat, message_thread_id),
  }),
  'topics/prune': action({
    summary: 'Prune the first message of a topic',
    description:
      'As happens to old topics of large groups: people can still write there, bots cannot.',
    fields: atTopic,
    run: ({ world }, { user, chat, message_thread_id }) =>
      pruneFirstMessage(world, user, chat, message_thread_id),
  }),
};
