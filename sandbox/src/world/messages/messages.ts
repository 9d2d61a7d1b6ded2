import type { Message, Update } from '@grammyjs/types';
import { twinMessage, twinRoom } from '../accounts.ts';
import { keep } from '../bounded.ts';
import { notifyConnected, notifyDeletion } from '../business.ts';
import type { BotRecord } from '../bot-records.ts';
import type { MessageRecord, Room } from '../records.ts';
import { renderMessage } from './render.ts';
import { roomQueue } from '../chats/rooms.ts';
import { botSees, botsIn, isToldToAuthor } from './visibility.ts';
import type { World } from '../world.ts';

export type Draft = Omit<MessageRecord, 'id' | 'date'> & { date?: number };

function nextMessageId(world: World, room: Room): number {
  if (room.type !== 'private') return ++room.lastMessageId;
  const owner = room.ownerId === undefined ? undefined : world.state.users.get(room.ownerId);
  if (owner) {
    owner.lastMessageId = (owner.lastMessageId ?? 0) + 1;
    return owner.lastMessageId;
  }
  const bot = world.state.bots.get(room.botId);
  return bot ? ++bot.lastMessageId : room.messages.size + 1;
}

/** Returns the bots that get an update about this message. */
function readers(world: World, room: Room, record: MessageRecord): BotRecord[] {
  if (room.type !== 'private') {
    return botsIn(world.state, room).filter((bot) => botSees(world.state, room, record, bot));
  }
  const bot = world.state.bots.get(room.botId);
  return bot && (record.fromId !== bot.id || isToldToAuthor(record)) ? [bot] : [];
}

function notifyBots(world: World, room: Room, record: MessageRecord, edited: boolean): void {
  notifyConnected(world, room, record, edited);
  for (const bot of readers(world, room, record)) {
    const render = (): never =>
      renderMessage(world.state, room, record, { botId: bot.id }) as Message as never;
    const kind: keyof Update =
      room.type === 'channel'
        ? edited
          ? 'edited_channel_post'
          : 'channel_post'
        : edited
          ? 'edited_message'
          : 'message';
    world.publish(bot, kind, render, roomQueue(room));
  }
}

/** Adds a message; a private message between people appears in the accounts of both. */
export function addMessage(world: World, room: Room, draft: Draft): MessageRecord {
  const { replyTo, ...rest } = draft;
  const answered = replyTo === undefined ? undefined : room.messages.get(replyTo)?.twinId;
  const record = put(world, room, draft);
  const twin = twinRoom(world.state, room);
  if (twin) {
    const other = put(world, twin, {
      ...rest,
      ...(answered !== undefined && { replyTo: answered }),
      twinId: record.id,
    });
    record.twinId = other.id;
  }
  return record;
}

function put(world: World, room: Room, draft: Draft): MessageRecord {
  // A topic has the ID of the message that creates it, and the first ID is that of General.
  const isTopic = draft.content.forum_topic_created !== undefined;
  const first = nextMessageId(world, room);
  const id = isTopic && first === 1 ? nextMessageId(world, room) : first;
  const record: MessageRecord = {
    ...draft,
    id,
    date: draft.date ?? world.now(),
    ...(isTopic && { topicId: id }),
  };
  keep(room.messages, record.id, record, world.limits.messagesPerChat);
  if (
    room.type !== 'private' &&
    record.fromId !== undefined &&
    world.state.bots.has(record.fromId)
  ) {
    room.lastBotId = record.fromId;
  }
  notifyBots(world, room, record, false);
  if (world.watched()) {
    const message = renderMessage(world.state, room, record, 'user');
    world.changed({ type: 'message_added', roomKey: room.key, message });
  }
  return record;
}

/** Publishes an edit: bots get an update only if somebody else made it. */
export function messageEdited(
  world: World,
  room: Room,
  record: MessageRecord,
  silent = false,
): void {
  if (!silent) {
    record.editDate = world.now();
    notifyBots(world, room, record, true);
  }
  showEdit(world, room, record);
  const twin = twinMessage(world.state, room, record);
  if (!twin) return;
  twin.record.content = record.content;
  if (record.editDate !== undefined) twin.record.editDate = record.editDate;
  notifyBots(world, twin.room, twin.record, true);
  showEdit(world, twin.room, twin.record);
}

function showEdit(world: World, room: Room, record: MessageRecord): void {
  if (!world.watched()) return;
  const message = renderMessage(world.state, room, record, 'user');
  world.changed({ type: 'message_edited', roomKey: room.key, message });
}

/** Removes a message: only bots of business accounts get an update, except the one that removed it. */
export function removeMessage(
  world: World,
  room: Room,
  messageId: number,
  byBotId?: number,
): boolean {
  const record = room.messages.get(messageId);
  if (!record) return false;
  const twin = twinMessage(world.state, room, record);
  drop(world, room, messageId);
  notifyDeletion(world, room, [messageId], byBotId);
  if (twin) {
    drop(world, twin.room, twin.record.id);
    notifyDeletion(world, twin.room, [twin.record.id], byBotId);
  }
  return true;
}

function drop(world: World, room: Room, messageId: number): void {
  room.messages.delete(messageId);
  const at = room.pinned.indexOf(messageId);
  if (at >= 0) room.pinned.splice(at, 1);
  world.changed({ type: 'message_deleted', roomKey: room.key, messageId });
}

export function addService(
  world: World,
  room: Room,
  fromId: number,
  content: MessageRecord['content'],
  more: Pick<MessageRecord, 'pinnedId' | 'topicId'> = {},
): MessageRecord {
  return addMessage(world, room, {
    content,
    isService: true,
    ...(room.type === 'channel' ? { senderChatId: room.id } : { fromId }),
    ...more,
  });
}

export function pinMessage(world: World, room: Room, messageId: number, byId: number): void {
  if (room.pinned.includes(messageId)) return;
  room.pinned.push(messageId);
  const topicId = room.messages.get(messageId)?.topicId;
  addService(
    world,
    room,
    byId,
    {},
    {
      pinnedId: messageId,
      ...(topicId !== undefined && { topicId }),
    },
  );
  world.changed({ type: 'chat_changed', roomKey: room.key });
}

export function unpinMessage(world: World, room: Room, messageId: number): boolean {
  const at = room.pinned.indexOf(messageId);
  if (at < 0) return false;
  room.pinned.splice(at, 1);
  world.changed({ type: 'chat_changed', roomKey: room.key });
  return true;
}
