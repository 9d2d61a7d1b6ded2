import type { ChatPermissions } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import { memberOf, setMember } from '../../world/chats/members.ts';
import { removeMessage } from '../../world/messages/messages.ts';
import type { ChatRecord, MemberRecord } from '../../world/records.ts';
import {
  adminRights,
  hasRight,
  isPresent,
  makeRights,
  permissionNames,
  readPermissions,
} from '../../world/chats/rights.ts';
import type { Call, MethodTable } from '../call.ts';
import { chatOf, requireRight, userIdOf } from '../target.ts';

const noRight = 'not enough rights to restrict/unrestrict chat member';
const yearSeconds = 366 * 86_400;

/** Dates nearer than 30 seconds or farther than 366 days mean forever. */
function untilDate(call: Call): number {
  const until = call.params.integer('until_date');
  const ahead = until - call.world.now();
  return ahead < 30 || ahead > yearSeconds ? 0 : until;
}

interface Subject {
  chat: ChatRecord;
  userId: number;
  member: MemberRecord | undefined;
}

/** Returns somebody the bot may act on: not itself, the owner or another administrator. */
function subjectOf(call: Call, chat: ChatRecord): Subject {
  const userId = userIdOf(call);
  requireRight(call, chat, 'can_restrict_members', noRight);
  const member = memberOf(call.world, chat, userId);
  if (userId === call.bot.id) throw badRequest("can't restrict self");
  if (member?.status === 'creator') throw badRequest("can't remove chat owner");
  if (member?.status === 'administrator' && member.promotedBy !== call.bot.id) {
    throw badRequest('user is an administrator of the chat');
  }
  return { chat, userId, member };
}

/**
 * Returns a chat of a kind that has lasting bans and administrators with rights, which basic groups
 * and private chats do not.
 */
function largeChatOf(call: Call): ChatRecord {
  const refusal = 'method is available for supergroup and channel chats only';
  const chat = chatOf(call, refusal);
  if (chat.type === 'group') throw badRequest(refusal);
  return chat;
}

function banChatMember(call: Call): true {
  const { chat, userId } = subjectOf(call, chatOf(call, "can't ban members in private chats"));
  setMember(
    call.world,
    chat,
    userId,
    { status: 'kicked', untilDate: untilDate(call) },
    { byId: call.bot.id },
  );
  if (call.params.flag('revoke_messages')) {
    for (const record of [...chat.messages.values()]) {
      if (record.fromId === userId && !record.isService) removeMessage(call.world, chat, record.id);
    }
  }
  return true;
}

function unbanChatMember(call: Call): true {
  const chat = largeChatOf(call);
  const { userId, member } = subjectOf(call, chat);
  const banned = member?.status === 'kicked';
  if (banned || (isPresent(member) && !call.params.flag('only_if_banned'))) {
    setMember(call.world, chat, userId, { status: 'left' }, { byId: call.bot.id });
  }
  return true;
}

function restrictChatMember(call: Call): true {
  const chat = chatOf(call, 'method is available only for supergroups');
  if (chat.type !== 'supergroup') throw badRequest('method is available only for supergroups');
  const { userId, member } = subjectOf(call, chat);
  const given = call.params.json('permissions') ?? legacyPermissions(call);
  if (given === null || typeof given !== 'object' || Array.isArray(given)) {
    throw badRequest('object expected as permissions');
  }
  const permissions = readPermissions(
    given as ChatPermissions,
    call.params.flag('use_independent_chat_permissions'),
  );
  const isMember = isPresent(member);
  const unrestricted = permissionNames.every(
    (name) => permissions[name] || !chat.permissions[name],
  );
  setMember(
    call.world,
    chat,
    userId,
    unrestricted
      ? { status: isMember ? 'member' : 'left' }
      : { status: 'restricted', permissions, isMember, untilDate: untilDate(call) },
    { byId: call.bot.id, service: false },
  );
  return true;
}

/** Permissions used to be separate parameters. */
const legacyPermissions = (call: Call): ChatPermissions =>
  Object.fromEntries(permissionNames.map((name) => [name, call.params.flag(name)]));

function promoteChatMember(call: Call): true {
  const userId = userIdOf(call);
  const chat = largeChatOf(call);
  const own = chat.members.get(call.bot.id);
  requireRight(call, chat, 'can_promote_members', 'not enough rights');
  const member = memberOf(call.world, chat, userId);
  if (userId === call.bot.id) throw badRequest("can't promote self");
  if (member?.status === 'creator') throw badRequest("can't remove chat owner");
  if (!isPresent(member) && chat.type !== 'channel') throw badRequest('USER_NOT_PARTICIPANT');
  if (member?.status === 'administrator' && member.promotedBy !== call.bot.id) {
    throw badRequest('CHAT_ADMIN_REQUIRED');
  }
  const asked = adminRights.filter((right) => call.params.flag(right));
  if (asked.some((right) => right !== 'is_anonymous' && !hasRight(own, right))) {
    throw badRequest('RIGHT_FORBIDDEN');
  }
  const demoted = asked.length === 0;
  const rights = makeRights(chat, (right) => asked.includes(right) || right === 'can_manage_chat');
  setMember(
    call.world,
    chat,
    userId,
    demoted
      ? { status: isPresent(member) ? 'member' : 'left' }
      : {
          status: 'administrator',
          rights,
          promotedBy: call.bot.id,
          ...(member?.customTitle !== undefined && { customTitle: member.customTitle }),
        },
    { byId: call.bot.id, service: false },
  );
  return true;
}

function setCustomTitle(call: Call): true {
  const chat = chatOf(call, 'method is available only for supergroups');
  if (chat.type !== 'supergroup') throw badRequest('method is available only for supergroups');
  const userId = userIdOf(call);
  requireRight(call, chat, 'can_promote_members', 'not enough rights');
  const member = chat.members.get(userId);
  if (member?.status === 'creator') throw badRequest('only creator can edit their custom title');
  if (member?.status !== 'administrator') throw badRequest('user is not an administrator');
  if (member.promotedBy !== call.bot.id) {
    throw badRequest('not enough rights to change custom title of the user');
  }
  const title = call.params.text('custom_title').trim();
  if (title.length > 16) throw badRequest('ADMIN_RANK_INVALID');
  if (/\p{Extended_Pictographic}/u.test(title)) throw badRequest('ADMIN_RANK_EMOJI_NOT_ALLOWED');
  if (title === '') delete member.customTitle;
  else member.customTitle = title;
  call.world.changed({ type: 'member_changed', roomKey: chat.key, userId, status: member.status });
  return true;
}

export const moderationMethods: MethodTable = {
  banchatmember: banChatMember,
  kickchatmember: banChatMember,
  unbanchatmember: unbanChatMember,
  restrictchatmember: restrictChatMember,
  promotechatmember: promoteChatMember,
  setchatadministratorcustomtitle: setCustomTitle,
};
