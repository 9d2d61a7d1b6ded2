import type { ChatAdministratorRights } from '@grammyjs/types';
import { Type } from 'typebox';
import { ControlError } from '../api-error.ts';
import { memberOf, setMember } from '../world/chats/members.ts';
import { addService } from '../world/messages/messages.ts';
import type { ChatRecord } from '../world/records.ts';
import { fullRights, hasRight, isPresent, makeRights } from '../world/chats/rights.ts';
import { addChat } from '../world/chats/rooms.ts';
import { setForum } from '../world/chats/topics.ts';
import type { World } from '../world/world.ts';
import { action } from './action.ts';
import { Choice, Flag, inChat, Name, Ref as RefField } from './fields.ts';
import { botRef, chatRef, type Ref, userRef } from './refs.ts';
import { freeUsername } from './usernames.ts';

export interface NewGroup {
  title: string;
  owner: Ref;
  type?: ChatRecord['type'] | undefined;
  username?: string | undefined;
  description?: string | undefined;
  members?: Ref[] | undefined;
  joinByRequest?: boolean | undefined;
  isForum?: boolean | undefined;
}

/** A user or a bot. */
function anyone(world: World, ref: Ref): number {
  try {
    return userRef(world, ref).id;
  } catch {
    return botRef(world, ref).id;
  }
}

export function createChat(world: World, fields: NewGroup): ChatRecord {
  const owner = userRef(world, fields.owner);
  const isOther = fields.type !== undefined && fields.type !== 'supergroup';
  if (fields.isForum && isOther) throw new ControlError('supergroups_only');
  const chat = addChat(world, {
    type: fields.type ?? 'supergroup',
    title: fields.title,
    ownerId: owner.id,
    joinByRequest: fields.joinByRequest ?? false,
    ...(fields.username !== undefined && { username: fields.username }),
    ...(fields.description !== undefined && { description: fields.description }),
  });
  if (fields.isForum) setForum(world, chat, true);
  if (chat.type === 'group') addService(world, chat, owner.id, { group_chat_created: true });
  for (const member of fields.members ?? []) addMember(world, owner.id, chat, member);
  return chat;
}

/** A user adds another user or a bot. In a channel, bots become administrators. */
export function addMember(world: World, by: Ref, chatGiven: Ref, who: Ref): void {
  const chat = chatRef(world, chatGiven);
  const id = anyone(world, who);
  const bot = world.state.bots.get(id);
  if (bot && !bot.canJoinGroups)
    throw new ControlError('bot_not_for_groups', { bot: bot.username });
  const byId = anyone(world, by);
  if (isPresent(memberOf(world, chat, id))) return;
  const asAdmin = bot && chat.type === 'channel';
  setMember(
    world,
    chat,
    id,
    asAdmin
      ? { status: 'administrator', rights: fullRights(chat), promotedBy: byId }
      : { status: 'member' },
    { byId },
  );
}

export function leave(world: World, who: Ref, chatGiven: Ref): void {
  const chat = chatRef(world, chatGiven);
  const id = anyone(world, who);
  const before = memberOf(world, chat, id);
  if (!before || !isPresent(before)) return;
  const next =
    before.status === 'restricted' ? { ...before, isMember: false } : { status: 'left' as const };
  setMember(world, chat, id, next, { byId: id });
}

/** A human administrator removes somebody permanently. */
export function removeMember(world: World, by: Ref, chatGiven: Ref, who: Ref): void {
  const chat = chatRef(world, chatGiven);
  const admin = userRef(world, by);
  if (!hasRight(chat.members.get(admin.id), 'can_restrict_members')) {
    throw new ControlError('may_not_remove_members', { user: admin.first_name });
  }
  setMember(
    world,
    chat,
    anyone(world, who),
    { status: 'kicked', untilDate: 0 },
    { byId: admin.id },
  );
}

export function promote(
  world: World,
  by: Ref,
  chatGiven: Ref,
  who: Ref,
  rights: Partial<ChatAdministratorRights> | false = {},
): void {
  const chat = chatRef(world, chatGiven);
  const admin = userRef(world, by);
  if (!hasRight(chat.members.get(admin.id), 'can_promote_members')) {
    throw new ControlError('may_not_appoint_admins', { user: admin.first_name });
  }
  const id = anyone(world, who);
  if (!isPresent(memberOf(world, chat, id))) addMember(world, admin.id, chat, id);
  if (rights === false) {
    setMember(world, chat, id, { status: 'member' }, { byId: admin.id });
    return;
  }
  const named = Object.keys(rights).length > 0;
  const given = named
    ? makeRights(chat, (right) => right === 'can_manage_chat' || rights[right] === true)
    : fullRights(chat);
  setMember(
    world,
    chat,
    id,
    { status: 'administrator', rights: given, promotedBy: admin.id },
    { byId: admin.id },
  );
}

/** Upgrades a basic group to a supergroup: a new chat with a new ID and its own message IDs. */
export function upgradeGroup(world: World, by: Ref, chatGiven: Ref): ChatRecord {
  const old = chatRef(world, chatGiven);
  if (old.type !== 'group') throw new ControlError('basic_groups_only');
  const actor = userRef(world, by);
  const ownerId =
    [...old.members].find(([, member]) => member.status === 'creator')?.[0] ?? actor.id;
  const next = addChat(world, { type: 'supergroup', title: old.title, ownerId });
  next.permissions = { ...old.permissions };
  next.migratedFrom = old.id;
  for (const [id, member] of old.members) next.members.set(id, { ...member });
  addService(world, old, actor.id, { migrate_to_chat_id: next.id });
  old.migratedTo = next.id;
  addService(world, next, actor.id, { migrate_from_chat_id: old.id });
  return next;
}

export const newChatActions = {
  'chats/create': action({
    summary: 'Create a group or channel',
    fields: {
      type: Type.Optional(Choice(['group', 'supergroup', 'channel'], { default: 'supergroup' })),
      title: Name('Its title.', 128, 'Tea club'),
      owner: RefField('The owner.'),
      members: Type.Optional(
        Type.Array(RefField('A member.'), { maxItems: 200, description: 'Other members.' }),
      ),
      username: Type.Optional(Name('Public username.', 32, 'tea_club')),
      description: Type.Optional(Name('What it is for.', 255)),
      join_by_request: Flag('New members need approval.'),
      is_forum: Flag('A supergroup with topics.'),
    },
    refusals: ['name_taken'],
    run: ({ world }, { join_by_request, is_forum, ...given }) => {
      const username = freeUsername(world, given.username);
      const made = createChat(world, {
        ...given,
        username,
        joinByRequest: join_by_request,
        isForum: is_forum,
      });
      return { id: made.id, type: made.type, title: made.title };
    },
  }),
};

export const memberActions = {
  'chats/leave': action({
    summary: 'Leave a chat',
    fields: inChat,
    run: ({ world }, { user, chat }) => leave(world, user, chat),
  }),
  'chats/add-member': action({
    summary: 'Add a member',
    fields: { ...inChat, by: RefField('Who adds them.') },
    run: ({ world }, { user, chat, by }) => addMember(world, by, chat, user),
  }),
  'chats/remove-member': action({
    summary: 'Remove a member',
    fields: { ...inChat, by: RefField('Who removes them.') },
    run: ({ world }, { user, chat, by }) => removeMember(world, by, chat, user),
  }),
  'chats/promote': action({
    summary: 'Promote or demote a member',
    fields: {
      ...inChat,
      by: RefField('Who gives them.'),
      rights: Type.Optional(
        Type.Union([Type.Boolean(), Type.Object({}, { additionalProperties: true })], {
          description: 'Rights as in the Bot API; false removes all.',
        }),
      ),
    },
    run: ({ world }, { user, chat, by, rights }) =>
      promote(world, by, chat, user, rights === true ? {} : rights),
  }),
  'chats/upgrade': action({
    summary: 'Upgrade a group to a supergroup',
    fields: inChat,
    run: ({ world }, { user, chat }) => ({ id: upgradeGroup(world, user, chat).id }),
  }),
};
