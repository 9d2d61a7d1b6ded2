import type { inbox as Inbox } from '../en/inbox.ts';
import type { PartialTexts } from '../messages.ts';

export const inbox = {
  label: '会话',
  views: { waiting: '等待中', mine: '我的', all: '全部' },
  longest: '最长等待：',
  filters: '筛选',
  noFilters: '清除筛选',
  tag: '标签',
  assignee: '负责人',
  nobody: '无人',
  me: '我',
  unread: '等待回复，未读',
  empty: '没有等待的会话',
  emptyHint: '有人写信时，会话会显示在这里。',
  acts: { take: '分配给我', snooze: '推迟一小时', done: '标记为完成' },
  writing: (names) => `${names} 正在输入…`,
  taken: (name) => `此会话由 ${name} 负责。`,
  nextChat: '下一个或上一个聊天',
  answer: '撰写回复',
  ofChats: (number) => `${number} 个等待中`,
  ofAlerts: (number) => `${number} 个未解决`,
} satisfies PartialTexts<typeof Inbox>;
