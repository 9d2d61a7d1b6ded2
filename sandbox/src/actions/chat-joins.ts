import type { User } from '@grammyjs/types';
import { ControlError } from '../api-error.ts';
import { queryAbout } from '../world/chats/join-queries.ts';
import { decideRequest } from '../world/chats/join-requests.ts';
import { memberOf } from '../world/chats/members.ts';
import { botUser, humanUser } from '../world/people.ts';
import type { JoinQueryRecord } from '../world/chats/join-records.ts';
import type { ChatRecord, UserRecord } from '../world/records.ts';
import { hasRight, isPresent } from '../world/chats/rights.ts';
import { chatObject } from '../world/chats/rooms.ts';
import { initData, launchUrl } from '../world/messages/web-app.ts';
import type { World } from '../world/world.ts';
import { botRef, chatRef, type Ref, userRef } from './refs.ts';

/* Who comes in, and who decides it. */

export interface GuardOptions {
  /** None takes the guard bot away. */
  bot?: Ref;
  /** Whether those who come by an invite link have to ask, too. */
  inviteLinks?: boolean;
}

/** An administrator makes a bot the one that decides; from then on people have to ask. */
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

/** A human administrator decides about somebody who waits. */
export function answerJoinRequest(
  world: World,
  by: Ref,
  chatGiven: Ref,
  who: Ref,
  approve = true,
): void {
  const chat = chatRef(world, chatGiven);
  const admin = userRef(world, by);
  const user = userRef(world, who);
  if (!hasRight(chat.members.get(admin.id), 'can_invite_users')) {
    throw new ControlError('may_not_let_in', { user: admin.first_name });
  }
  if (!decideRequest(world, chat, user.id, approve)) {
    throw new ControlError('not_waiting', { user: user.first_name });
  }
}

export interface JoinStatus {
  status: 'joined' | 'waiting' | 'web_app' | 'requested' | 'declined' | 'banned' | 'none';
  /** What the guard bot shows before it decides. */
  web_app?: { bot: User; url: string };
}

function webAppOf(world: World, query: JoinQueryRecord): JoinStatus['web_app'] {
  const bot = world.state.bots.get(query.botId);
  return bot && { bot: botUser(bot), url: query.webAppUrl ?? '' };
}

/** How it stands with somebody who wants to come in, as they see it. */
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

/** The person opens the Mini App of the guard bot: its URL with the launch data. */
export function openJoinWebApp(
  world: World,
  who: Ref,
  chatGiven: Ref,
): { url: string; init_data: string } {
  const user = userRef(world, who);
  const chat = chatRef(world, chatGiven);
  const query = queryAbout(world.state, chat, user.id);
  const bot = world.state.bots.get(query?.botId ?? 0);
  if (!bot || query?.status !== 'web_app' || query.webAppUrl === undefined) {
    throw new ControlError('no_web_app_shown', { user: user.first_name });
  }
  const init_data = initData(bot.token, launchData(world, user, chat, query));
  return { url: launchUrl(query.webAppUrl, init_data), init_data };
}
