import type { User, UserFromGetMe } from '@grammyjs/types';
import { defined } from './defined.ts';
import type { BotRecord } from './bot-records.ts';
import type { UserRecord, WorldState } from './records.ts';
import { nextBotId, nextUserId, type World } from './world.ts';

export interface NewUser {
  first_name?: string | undefined;
  last_name?: string | undefined;
  username?: string | undefined;
  language_code?: string | undefined;
  is_premium?: boolean | undefined;
  bio?: string | undefined;
}

export interface NewBot {
  username?: string | undefined;
  first_name?: string | undefined;
  privacyMode?: boolean | undefined;
  canJoinGroups?: boolean | undefined;
  inlineMode?: boolean | undefined;
  inlineFeedback?: boolean | undefined;
  joinRequestQueries?: boolean | undefined;
  hasTopics?: boolean | undefined;
  usersManageTopics?: boolean | undefined;
  description?: string | undefined;
}

export function addUser(world: World, fields: NewUser = {}): UserRecord {
  const id = nextUserId(world.state);
  const user = defined<UserRecord>({
    id,
    first_name: fields.first_name ?? `User ${world.state.counters.user}`,
    last_name: fields.last_name,
    username: fields.username,
    language_code: fields.language_code ?? 'en',
    is_premium: fields.is_premium ? true : undefined,
    bio: fields.bio,
    photos: [],
    deactivated: undefined,
  });
  world.state.users.set(id, user);
  world.changed({ type: 'user_added', userId: id });
  return user;
}

export function addBot(world: World, fields: NewBot = {}): BotRecord {
  const id = nextBotId(world.state);
  const bot: BotRecord = {
    id,
    token: `${id}:AA${world.secret(33)}`,
    username: fields.username ?? `practice_${world.state.counters.bot}_bot`,
    first_name: fields.first_name ?? `Practice ${world.state.counters.bot}`,
    names: {},
    descriptions: fields.description ? { '': fields.description } : {},
    shortDescriptions: {},
    commands: {},
    menuButtons: {},
    defaultRights: {},
    privacyMode: fields.privacyMode ?? true,
    canJoinGroups: fields.canJoinGroups ?? true,
    inlineMode: fields.inlineMode ?? false,
    inlineFeedback: fields.inlineFeedback ?? false,
    joinRequestQueries: fields.joinRequestQueries ?? false,
    hasTopics: fields.hasTopics ?? false,
    usersManageTopics: fields.usersManageTopics ?? true,
    photos: [],
    lastMessageId: 0,
    updates: new Map(),
    nextUpdateId: world.random.integer(100_000_000, 999_999_999),
    lastUpdateAt: world.now(),
  };
  world.state.bots.set(id, bot);
  world.changed({ type: 'bot_changed', botId: id });
  return bot;
}

export const botUser = (bot: BotRecord): User => ({
  id: bot.id,
  is_bot: true,
  first_name: bot.first_name,
  username: bot.username,
});

export function humanUser(user: UserRecord): User {
  return defined<User>({
    id: user.id,
    is_bot: false,
    first_name: user.first_name,
    last_name: user.last_name,
    username: user.username,
    language_code: user.language_code,
    is_premium: user.is_premium,
    added_to_attachment_menu: undefined,
  });
}

export function findPerson(state: WorldState, id: number): User | undefined {
  const user = state.users.get(id);
  if (user) return humanUser(user);
  const bot = state.bots.get(id);
  return bot && botUser(bot);
}

/** Returns a placeholder for an unknown sender, who still has to be shown. */
export const personOf = (state: WorldState, id: number): User =>
  findPerson(state, id) ?? { id, is_bot: false, first_name: 'Deleted Account' };

export function getMe(bot: BotRecord): UserFromGetMe {
  return {
    id: bot.id,
    is_bot: true,
    first_name: bot.first_name,
    username: bot.username,
    can_join_groups: bot.canJoinGroups,
    can_read_all_group_messages: !bot.privacyMode,
    supports_inline_queries: bot.inlineMode,
    can_connect_to_business: true,
    has_main_web_app: false,
    has_topics_enabled: bot.hasTopics ?? false,
    allows_users_to_create_topics: bot.hasTopics === true && bot.usersManageTopics !== false,
    can_manage_bots: false,
    supports_join_request_queries: bot.joinRequestQueries ?? false,
  };
}

const sameName = (left: string | undefined, right: string): boolean =>
  left !== undefined && left.toLowerCase() === right.toLowerCase();

export const botByUsername = (state: WorldState, username: string): BotRecord | undefined =>
  state.bots.values().find((bot) => sameName(bot.username, username));

export const userByUsername = (state: WorldState, username: string): UserRecord | undefined =>
  state.users.values().find((user) => sameName(user.username, username));
