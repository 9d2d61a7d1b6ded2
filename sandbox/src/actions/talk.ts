import type { Message, MessageEntity } from '@grammyjs/types';
import { type Static, Type } from 'typebox';
import { ControlError } from '../api-error.ts';
import { formatText } from '../text/format.ts';
import {
  addMessage,
  type Draft,
  messageEdited,
  removeMessage,
} from '../world/messages/messages.ts';
import type { MessageContent, Room, UserRecord } from '../world/records.ts';
import { renderMessage } from '../world/messages/render.ts';
import { hasRight, isPermitted, type Permission } from '../world/chats/rights.ts';
import { findTopic, generalId } from '../world/chats/topics.ts';
import type { World } from '../world/world.ts';
import { action, type SandboxParts } from './action.ts';
import { setBlocked } from './block.ts';
import {
  atMessage,
  Flag,
  inChat,
  MessageId,
  messageThreadId,
  replyTo,
  Text,
  Whole,
} from './fields.ts';
import { messageRef, type Ref, roomRef, topicRef, userRef } from './refs.ts';
import { history } from './show.ts';
import { moveBy } from './time.ts';

/** Fields that say where in a chat a message goes. */
export interface Place {
  replyTo?: number | undefined;
  topicId?: number | undefined;
}

export interface SayOptions extends Place {
  entities?: MessageEntity[];
}

/**
 * Throws unless a user may write in a chat. Opening a chat with a bot, or writing to a blocked bot,
 * lets the bot write.
 */
function enter(world: World, user: UserRecord, room: Room, permission: Permission): void {
  if (room.type === 'private') {
    if (room.blocked) setBlocked(world, room, false);
    room.started = true;
    return;
  }
  const allowed =
    room.type === 'channel'
      ? hasRight(room.members.get(user.id), 'can_post_messages')
      : isPermitted(room, user.id, permission);
  if (!allowed) throw new ControlError('may_not_send', { user: user.first_name, chat: room.title });
}

/** Finds the topic of a new message: a reply stays in the topic of its target. */
function placeIn(world: World, user: UserRecord, room: Room, place: Place): Partial<Draft> {
  const { replyTo, topicId } = place;
  // Check the ID first: otherwise it could be that of a future message, even of this one.
  const answered = replyTo === undefined ? undefined : messageRef(room, replyTo);
  const topic =
    answered || topicId === undefined
      ? findTopic(world.state, room, answered?.topicId ?? generalId)
      : topicRef(world, room, topicId);
  const mayWrite =
    room.type === 'private' ||
    topic?.creatorId === user.id ||
    hasRight(room.members.get(user.id), 'can_manage_topics');
  if (topic?.isClosed && !mayWrite) {
    throw new ControlError('topic_closed', { user: user.first_name, topic: topic.name });
  }
  return {
    ...(replyTo !== undefined && { replyTo }),
    ...(topic && topic.id !== generalId && { topicId: topic.id }),
  };
}

/** A user sends content to a chat. */
export function userPosts(
  world: World,
  userRefGiven: Ref,
  chat: Ref,
  permission: Permission,
  content: MessageContent,
  { replyTo, topicId, ...more }: Omit<Partial<Draft>, keyof Place> & Place = {},
): Message {
  const user = userRef(world, userRefGiven);
  const room = roomRef(world, user, chat);
  enter(world, user, room, permission);
  const place = placeIn(world, user, room, { replyTo, topicId });
  const sender =
    room.type === 'channel' ? { senderChatId: room.id, authorId: user.id } : { fromId: user.id };
  const record = addMessage(world, room, { ...sender, ...more, ...place, content });
  return renderMessage(world.state, room, record, 'user');
}

export function textContent(
  world: World,
  text: string,
  entities: MessageEntity[] = [],
): MessageContent {
  const parsed = formatText(world.state, text, '', entities);
  if (parsed.text === '') throw new ControlError('text_empty');
  if (parsed.text.length > 4096) throw new ControlError('text_too_long');
  return { text: parsed.text, ...(parsed.entities.length > 0 && { entities: parsed.entities }) };
}

export function say(
  world: World,
  user: Ref,
  chat: Ref,
  text: string,
  { entities, ...place }: SayOptions = {},
): Message {
  const content = textContent(world, text, entities);
  return userPosts(world, user, chat, 'can_send_messages', content, place);
}

export function editText(
  world: World,
  who: Ref,
  chat: Ref,
  messageId: number,
  text: string,
): Message {
  const user = userRef(world, who);
  const room = roomRef(world, user, chat);
  const record = messageRef(room, messageId);
  if (record.fromId !== user.id && room.type !== 'channel') {
    throw new ControlError('not_the_author');
  }
  const content = textContent(world, text);
  if (record.content.text !== undefined) {
    delete record.content.entities;
    Object.assign(record.content, content);
  } else {
    delete record.content.caption_entities;
    record.content.caption = content.text ?? '';
    if (content.entities) record.content.caption_entities = content.entities;
  }
  messageEdited(world, room, record);
  return renderMessage(world.state, room, record, 'user');
}

/** Bots get no updates about deletions, as on Telegram. */
export function deleteByUser(world: World, who: Ref, chat: Ref, messageId: number): void {
  const user = userRef(world, who);
  const room = roomRef(world, user, chat);
  const record = messageRef(room, messageId);
  const mayDelete =
    room.type === 'private' ||
    record.fromId === user.id ||
    hasRight(room.members.get(user.id), 'can_delete_messages');
  if (!mayDelete) throw new ControlError('may_not_delete', { user: user.first_name });
  removeMessage(world, room, messageId);
}

const Line = Type.Object(
  {
    ...inChat,
    text: Text,
    message_thread_id: messageThreadId,
    after_seconds: Type.Optional(Whole('Time to pass before this line.', 0, 86_400 * 365)),
    reply: Flag('Reply to the line before it in the same chat.'),
  },
  { additionalProperties: false },
);

/** Creates a whole history in one call, because time can pass before each line. */
function talk(sandbox: SandboxParts, lines: readonly Static<typeof Line>[]) {
  const latest = new Map<Ref, number>();
  const message_ids = lines.map(({ user, chat, text, after_seconds = 0, reply, ...line }) => {
    if (after_seconds > 0) moveBy(sandbox, after_seconds * 1000);
    const answered = reply ? latest.get(chat) : undefined;
    const place = { replyTo: answered, topicId: line.message_thread_id };
    const { message_id } = say(sandbox.world, user, chat, text, place);
    latest.set(chat, message_id);
    return message_id;
  });
  return { message_ids };
}

export const talkActions = {
  history: action({
    reads: true,
    summary: 'List messages as a person sees them',
    fields: {
      ...inChat,
      limit: Type.Optional(Whole('How many.', 1, 200)),
      before: Type.Optional(MessageId()),
      message_thread_id: Type.Optional(
        MessageId('Only this topic; 1 is General, and what is in no topic.'),
      ),
    },
    run: ({ world }, { user, chat, message_thread_id, ...options }) =>
      history(world, user, chat, { ...options, topicId: message_thread_id }),
  }),
  say: action({
    summary: 'Send a message as a person',
    fields: { ...inChat, text: Text, message_thread_id: messageThreadId, reply_to: replyTo },
    run: ({ world }, { user, chat, text, message_thread_id, reply_to }) =>
      say(world, user, chat, text, { topicId: message_thread_id, replyTo: reply_to }),
  }),
  talk: action({
    summary: 'Play a conversation',
    description:
      'Several people write in turn. `after_seconds` moves the sandbox clock, which stays ahead until `POST /api/sandbox/time/reset`.',
    fields: {
      lines: Type.Array(Line, { maxItems: 1_000, description: 'What is said, in order.' }),
    },
    response: Type.Object({
      message_ids: Type.Array(Type.Integer(), {
        description: 'Message IDs of the lines, in order.',
      }),
    }),
    run: (sandbox, { lines }) => talk(sandbox, lines),
  }),
  edit: action({
    summary: 'Edit a message as a person',
    fields: { ...atMessage, text: Text },
    run: ({ world }, { user, chat, message_id, text }) =>
      editText(world, user, chat, message_id, text),
  }),
  delete: action({
    summary: 'Delete a message as a person',
    fields: atMessage,
    run: ({ world }, { user, chat, message_id }) => deleteByUser(world, user, chat, message_id),
  }),
};
