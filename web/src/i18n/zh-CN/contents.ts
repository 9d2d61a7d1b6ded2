import type { contents as English, things as EnglishThings } from '../en/contents.ts';
import type { PartialTexts } from '../messages.ts';

const quoted = (text: string) => `“${text}”`;

export const contents = {
  joined: (who) => `${who} 加入了聊天`,
  added: (by, who) => `${by} 添加了 ${who}`,
  left: (who) => `${who} 离开了聊天`,
  removed: (by, who) => `${by} 移出了 ${who}`,
  new_chat_title: (by, text) => `${by} 将聊天改名为${quoted(text)}`,
  new_chat_photo: (by) => `${by} 更换了聊天头像`,
  delete_chat_photo: (by) => `${by} 移除了聊天头像`,
  group_chat_created: (by) => `${by} 创建了群组`,
  supergroup_chat_created: (by) => `${by} 创建了群组`,
  channel_chat_created: () => '频道已创建',
  migrate_to_chat_id: () => '群组已升级为超级群组',
  migrate_from_chat_id: () => '群组已升级为超级群组',
  pinned_message: (by, text) => (text ? `${by} 置顶了${quoted(text)}` : `${by} 置顶了一条消息`),
  message_auto_delete_timer_changed: (by) => `${by} 修改了自动删除时间`,
  forum_topic_created: (by, text) => `${by} 创建了话题${quoted(text)}`,
  forum_topic_edited: (by) => `${by} 编辑了话题`,
  forum_topic_closed: (by) => `${by} 关闭了话题`,
  forum_topic_reopened: (by) => `${by} 重新打开了话题`,
  video_chat_scheduled: (by) => `${by} 预约了视频聊天`,
  video_chat_started: (by) => `${by} 发起了视频聊天`,
  video_chat_ended: (by) => `${by} 结束了视频聊天`,
  video_chat_participants_invited: (by) => `${by} 邀请成员加入视频聊天`,
  boost_added: (by) => `${by} 助力了聊天`,
  chat_background_set: (by) => `${by} 设置了背景`,
  successful_payment: (by) => `${by} 已付款`,
  gift: (by, text) => (text ? `${by} 送出礼物：${quoted(text)}` : `${by} 送出了礼物`),
} satisfies PartialTexts<typeof English>;

export const things = {
  poll: '投票',
  venue: '地点',
  location: '位置',
  contact: '联系人',
  dice: '骰子',
  game: '游戏',
  story: '动态',
  checklist: '清单',
  invoice: '账单',
  paid_media: '付费内容',
  giveaway: '抽奖',
} satisfies PartialTexts<typeof EnglishThings>;
