import type { ChatJoinRequest } from '@grammyjs/types';
import type { BotRecord } from '../bot-records.ts';
import type { JoinRequestRecord } from './join-records.ts';
import { inviteLinkObject, setMember } from './members.ts';
import { personOf } from '../people.ts';
import type { ChatRecord } from '../records.ts';
import { hasRight } from './rights.ts';
import { chatObject } from './rooms.ts';
import { botsIn } from '../messages/visibility.ts';
import type { World } from '../world.ts';

/** How long a bot may write to somebody who asked to join. */
const contactSeconds = 300;

export function notifyRequest(
  world: World,
  bot: BotRecord,
  chat: ChatRecord,
  userId: number,
  request: JoinRequestRecord,
  queryId?: string,
): void {
  const { state } = world;
  const link = chat.inviteLinks.find((one) => one.link === request.link);
  const bio = state.users.get(userId)?.bio;
  const payload = (): ChatJoinRequest => ({
    chat: chatObject(state, chat) as ChatJoinRequest['chat'],
    from: personOf(state, userId),
    user_chat_id: userId,
    date: request.date,
    ...(bio !== undefined && { bio }),
    ...(link && { invite_link: inviteLinkObject(state, chat, link) }),
    ...(queryId !== undefined && { query_id: queryId }),
  });
  world.publish(bot, 'chat_join_request', payload, `chat:${chat.id}`);
}

/** Queues the request for an administrator; a bot that was asked before gets no second update. */
export function queueRequest(
  world: World,
  chat: ChatRecord,
  userId: number,
  request: JoinRequestRecord,
  askedBotId?: number,
): void {
  chat.joinRequests.set(userId, request);
  for (const bot of botsIn(world.state, chat)) {
    if (bot.id === askedBotId || !hasRight(chat.members.get(bot.id), 'can_invite_users')) continue;
    notifyRequest(world, bot, chat, userId, request);
  }
  world.changed({ type: 'join_changed', roomKey: chat.key, userId, status: 'requested' });
}

/** Lets in somebody whose request was approved. */
export function admit(
  world: World,
  chat: ChatRecord,
  userId: number,
  request: JoinRequestRecord,
): void {
  const link = chat.inviteLinks.find((one) => one.link === request.link);
  link?.joinedIds.push(userId);
  setMember(
    world,
    chat,
    userId,
    { status: 'member' },
    { byId: userId, viaJoinRequest: true, ...(link && { link }) },
  );
}

/** An administrator decides. */
export function decideRequest(
  world: World,
  chat: ChatRecord,
  userId: number,
  approved: boolean,
): boolean {
  const request = chat.joinRequests.get(userId);
  if (!request) return false;
  chat.joinRequests.delete(userId);
  if (approved) admit(world, chat, userId, request);
  const status = approved ? 'joined' : 'declined';
  world.changed({ type: 'join_changed', roomKey: chat.key, userId, status });
  return true;
}

/** Every open request of a person that this bot knows of. */
function* requestsKnownTo(
  { state }: World,
  botId: number,
  userId: number,
): Generator<JoinRequestRecord> {
  for (const query of state.joinQueries?.values() ?? []) {
    const open = query.status === 'waiting' || query.status === 'web_app';
    if (open && query.botId === botId && query.userId === userId) yield query;
  }
  for (const room of state.rooms.values()) {
    const request = room.type === 'private' ? undefined : room.joinRequests.get(userId);
    if (!request || room.type === 'private') continue;
    if (hasRight(room.members.get(botId), 'can_invite_users')) yield request;
  }
}

/**
 * Returns the request that lets a bot write to somebody who never wrote to it: for five minutes,
 * and only if no other bot came first.
 */
export function contactFor(
  world: World,
  botId: number,
  userId: number,
): JoinRequestRecord | undefined {
  return requestsKnownTo(world, botId, userId).find(
    ({ date, contactedBy }) =>
      world.now() - date <= contactSeconds && (contactedBy ?? botId) === botId,
  );
}
