import type { ChatInviteLink, ChatMember, ChatMemberUpdated } from '@grammyjs/types';
import { defined } from '../defined.ts';
import { addService } from '../messages/messages.ts';
import { personOf } from '../people.ts';
import type { ChatRecord, InviteLinkRecord, MemberRecord, WorldState } from '../records.ts';
import { fullRights, hasRight, isAdmin, isPresent, openPermissions } from './rights.ts';
import { chatObject } from './rooms.ts';
import { botsIn } from '../messages/visibility.ts';
import type { World } from '../world.ts';

/** Returns a member; restrictions and bans end when their time has passed. */
export function memberOf(world: World, chat: ChatRecord, userId: number): MemberRecord | undefined {
  const member = chat.members.get(userId);
  if (!member?.untilDate || member.untilDate > world.now()) return member;
  const present = isPresent(member);
  const fresh: MemberRecord = { status: present ? 'member' : 'left' };
  chat.members.set(userId, fresh);
  return fresh;
}

export function memberObject(
  state: WorldState,
  chat: ChatRecord,
  userId: number,
  member: MemberRecord | undefined,
  viewerId?: number,
): ChatMember {
  const user = personOf(state, userId);
  switch (member?.status) {
    case 'creator':
      return {
        status: 'creator',
        user,
        is_anonymous: member.rights?.is_anonymous ?? false,
        ...(member.customTitle !== undefined && { custom_title: member.customTitle }),
      };
    case 'administrator':
      return {
        status: 'administrator',
        user,
        can_be_edited: viewerId !== undefined && member.promotedBy === viewerId,
        ...(member.rights ?? fullRights(chat)),
        ...(member.customTitle !== undefined && { custom_title: member.customTitle }),
      };
    case 'member':
      return { status: 'member', user };
    case 'restricted':
      return {
        status: 'restricted',
        user,
        is_member: member.isMember ?? false,
        ...(member.permissions ?? openPermissions()),
        until_date: member.untilDate ?? 0,
      };
    case 'kicked':
      return { status: 'kicked', user, until_date: member.untilDate ?? 0 };
    default:
      return { status: 'left', user };
  }
}

export function inviteLinkObject(
  state: WorldState,
  chat: ChatRecord,
  link: InviteLinkRecord,
): ChatInviteLink {
  const pending = [...chat.joinRequests.values()].filter((one) => one.link === link.link).length;
  return defined<ChatInviteLink>({
    invite_link: link.link,
    creator: personOf(state, link.creatorId),
    creates_join_request: link.createsJoinRequest,
    is_primary: link.isPrimary,
    is_revoked: link.isRevoked,
    name: link.name,
    expire_date: link.expireDate,
    member_limit: link.memberLimit,
    pending_join_request_count: pending || undefined,
    subscription_period: undefined,
    subscription_price: undefined,
  });
}

interface MemberChange {
  byId: number;
  link?: InviteLinkRecord;
  viaJoinRequest?: boolean;
  /** Basic groups and supergroups announce joins and leaves; a restriction is silent. */
  service?: boolean;
}

/**
 * Ends the requests of a person who joined or was banned. A guard bot that lost its right is no
 * longer the guard.
 */
function endRequests(
  { joinQueries }: WorldState,
  chat: ChatRecord,
  userId: number,
  next: MemberRecord,
): void {
  if (userId === chat.guardBotId && !hasRight(next, 'can_invite_users')) delete chat.guardBotId;
  if (!isPresent(next) && next.status !== 'kicked') return;
  chat.joinRequests.delete(userId);
  for (const query of joinQueries?.values() ?? []) {
    const open = query.status === 'waiting' || query.status === 'web_app';
    if (open && query.chatId === chat.id && query.userId === userId) query.status = 'lapsed';
  }
}

/**
 * The only function that changes a membership: it sends updates and service messages, and notifies
 * watchers.
 */
export function setMember(
  world: World,
  chat: ChatRecord,
  userId: number,
  next: MemberRecord,
  change: MemberChange,
): void {
  const { state } = world;
  const before = memberOf(world, chat, userId);
  const audience = botsIn(state, chat);
  chat.members.set(userId, next);
  endRequests(state, chat, userId, next);
  const subject = state.bots.get(userId);
  if (subject && !audience.includes(subject)) audience.push(subject);

  for (const bot of audience) {
    const own = bot.id === userId;
    if (!own && !isAdmin(chat.members.get(bot.id))) continue;
    const update = (): ChatMemberUpdated =>
      defined<ChatMemberUpdated>({
        chat: chatObject(state, chat),
        from: personOf(state, change.byId),
        date: world.now(),
        old_chat_member: memberObject(state, chat, userId, before, bot.id),
        new_chat_member: memberObject(state, chat, userId, next, bot.id),
        invite_link: change.link && inviteLinkObject(state, chat, change.link),
        via_join_request: change.viaJoinRequest ? true : undefined,
        via_chat_folder_invite_link: undefined,
      });
    world.publish(bot, own ? 'my_chat_member' : 'chat_member', update, `chat:${chat.id}`);
  }

  if (change.service !== false && chat.type !== 'channel') {
    const was = isPresent(before);
    const is = isPresent(next);
    const user = personOf(state, userId);
    if (!was && is) addService(world, chat, change.byId, { new_chat_members: [user] });
    if (was && !is) addService(world, chat, change.byId, { left_chat_member: user });
  }
  world.changed({ type: 'member_changed', roomKey: chat.key, userId, status: next.status });
}

export const presentMembers = (chat: ChatRecord): [number, MemberRecord][] =>
  [...chat.members].filter(([, member]) => isPresent(member));
