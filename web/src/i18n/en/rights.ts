import type { AdminRight } from '../../../../src/core/people/chat-rights.ts';

const names: Record<AdminRight, string> = {
  can_manage_chat: 'View event log and members',
  can_delete_messages: 'Delete messages',
  can_manage_video_chats: 'Manage video chats',
  can_restrict_members: 'Ban and mute people',
  can_promote_members: 'Add administrators',
  can_change_info: 'Change chat info',
  can_invite_users: 'Invite people',
  can_post_stories: 'Post stories',
  can_edit_stories: "Edit others' stories",
  can_delete_stories: "Delete others' stories",
  can_post_messages: 'Post messages',
  can_edit_messages: "Edit others' posts",
  can_pin_messages: 'Pin messages',
  can_manage_topics: 'Manage topics',
  can_manage_direct_messages: 'Answer direct messages',
  can_manage_tags: 'Manage member tags',
  is_anonymous: 'Remain anonymous',
};

export const rights = {
  names,
  needs: (right: string) =>
    `The bot lacks the right “${right}” in this chat. Grant it in Telegram.`,
};
