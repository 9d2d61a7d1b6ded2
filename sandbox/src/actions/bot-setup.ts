import type { Chat } from '@grammyjs/types';
import { ControlError } from '../api-error.ts';
import { storePhoto } from '../world/messages/files.ts';
import { paintPicture } from '../world/messages/picture.ts';
import type { GameRecord } from '../world/bot-records.ts';
import { chatObject, dialogOf } from '../world/chats/rooms.ts';
import { moveStars } from '../world/payments/stars.ts';
import type { World } from '../world/world.ts';
import { botRef, type Ref, userRef } from './refs.ts';

/* What a bot's owner sets up with @BotFather, and what a person does to a draft. */

export interface NewGame {
  shortName: string;
  title?: string;
  description?: string;
}

export function addGame(world: World, botGiven: Ref, fields: NewGame): GameRecord {
  const bot = botRef(world, botGiven);
  const { shortName } = fields;
  if (!/^\w{3,30}$/u.test(shortName)) {
    throw new ControlError('short_name_wrong');
  }
  if (bot.games?.some((game) => game.shortName === shortName)) {
    throw new ControlError('game_exists', { bot: bot.username, short_name: shortName });
  }
  const bytes = paintPicture(640, 360, world.random.integer(0, 359));
  const game: GameRecord = {
    shortName,
    title: fields.title ?? shortName,
    description: fields.description ?? '',
    photo: storePhoto(world, { bytes }) ?? [],
    scores: {},
  };
  bot.games = [...(bot.games ?? []), game];
  world.changed({ type: 'bot_changed', botId: bot.id });
  return game;
}

/** Telegram Stars out of nowhere. */
export function giveStars(world: World, botGiven: Ref, stars: number): number {
  if (stars < 1) throw new ControlError('too_few_stars');
  const bot = botRef(world, botGiven);
  moveStars(world, bot, stars, { source: { type: 'other' } });
  return bot.stars ?? 0;
}

/** A person has seen enough of what the bot is writing. */
export function stopDraft(world: World, who: Ref, botGiven: Ref): void {
  const bot = botRef(world, botGiven);
  const room = dialogOf(world.state, userRef(world, who).id, bot.id);
  const { draft } = room;
  if (!draft) throw new ControlError('no_draft');
  if (!draft.canStop) throw new ControlError('draft_not_stoppable');
  if (draft.keepOnStop) draft.canStop = false;
  else delete room.draft;
  const stopped = {
    chat: chatObject(world.state, room) as Chat.PrivateChat,
    draft_id: draft.id,
  };
  // Not behind the message whose answer it should stop.
  world.publish(bot, 'stopped_message_generation', () => stopped, `stop:${room.key}`);
  world.changed({ type: 'chat_changed', roomKey: room.key });
}
