import type { AdminRight } from '../../../../src/core/people/chat-rights.ts';

const names: Record<AdminRight, string> = {
  can_manage_chat: 'See the event log and the members',
  can_delete_messages: 'Delete messages',
  can_manage_video_chats: 'Manage video chats',
  can_restrict_members: 'Ban and mute people',
  can_promote_members: 'Appoint administrators',
  can_change_info: 'Change title, photo and description',
  can_invite_users: 'Invite people',
  can_post_stories: 'Post stories',
  can_edit_stories: 'Edit stories of others',
  can_delete_stories: 'Delete stories of others',
  can_post_messages: 'Post in the channel',
  can_edit_messages: 'Edit posts of others',
  can_pin_messages: 'Pin messages',
  can_manage_topics: 'Manage topics',
  can_manage_direct_messages: 'Answer direct messages of the channel',
  can_manage_tags: 'Manage tags of members',
  is_anonymous: 'Stay anonymous',
};

export const rights = {
  names,
  needs: (right: string) => `The bot lacks the right “${right}” in this chat.`,
};
