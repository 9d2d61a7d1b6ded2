import type { rights as Rights } from '../en/rights.ts';
import type { PartialTexts } from '../messages.ts';

export const rights = {
  names: {
    can_manage_chat: '查看事件日志和成员',
    can_delete_messages: '删除消息',
    can_manage_video_chats: '管理视频聊天',
    can_restrict_members: '封禁和禁言成员',
    can_promote_members: '添加管理员',
    can_change_info: '修改聊天信息',
    can_invite_users: '邀请成员',
    can_post_stories: '发布动态',
    can_edit_stories: '编辑他人的动态',
    can_delete_stories: '删除他人的动态',
    can_post_messages: '发布消息',
    can_edit_messages: '编辑他人的消息',
    can_pin_messages: '置顶消息',
    can_manage_topics: '管理话题',
    can_manage_direct_messages: '回复频道私信',
    can_manage_tags: '管理成员标签',
    is_anonymous: '保持匿名',
  },
  needs: (right) => `机器人在此聊天中缺少“${right}”权限，请在 Telegram 中授予。`,
} satisfies PartialTexts<typeof Rights>;
