import type { inbox as Inbox, notifications as Notifications } from '../en/inbox.ts';
import type { PartialTexts } from '../messages.ts';

export const inbox = {
  label: '会话',
  views: { waiting: '等待中', mine: '我的', all: '全部' },
  longest: '最长等待：',
  filters: '筛选',
  noFilters: '清除筛选',
  tag: '标签',
  onlyTopic: '列表中只显示此话题',
  anyTopic: '显示所有话题',
  assignee: '负责人',
  nobody: '无人',
  me: '我',
  unread: '等待回复，未读',
  empty: '没有等待的会话',
  emptyHint: '有人写信时，会话会显示在这里。',
  emptyMine: '您没有会话',
  emptyMineHint: '将会话分配给自己后，会显示在这里。',
  acts: { take: '分配给我', snooze: '推迟一小时', done: '标记为完成' },
  writing: (names) => `${names} 正在输入…`,
  taken: (name) => `此会话由 ${name} 负责。`,
  backendDown: '此机器人的后端不可用，消息正在等待。您可以在此回复。',
  nextChat: '下一个或上一个聊天或条目',
  answer: '撰写回复',
  ofChats: (number) => `${number} 个等待中`,
  ofAlerts: (number) => `${number} 个未解决`,
} satisfies PartialTexts<typeof Inbox>;

export const notifications = {
  title: '通知',
  hint: '您不在看页面时，此浏览器会提醒您。请保持一个管理页面标签页打开。',
  denied: '此网站的通知已被阻止。请在浏览器设置中允许。',
  missing: '此处浏览器无法显示通知。请通过 HTTPS 打开管理页面。',
  yours: '您的一个会话正在等待',
  kinds: {
    critical: '严重告警',
    alerts: '其他告警',
    waiting: '等待中的会话',
    mine: '我的会话',
  },
  kindHints: {
    critical: '例如后端无法连接。',
    alerts: '警告和信息。',
    waiting: '又有人等待回复时。',
    mine: '您负责的会话等待回复时。',
  },
} satisfies PartialTexts<typeof Notifications>;
