import type { ChatInviteLink } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import { decideRequest } from '../../world/chats/join-requests.ts';
import { inviteLinkObject, memberOf } from '../../world/chats/members.ts';
import type { ChatRecord, InviteLinkRecord } from '../../world/records.ts';
import { isPresent } from '../../world/chats/rights.ts';
import type { Call, MethodTable } from '../call.ts';
import { chatOf, requireRight, userIdOf } from '../target.ts';

function inviting(call: Call): ChatRecord {
  const chat = chatOf(call, "can't invite members to a private chat");
  requireRight(call, chat, 'can_invite_users', 'not enough rights to manage chat invite link');
  return chat;
}

const mostLinks = 1000;

function addLink(
  call: Call,
  chat: ChatRecord,
  fields: Partial<InviteLinkRecord>,
): InviteLinkRecord {
  const link: InviteLinkRecord = {
    link: `https://t.me/+${call.world.secret(16)}`,
    creatorId: call.bot.id,
    createsJoinRequest: false,
    isPrimary: false,
    isRevoked: false,
    joinedIds: [],
    ...fields,
  };
  chat.inviteLinks.push(link);
  if (chat.inviteLinks.length > mostLinks) {
    // Links that no longer work are dropped first.
    const dead = chat.inviteLinks.findIndex((one) => one.isRevoked);
    chat.inviteLinks.splice(Math.max(0, dead), 1);
  }
  return link;
}

const show = (call: Call, chat: ChatRecord, link: InviteLinkRecord): ChatInviteLink =>
  inviteLinkObject(call.world.state, chat, link);

/** Creates a new primary link of this bot; the previous one stops working. */
function renewPrimary(call: Call, chat: ChatRecord): InviteLinkRecord {
  for (const link of chat.inviteLinks) {
    if (link.isPrimary && link.creatorId === call.bot.id) link.isRevoked = true;
  }
  return addLink(call, chat, { isPrimary: true });
}

function linkFields(call: Call): Partial<InviteLinkRecord> {
  const { params } = call;
  const name = params.text('name').trim();
  const expireDate = params.integer('expire_date');
  const memberLimit = params.integer('member_limit');
  const createsJoinRequest = params.flag('creates_join_request');
  if (name.length > 32) throw badRequest('INVITE_LINK_NAME_TOO_LONG');
  if (memberLimit < 0 || memberLimit > 99_999) throw badRequest('USAGE_LIMIT_INVALID');
  if (expireDate !== 0 && expireDate <= call.world.now()) throw badRequest('EXPIRE_DATE_INVALID');
  if (createsJoinRequest && memberLimit > 0) {
    throw badRequest("member limit can't be specified for links requiring administrator approval");
  }
  return {
    createsJoinRequest,
    ...(name && { name }),
    ...(expireDate > 0 && { expireDate }),
    ...(memberLimit > 0 && { memberLimit }),
  };
}

function ownLink(call: Call, chat: ChatRecord): InviteLinkRecord {
  const given = call.params.text('invite_link').trim();
  const link = chat.inviteLinks.find((one) => one.link === given);
  if (!link || link.creatorId !== call.bot.id) throw badRequest('INVITE_HASH_EXPIRED');
  return link;
}

function createChatInviteLink(call: Call): ChatInviteLink {
  const chat = inviting(call);
  return show(call, chat, addLink(call, chat, linkFields(call)));
}

function editChatInviteLink(call: Call): ChatInviteLink {
  const chat = inviting(call);
  const link = ownLink(call, chat);
  if (link.isPrimary || link.isRevoked) throw badRequest('CHAT_INVITE_PERMANENT');
  delete link.name;
  delete link.expireDate;
  delete link.memberLimit;
  Object.assign(link, linkFields(call));
  return show(call, chat, link);
}

function revokeChatInviteLink(call: Call): ChatInviteLink {
  const chat = inviting(call);
  const link = ownLink(call, chat);
  link.isRevoked = true;
  if (link.isPrimary) addLink(call, chat, { isPrimary: true });
  return show(call, chat, link);
}

function answerRequest(call: Call, approved: boolean): true {
  const chat = inviting(call);
  const userId = userIdOf(call);
  if (isPresent(memberOf(call.world, chat, userId))) throw badRequest('USER_ALREADY_PARTICIPANT');
  if (!decideRequest(call.world, chat, userId, approved))
    throw badRequest('HIDE_REQUESTER_MISSING');
  return true;
}

export const inviteMethods: MethodTable = {
  exportchatinvitelink: (call) => renewPrimary(call, inviting(call)).link,
  createchatinvitelink: createChatInviteLink,
  editchatinvitelink: editChatInviteLink,
  revokechatinvitelink: revokeChatInviteLink,
  approvechatjoinrequest: (call) => answerRequest(call, true),
  declinechatjoinrequest: (call) => answerRequest(call, false),
};
