import { Type } from 'typebox';
import { ControlError } from '../api-error.ts';
import { storePhoto } from '../world/messages/files.ts';
import { paintPicture } from '../world/messages/picture.ts';
import type { GameRecord } from '../world/bot-records.ts';
import { moveStars } from '../world/payments/stars.ts';
import { addBot } from '../world/people.ts';
import type { World } from '../world/world.ts';
import { action } from './action.ts';
import { AnyText, Bot, Flag, Matching, Name, Whole } from './fields.ts';
import { botRef, type Ref } from './refs.ts';
import { freeUsername } from './usernames.ts';

/* Settings that a bot's owner makes with @BotFather. */

export interface NewGame {
  shortName: string;
  title?: string | undefined;
  description?: string | undefined;
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

/** Gives a bot Telegram Stars without a payment. */
export function giveStars(world: World, botGiven: Ref, stars: number): number {
  if (stars < 1) throw new ControlError('too_few_stars');
  const bot = botRef(world, botGiven);
  moveStars(world, bot, stars, { source: { type: 'other' } });
  return bot.stars ?? 0;
}

export const botActions = {
  'bots/create': action({
    summary: 'Create a sandbox bot',
    fields: {
      username: Type.Optional(
        Matching('^[A-Za-z][A-Za-z0-9_]{2,28}[Bb][Oo][Tt]$', 'Ends in bot.', 'tea_bot'),
      ),
      first_name: Type.Optional(Name('The name shown.', 64, 'Tea shop')),
      description: Type.Optional(AnyText('What it is for.', 512)),
      privacy_mode: Flag('In groups, receives only messages meant for it.'),
      can_join_groups: Flag('May be added to groups.'),
      inline_mode: Flag('Accepts inline queries.'),
      join_request_queries: Flag('Can be a guard bot.'),
      has_topics_enabled: Flag('Its private chats have topics.'),
      allows_users_to_create_topics: Flag('People manage these topics too. Default: true.'),
    },
    response: Type.Object({
      id: Type.Integer({ description: 'ID in the sandbox, not the ID it gets when you add it.' }),
      token: Type.String({ description: 'For POST /api/bots/add.' }),
      username: Type.String(),
      first_name: Type.String(),
    }),
    responseName: 'SandboxBot',
    refusals: ['name_taken'],
    run: ({ world }, given) => {
      const name = freeUsername(world, given.username);
      if (name !== undefined && !/bot$/iu.test(name)) throw new ControlError('bot_username_wrong');
      const { id, token, username, first_name } = addBot(world, {
        username: name,
        first_name: given.first_name,
        description: given.description,
        privacyMode: given.privacy_mode,
        canJoinGroups: given.can_join_groups,
        inlineMode: given.inline_mode,
        joinRequestQueries: given.join_request_queries,
        hasTopics: given.has_topics_enabled,
        usersManageTopics: given.allows_users_to_create_topics,
      });
      return { id, token, username, first_name };
    },
  }),
  'bots/jump-update-ids': action({
    summary: 'Reset update IDs of a bot',
    description: 'As Telegram does after a week without updates.',
    fields: { bot: Bot() },
    run: ({ world }, { bot }) => {
      botRef(world, bot).jumpPending = true;
    },
  }),
  'bots/add-game': action({
    summary: 'Add a game to a bot',
    fields: {
      bot: Bot(),
      short_name: Matching('^\\w{3,30}$', 'For sendGame.', 'snake'),
      title: Type.Optional(Name('Its title.', 64, 'Snake')),
      description: Type.Optional(Name('What it is about.', 255)),
    },
    run: ({ world }, { bot, short_name, ...given }) => {
      const { title, description } = addGame(world, bot, { shortName: short_name, ...given });
      return { short_name, title, description };
    },
  }),
  'bots/give-stars': action({
    summary: 'Give a bot Telegram Stars',
    fields: { bot: Bot(), stars: Whole('How many to add.', 1, 1_000_000, 100) },
    response: Type.Object({ stars: Type.Integer({ description: 'Its balance.' }) }),
    run: ({ world }, { bot, stars }) => ({ stars: giveStars(world, bot, stars) }),
  }),
};
