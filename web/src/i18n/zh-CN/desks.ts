import type { desks as Desks } from '../en/desks.ts';
import type { PartialTexts } from '../messages.ts';

export const desks = {
  title: '客服台',
  hint: '这些机器人的每位客户在团队论坛中都有一个话题。',
  none: '还没有客服台。',
  add: '添加客服台',
  added: '客服台已添加。',
  addedBut: (problem) => `客服台已添加。${problem}`,
  name: '名称',
  defaultName: '客服',
  forum: '团队论坛',
  forumHint: '开启了话题的群组，客服台机器人须是管理员。',
  deskBot: '客服台机器人',
  deskBotHint: '在论坛中发言。客户无需知道它。',
  bots: '面向客户的机器人',
  botsHint: '将开启聊天管理。只有人工消息才算回复。',
  works: '正常',
  unchecked: '未检查',
  lastCheck: '上次检查',
  waiting: (count) => `${count} 位客户在等待`,
  check: '检查',
  checked: '客服台机器人拥有全部权限。',
  delete: '删除客服台',
  deleteText: '话题和消息会留在 Telegram 中。客户的新消息不再转到那里。',
  deleted: '客服台已删除。',
} satisfies PartialTexts<typeof Desks>;
