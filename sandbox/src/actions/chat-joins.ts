import type { User } from '@grammyjs/types';
import { Type } from 'typebox';
import { ControlError } from '../api-error.ts';
import { askGuard, queryAbout } from '../world/chats/join-queries.ts';
import { decideRequest, queueRequest } from '../world/chats/join-requests.ts';
import { memberOf, setMember } from '../world/chats/members.ts';
import { botUser, humanUser } from '../world/people.ts';
import type { JoinQueryRecord } from '../world/chats/join-records.ts';
import type { ChatRecord, InviteLinkRecord, UserRecord } from '../world/records.ts';
import { hasRight, isPresent } from '../world/chats/rights.ts';
import { chatObject } from '../world/chats/rooms.ts';
import { initData, launchUrl } from '../world/messages/web-app.ts';
import type { World } from '../world/world.ts';
import { action } from './action.ts';
import { Bot, Choice, Flag, inChat, Name, Ref as RefField } from './fields.ts';
import { botRef, chatRef, type Ref, userRef } from './refs.ts';

/* Joining a chat, and deciding about join requests. */

const isUsable = (world: World, link: InviteLinkRecord): boolean =>
  !link.isRevoked &&
  (link.expireDate === undefined || link.expireDate > world.now()) &&
  (link.memberLimit === undefined || link.joinedIds.length < link.memberLimit);

/**
 * A user joins, or sends a join request if the chat requires approval: to a guard bot first, if
 * there is one.
 */
export function join(
  world: World,
  who: Ref,
  chatGiven: Ref,
  inviteLink?: string,
): 'joined' | 'requested' | 'asked' {
  const user = userRef(world, who);
  const chat = chatRef(world, chatGiven);
  const before = memberOf(world, chat, user.id);
  if (isPresent(before)) return 'joined';
  if (before?.status === 'kicked') throw new ControlError('banned', { user: user.first_name });
  const link = chat.inviteLinks.find((one) => one.link === inviteLink);
  if (inviteLink !== undefined && (!link || !isUsable(world, link))) {
    throw new ControlError('invite_link_invalid');
  }
  if (link ? link.createsJoinRequest : chat.joinByRequest) {
    const guard = world.state.bots.get(chat.guardBotId ?? 0);
    if (guard && !chat.joinRequests.has(user.id)) {
      askGuard(world, chat, guard, user.id, link?.link);
      return 'asked';
    }
    queueRequest(world, chat, user.id, { date: world.now(), ...(link && { link: link.link }) });
    return 'requested';
  }
  link?.joinedIds.push(user.id);
  const next =
    before?.status === 'restricted' ? { ...before, isMember: true } : { status: 'member' as const };
  setMember(world, chat, user.id, next, { byId: user.id, ...(link && { link }) });
  return 'joined';
}

export interface GuardOptions {
  /** If omitted, the guard bot is removed. */
  bot?: Ref | undefined;
  /** Whether users with an invite link must send a join request, too. */
  inviteLinks?: boolean | undefined;
}

/** An administrator makes a bot the guard bot of a chat; from then on users must send join requests. */
export function setGuardBot(world: World, by: Ref, chatGiven: Ref, options: GuardOptions): void {
  const chat = chatRef(world, chatGiven);
  const admin = userRef(world, by);
  if (chat.type === 'group') throw new ControlError('basic_group_no_guard');
  if (!hasRight(chat.members.get(admin.id), 'can_restrict_members')) {
    throw new ControlError('may_not_appoint_guard', { user: admin.first_name });
  }
  if (options.bot === undefined) {
    delete chat.guardBotId;
  } else {
    const bot = botRef(world, options.bot);
    if (!bot.joinRequestQueries) {
      throw new ControlError('takes_no_join_queries', { bot: bot.username });
    }
    if (!hasRight(chat.members.get(bot.id), 'can_invite_users')) {
      throw new ControlError('guard_may_not_invite', { bot: bot.username });
    }
    chat.guardBotId = bot.id;
    chat.joinByRequest = true;
    if (options.inviteLinks) {
      for (const link of chat.inviteLinks) {
        if (link.memberLimit === undefined) link.createsJoinRequest = true;
      }
    }
  }
  world.changed({ type: 'chat_changed', roomKey: chat.key });
}

export interface JoinStatus {
  status: 'joined' | 'waiting' | 'web_app' | 'requested' | 'declined' | 'banned' | 'none';
  /** The web app that the guard bot shows before it decides. */
  web_app?: { bot: User; url: string };
}

function webAppOf(world: World, query: JoinQueryRecord): JoinStatus['web_app'] {
  const bot = world.state.bots.get(query.botId);
  return bot && { bot: botUser(bot), url: query.webAppUrl ?? '' };
}

export function joinStatus(world: World, who: Ref, chatGiven: Ref): JoinStatus {
  const user = userRef(world, who);
  const chat = chatRef(world, chatGiven);
  const member = memberOf(world, chat, user.id);
  if (isPresent(member)) return { status: 'joined' };
  if (member?.status === 'kicked') return { status: 'banned' };
  if (chat.joinRequests.has(user.id)) return { status: 'requested' };
  const query = queryAbout(world.state, chat, user.id);
  const web_app = query?.status === 'web_app' ? webAppOf(world, query) : undefined;
  if (web_app) return { status: 'web_app', web_app };
  const isNotified = query?.status === 'waiting' || query?.status === 'declined';
  return { status: isNotified ? (query.status as 'waiting' | 'declined') : 'none' };
}

function launchData(
  world: World,
  user: UserRecord,
  chat: ChatRecord,
  query: JoinQueryRecord,
): Record<string, string> {
  const { is_bot: _bot, ...person } = humanUser(user);
  return {
    user: JSON.stringify(person),
    chat: JSON.stringify(chatObject(world.state, chat)),
    chat_join_request_query_id: query.id,
    auth_date: String(world.now()),
  };
}

export const chatJoinActions = {
  'chats/join': action({
    summary: 'Join a chat',
    description:
      'In chats with join requests, an administrator decides. A guard bot is asked first and has 10 seconds.',
    fields: { ...inChat, invite_link: Type.Optional(Name('The link used.', 256)) },
    response: Type.Object({
      status: Choice(['joined', 'requested', 'asked'], {
        description: 'asked: the guard bot decides; see GET /api/sandbox/chats/join-status.',
      }),
    }),
    run: ({ world }, { user, chat, invite_link }) => ({
      status: join(world, user, chat, invite_link),
    }),
  }),
  'chats/join-status': action({
    reads: true,
    summary: 'Get the status of a join request',
    fields: inChat,
    response: Type.Object({
      status: Choice(['joined', 'waiting', 'web_app', 'requested', 'declined', 'banned', 'none'], {
        description:
          'waiting: for the guard bot; web_app: it asks to open its Mini App; requested: an administrator decides.',
      }),
      web_app: Type.Optional(
        Type.Object({
          bot: Type.Unknown({ description: 'As the Bot API shows a user.' }),
          url: Type.String(),
        }),
      ),
    }),
    run: ({ world }, { user, chat }) => joinStatus(world, user, chat),
  }),
  'chats/join-web-app': action({
    summary: 'Open the Mini App of a guard bot',
    fields: inChat,
    response: Type.Object({
      url: Type.String({ description: 'The URL a phone would open, with the launch data.' }),
      init_data: Type.String({ description: "Launch data, signed with the bot's token." }),
    }),
    run: ({ world }, given) => {
      const user = userRef(world, given.user);
      const chat = chatRef(world, given.chat);
      const query = queryAbout(world.state, chat, user.id);
      const bot = world.state.bots.get(query?.botId ?? 0);
      if (!bot || query?.status !== 'web_app' || query.webAppUrl === undefined) {
        throw new ControlError('no_web_app_shown', { user: user.first_name });
      }
      const init_data = initData(bot.token, launchData(world, user, chat, query));
      return { url: launchUrl(query.webAppUrl, init_data), init_data };
    },
  }),
  'chats/guard-bot': action({
    summary: 'Set the guard bot of a chat',
    description:
      'The guard bot decides about join requests. It must accept join request queries and be an administrator that can invite. From then on, joining needs a request. Omit `bot` to remove it.',
    fields: {
      chat: inChat.chat,
      by: RefField('The administrator who sets it.'),
      bot: Type.Optional(Bot('The guard bot. Default: none.')),
      invite_links: Flag('Existing invite links need approval, too. Default: false.'),
    },
    run: ({ world }, { chat, by, bot, invite_links }) =>
      setGuardBot(world, by, chat, { bot, inviteLinks: invite_links }),
  }),
  'chats/answer-request': action({
    summary: 'Answer a join request',
    fields: {
      ...inChat,
      by: RefField('The administrator who decides.'),
      approve: Flag('Default: true.'),
    },
    run: ({ world }, { approve = true, ...given }) => {
      const chat = chatRef(world, given.chat);
      const admin = userRef(world, given.by);
      const user = userRef(world, given.user);
      if (!hasRight(chat.members.get(admin.id), 'can_invite_users')) {
        throw new ControlError('may_not_let_in', { user: admin.first_name });
      }
      if (!decideRequest(world, chat, user.id, approve)) {
        throw new ControlError('not_waiting', { user: user.first_name });
      }
    },
  }),
};
