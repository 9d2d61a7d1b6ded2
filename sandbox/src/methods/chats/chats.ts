import type {
  Chat,
  ChatFullInfo,
  ChatMember,
  ChatMemberAdministrator,
  ChatMemberOwner,
  ChatPhoto,
} from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import { defined } from '../../world/defined.ts';
import { uniqueFileId } from '../../world/messages/file-id.ts';
import { memberObject, memberOf, presentMembers, setMember } from '../../world/chats/members.ts';
import { personOf } from '../../world/people.ts';
import type { Room, WorldState } from '../../world/records.ts';
import { localiseFiles } from '../../world/messages/render.ts';
import { isAdmin } from '../../world/chats/rights.ts';
import { chatObject } from '../../world/chats/rooms.ts';
import type { Call, MethodTable } from '../call.ts';
import { show } from '../send.ts';
import { chatOf, roomOf, userIdOf } from '../target.ts';

function photoOf(state: WorldState, key: string | undefined): ChatPhoto | undefined {
  const sizes = key === undefined ? undefined : state.files.get(key)?.media?.photo;
  const small = sizes?.[0];
  const big = sizes?.at(-1);
  if (!small || !big) return undefined;
  return {
    small_file_id: small.file_id,
    small_file_unique_id: uniqueFileId(`${small.file_id}/small`),
    big_file_id: big.file_id,
    big_file_unique_id: uniqueFileId(`${big.file_id}/big`),
  };
}

function fullInfo(call: Call, room: Room): ChatFullInfo {
  const { state } = call.world;
  const pinnedId = room.pinned.at(-1);
  const pinned = pinnedId === undefined ? undefined : room.messages.get(pinnedId);
  const common = {
    accent_color_id: 0,
    max_reaction_count: 11,
    accepted_gift_types: {
      unlimited_gifts: false,
      limited_gifts: false,
      unique_gifts: false,
      premium_subscription: false,
      gifts_from_channels: false,
    },
  };
  const chat = chatObject(state, room);
  if (chat.type === 'private' || room.type === 'private') {
    const user = state.users.get(chat.id);
    return defined<ChatFullInfo.PrivateChat>({
      ...(chat as Chat.PrivateChat),
      ...common,
      photo: localiseFiles(photoOf(state, user?.photos[0]), call.bot),
      active_usernames: user?.username === undefined ? undefined : [user.username],
      bio: user?.bio,
      pinned_message: pinned && show(call, room, pinned),
    });
  }
  const admin = isAdmin(room.members.get(call.bot.id));
  // The three kinds of group differ only in which of these fields they may carry.
  return defined<ChatFullInfo.SupergroupChat>({
    ...(chat as Chat.SupergroupChat),
    ...common,
    photo: localiseFiles(photoOf(state, room.photo), call.bot),
    active_usernames: room.username === undefined ? undefined : [room.username],
    description: room.description,
    invite_link: admin
      ? room.inviteLinks.find((link) => link.isPrimary && !link.isRevoked)?.link
      : undefined,
    pinned_message: pinned && show(call, room, pinned),
    permissions: room.type === 'channel' ? undefined : room.permissions,
    guard_bot:
      admin && room.guardBotId !== undefined ? personOf(state, room.guardBotId) : undefined,
    join_by_request: room.type !== 'group' && room.joinByRequest ? true : undefined,
  });
}

function getChatMember(call: Call): ChatMember {
  const room = roomOf(call);
  const userId = userIdOf(call);
  if (room.type === 'private') {
    if (userId !== room.userId && userId !== room.botId) throw badRequest('member not found');
    return { status: 'member', user: personOf(call.world.state, userId) };
  }
  const member = memberOf(call.world, room, userId);
  return memberObject(call.world.state, room, userId, member, call.bot.id);
}

/** Other bots are left out, as Telegram does. */
function getChatAdministrators(call: Call): (ChatMemberOwner | ChatMemberAdministrator)[] {
  const chat = chatOf(call, 'there are no administrators in the private chat');
  return presentMembers(chat)
    .filter(([id]) => !call.world.state.bots.has(id) || id === call.bot.id)
    .map(([id, member]) => memberObject(call.world.state, chat, id, member, call.bot.id))
    .filter((member) => member.status === 'creator' || member.status === 'administrator');
}

function getChatMemberCount(call: Call): number {
  const room = roomOf(call);
  return room.type === 'private' ? 2 : presentMembers(room).length;
}

function leaveChat(call: Call): true {
  const chat = chatOf(call, "can't leave a private chat");
  setMember(call.world, chat, call.bot.id, { status: 'left' }, { byId: call.bot.id });
  return true;
}

export const chatMethods: MethodTable = {
  getchat: (call) => fullInfo(call, roomOf(call)),
  getchatmember: getChatMember,
  getchatadministrators: getChatAdministrators,
  getchatmembercount: getChatMemberCount,
  getchatmemberscount: getChatMemberCount,
  leavechat: leaveChat,
};
