import type { MessageEntity } from '@grammyjs/types';
import type { BotRecord } from '../bot-records.ts';
import type { ChatRecord, MessageRecord, Room, WorldState } from '../records.ts';
import { isAdmin, isPresent } from '../chats/rights.ts';

interface Addressed {
  /** True for `/command` without a bot's name. */
  general: boolean;
  /** Lower-case names after `@`, in commands and mentions. */
  names: Set<string>;
}

function addressees(record: MessageRecord): Addressed {
  const text = record.content.text ?? record.content.caption ?? '';
  const entities: MessageEntity[] =
    record.content.entities ?? record.content.caption_entities ?? [];
  const result: Addressed = { general: false, names: new Set() };
  for (const entity of entities) {
    const part = text.slice(entity.offset, entity.offset + entity.length);
    if (entity.type === 'mention') result.names.add(part.slice(1).toLowerCase());
    if (entity.type === 'bot_command') {
      const name = part.split('@')[1];
      if (name) result.names.add(name.toLowerCase());
      else result.general = true;
    }
  }
  return result;
}

/** `general` says whether commands that name no bot are for this one. */
function reaches(
  state: WorldState,
  chat: ChatRecord,
  record: MessageRecord,
  bot: BotRecord,
  general: boolean,
): boolean {
  const member = chat.members.get(bot.id);
  if (!isPresent(member) || (isAuthor(bot, record) && !isToldToAuthor(record))) return false;
  if (chat.type === 'channel') return isAdmin(member);
  if (record.isService) return true;
  if (record.fromId !== undefined && state.bots.has(record.fromId)) return false;
  if (!bot.privacyMode || isAdmin(member)) return true;
  if (record.viaBotId === bot.id) return true;
  const target = record.replyTo === undefined ? undefined : chat.messages.get(record.replyTo);
  if (target?.fromId === bot.id) return true;
  const addressed = addressees(record);
  return addressed.names.has(bot.username.toLowerCase()) || (general && addressed.general);
}

/** Service messages that even the bot that caused them receives. */
const toldToAuthor = [
  'new_chat_title',
  'new_chat_photo',
  'delete_chat_photo',
  'left_chat_member',
  'forum_topic_created',
  'forum_topic_edited',
  'forum_topic_closed',
  'forum_topic_reopened',
  'general_forum_topic_hidden',
  'general_forum_topic_unhidden',
] as const;

export const isToldToAuthor = ({ content, pinnedId }: MessageRecord): boolean =>
  pinnedId !== undefined || toldToAuthor.some((name) => content[name] !== undefined);

const isAuthor = (bot: BotRecord, record: MessageRecord): boolean =>
  record.fromId === bot.id || record.authorId === bot.id;

/**
 * Decides whether a bot in a group gets a message. Bots never see other bots' messages; with
 * privacy mode on they see service messages, commands, mentions, and replies to themselves.
 */
export const botSees = (
  state: WorldState,
  chat: ChatRecord,
  record: MessageRecord,
  bot: BotRecord,
): boolean =>
  reaches(state, chat, record, bot, chat.lastBotId === undefined || chat.lastBotId === bot.id);

/**
 * Returns those of the messages that a bot can refer to by their IDs: all others do not exist for
 * it. In a supergroup it also knows messages that it was shown as replied to or pinned.
 */
export function knownTo(
  state: WorldState,
  room: Room,
  bot: BotRecord,
  records: MessageRecord[],
): MessageRecord[] {
  if (room.type === 'private' || room.type === 'channel') return records;
  // Nothing stores which bot was addressed by a general command, so assume that it was this one.
  const isSent = (record: MessageRecord): boolean => reaches(state, room, record, bot, true);
  const unseen = new Set<number>();
  for (const record of records) {
    if (!isAuthor(bot, record) && !isSent(record)) unseen.add(record.id);
  }
  if (unseen.size > 0 && room.type === 'supergroup') {
    for (const other of room.messages.values()) {
      for (const id of [other.replyTo, other.pinnedId]) {
        if (id !== undefined && unseen.has(id) && isSent(other)) unseen.delete(id);
      }
    }
  }
  return records.filter(({ id }) => !unseen.has(id));
}

export const botKnows = (
  state: WorldState,
  room: Room,
  record: MessageRecord,
  bot: BotRecord,
): boolean => knownTo(state, room, bot, [record]).length > 0;

export function botsIn(state: WorldState, chat: ChatRecord): BotRecord[] {
  const bots: BotRecord[] = [];
  for (const bot of state.bots.values()) if (isPresent(chat.members.get(bot.id))) bots.push(bot);
  return bots;
}
