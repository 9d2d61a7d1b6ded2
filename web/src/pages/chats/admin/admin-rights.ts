import type { Right } from '../../../api/admins.ts';

const everywhere: Right[] = [
  'can_manage_chat',
  'can_change_info',
  'can_delete_messages',
  'can_restrict_members',
  'can_invite_users',
  'can_pin_messages',
  'can_promote_members',
];
const groups: Right[] = [
  'can_manage_topics',
  'can_manage_tags',
  'can_manage_video_chats',
  'can_post_stories',
  'can_edit_stories',
  'can_delete_stories',
  'is_anonymous',
];
const channels: Right[] = [
  'can_manage_chat',
  'can_change_info',
  'can_post_messages',
  'can_edit_messages',
  'can_delete_messages',
  'can_invite_users',
  'can_restrict_members',
  'can_promote_members',
  'can_manage_direct_messages',
  'can_manage_video_chats',
  'can_post_stories',
  'can_edit_stories',
  'can_delete_stories',
];

/** The rights that apply in such a chat, the frequent ones first. */
export function rightsIn(chatType: string): Right[] {
  return chatType === 'channel' ? channels : [...everywhere, ...groups];
}
