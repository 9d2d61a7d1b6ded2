import type { ChatAdministratorRights, ChatPermissions } from '@grammyjs/types';
import type { ChatRecord, MemberRecord } from '../records.ts';

export const adminRights = [
  'is_anonymous',
  'can_manage_chat',
  'can_delete_messages',
  'can_manage_video_chats',
  'can_restrict_members',
  'can_promote_members',
  'can_change_info',
  'can_invite_users',
  'can_post_stories',
  'can_edit_stories',
  'can_delete_stories',
  'can_post_messages',
  'can_edit_messages',
  'can_pin_messages',
  'can_manage_topics',
  'can_manage_direct_messages',
  'can_manage_tags',
  'can_send_welcome_messages',
] as const satisfies (keyof ChatAdministratorRights)[];

export type AdminRight = (typeof adminRights)[number];

export const permissionNames = [
  'can_send_messages',
  'can_send_audios',
  'can_send_documents',
  'can_send_photos',
  'can_send_videos',
  'can_send_video_notes',
  'can_send_voice_notes',
  'can_send_polls',
  'can_send_other_messages',
  'can_add_web_page_previews',
  'can_react_to_messages',
  'can_change_info',
  'can_invite_users',
  'can_edit_tag',
  'can_pin_messages',
  'can_manage_topics',
] as const satisfies (keyof ChatPermissions)[];

export type Permission = (typeof permissionNames)[number];

/** Rights that exist only in channels, or only outside them. */
const channelOnly = new Set<AdminRight>([
  'can_post_messages',
  'can_edit_messages',
  'can_manage_direct_messages',
]);
const groupOnly = new Set<AdminRight>(['can_pin_messages', 'can_manage_topics', 'can_manage_tags']);

export function makeRights(
  chat: Pick<ChatRecord, 'type'>,
  has: (right: AdminRight) => boolean,
): ChatAdministratorRights {
  const rights: Partial<Record<AdminRight, boolean>> = {};
  for (const right of adminRights) {
    if (chat.type === 'channel' ? groupOnly.has(right) : channelOnly.has(right)) continue;
    rights[right] = has(right);
  }
  return rights as ChatAdministratorRights;
}

export const fullRights = (chat: Pick<ChatRecord, 'type'>): ChatAdministratorRights =>
  makeRights(chat, (right) => right !== 'is_anonymous');

export function makePermissions(has: (name: Permission) => boolean): Required<ChatPermissions> {
  return Object.fromEntries(
    permissionNames.map((name) => [name, has(name)]),
  ) as Required<ChatPermissions>;
}

export const openPermissions = (): Required<ChatPermissions> =>
  makePermissions((name) => name !== 'can_change_info' && name !== 'can_pin_messages');

const sendPermissions = permissionNames.filter((name) => name.startsWith('can_send_'));

const mediaPermissions = [
  'can_send_audios',
  'can_send_documents',
  'can_send_photos',
  'can_send_videos',
  'can_send_video_notes',
  'can_send_voice_notes',
] as const satisfies Permission[];

/** Reads permissions. Unless they are independent, a broad permission implies the narrow ones. */
export function readPermissions(
  given: ChatPermissions,
  independent: boolean,
): Required<ChatPermissions> {
  const permissions = makePermissions((name) => given[name] === true);
  // Older clients use one permission for all media.
  const all = (given as { can_send_media_messages?: boolean }).can_send_media_messages === true;
  if (all && !mediaPermissions.some((name) => name in given)) {
    for (const name of mediaPermissions) permissions[name] = true;
    if (!independent) permissions.can_send_messages = true;
  }
  if (!('can_manage_topics' in given)) permissions.can_manage_topics = permissions.can_pin_messages;
  if (independent) return permissions;
  const wide = given.can_send_other_messages === true || given.can_add_web_page_previews === true;
  if (wide)
    for (const name of sendPermissions) if (name !== 'can_send_polls') permissions[name] = true;
  if (given.can_send_polls === true) permissions.can_send_messages = true;
  return permissions;
}

export const isPresent = (member: MemberRecord | undefined): boolean =>
  member !== undefined &&
  (member.status === 'creator' ||
    member.status === 'administrator' ||
    member.status === 'member' ||
    (member.status === 'restricted' && member.isMember === true));

export const isAdmin = (member: MemberRecord | undefined): boolean =>
  member?.status === 'creator' || member?.status === 'administrator';

export function hasRight(member: MemberRecord | undefined, right: AdminRight): boolean {
  if (member?.status === 'creator') return true;
  return member?.status === 'administrator' && member.rights?.[right] === true;
}

export function isPermitted(chat: ChatRecord, memberId: number, name: Permission): boolean {
  const member = chat.members.get(memberId);
  if (isAdmin(member)) return true;
  if (member?.status === 'restricted' && member.permissions?.[name] !== true) return false;
  return isPresent(member) && chat.permissions[name];
}
