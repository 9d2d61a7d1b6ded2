import type { MessageEntity } from '@grammyjs/types';
import type { BotRecord } from './bot-records.ts';
import type { ChatRecord, MessageRecord, WorldState } from './records.ts';
import { isAdmin, isPresent } from './rights.ts';

interface Addressed {
  /** `/command` without a bot's name. */
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

/**
 * Whether a bot in a group gets a message. Bots never see other bots' messages; with privacy mode
 * on they see service messages, commands, mentions, and replies to themselves.
 */
export function botSees(
  state: WorldState,
  chat: ChatRecord,
  record: MessageRecord,
  bot: BotRecord,
): boolean {
  const member = chat.members.get(bot.id);
  if (!isPresent(member) || record.fromId === bot.id || record.authorId === bot.id) {
    return false;
  }
  if (chat.type === 'channel') return isAdmin(member);
  if (record.isService) return true;
  if (record.fromId !== undefined && state.bots.has(record.fromId)) return false;
  if (!bot.privacyMode || isAdmin(member)) return true;
  if (record.viaBotId === bot.id) return true;
  const target = record.replyTo === undefined ? undefined : chat.messages.get(record.replyTo);
  if (target?.fromId === bot.id) return true;
  const { general, names } = addressees(record);
  if (names.has(bot.username.toLowerCase())) return true;
  return general && (chat.lastBotId === undefined || chat.lastBotId === bot.id);
}

export function botsIn(state: WorldState, chat: ChatRecord): BotRecord[] {
  const bots: BotRecord[] = [];
  for (const bot of state.bots.values()) if (isPresent(chat.members.get(bot.id))) bots.push(bot);
  return bots;
}
