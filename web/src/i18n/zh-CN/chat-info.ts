import type { admins as Admins, chatInfo as ChatInfo } from '../en/chat-info.ts';
import type { PartialTexts } from '../messages.ts';
import { number } from './number.ts';

export const chatInfo = {
  show: '聊天详情',
  hide: '隐藏详情',
  about: (title) => `关于 ${title}`,
  id: 'ID',
  kind: '类型',
  kinds: {
    private: '私聊',
    group: '群组',
    supergroup: '超级群组',
    channel: '频道',
  },
  members: '成员',
  storedMessages: '已存消息',
  botHere: '机器人身份',
  migratedTo: '已迁移到',
  asked: '上次刷新',
  refresh: '从 Telegram 刷新',
  refreshed: '聊天信息已刷新',
  neverAsked: '从 Telegram 刷新后即可查看描述、头像、成员和权限。',
  rights: '机器人权限',
  plainMember: '机器人是普通成员，没有管理权限。在 Telegram 中将其设为管理员后才能管理成员。',
  notThere: '机器人已不在此聊天中。',
  has: '有',
  lacks: '无',
  pinned: '置顶消息',
  unpinAll: '取消全部置顶',
  unpinAllTitle: (title) => `取消 ${title} 的全部置顶？`,
  unpinAllHint: '包括此处未存储的消息，对所有成员生效。',
  allUnpinned: '已取消全部置顶',
  noPinned: '没有已知的置顶消息。',
  forget: '清除此聊天',
  forgetHint: '删除此聊天的存储数据。',
  forgetAsk: (title) => `清除 ${title}？`,
  forgetMeans: [
    '将删除此聊天已存储的消息、媒体、警告和统计数据，无法撤销。',
    'Telegram 中不受影响，机器人仍在聊天中。',
    '标签、备注和群发退订会保留；接收日志和发件箱中的条目保留到期满为止。收到下一条消息时，聊天会重新出现，内容为空。',
  ],
  forgetConfirm: '清除聊天',
  forgotten: (title) => `已清除 ${title}`,
  warnings: '警告',
  warnRule: (threshold, then, life) => {
    const first =
      then === '' ? '警告不触发任何操作。' : `累计 ${number(threshold)} 次警告后：${then}。`;
    return `${first}${life === '' ? '警告永不过期。' : `警告在 ${life}后过期。`}`;
  },
  warnActions: {
    none: '无操作',
    mute: '禁言',
    kick: '移出聊天',
    ban: '封禁',
  },
  warnTimed: (action, span) => (span === '' ? `永久${action}` : `${action} ${span}`),
  warnThreshold: '警告上限',
  warnThresholdHint: '0 表示无上限。',
  warnAction: '达到上限时',
  warnActionTime: '时长',
  warnLife: '警告有效期',
  warnSaved: '警告规则已保存',
  change: '修改',
  span: (seconds) => {
    if (seconds % 86_400 === 0) return `${seconds / 86_400} 天`;
    if (seconds % 3_600 === 0) return `${seconds / 3_600} 小时`;
    if (seconds % 60 === 0) return `${seconds / 60} 分钟`;
    return `${seconds} 秒`;
  },
  forever: '永久',
  never: '永不',
  thread: '回复串',
  showThread: '查看回复串',
  hideThread: '关闭回复串',
  threadAlone: '没有回复。',
  threadCount: (count) => `${number(count)} 条消息`,
} satisfies PartialTexts<typeof ChatInfo>;

export const admins = {
  title: '管理员',
  none: '没有管理员。',
  owner: '所有者',
  thisBot: '此机器人',
  rights: (count) => `${number(count)} 项权限`,
  notOurs: '由他人任命，只有任命者或所有者可以更改。',
  add: '添加管理员',
  who: '成员',
  whoHint: '在此聊天中出现过的人，可输入名字或 ID。',
  nobody: '没有匹配的人。',
  appoint: '设为管理员',
  change: '修改权限',
  changeTitle: '修改头衔',
  demote: '撤销权限',
  appointTitle: (name) => `将 ${name} 设为管理员`,
  changeOf: (name) => `${name} 的权限`,
  rightsLabel: '权限',
  rightsHint: '将替换其现有权限。',
  botLacks: '机器人只能授予自己拥有的权限。',
  customTitle: '自定义头衔',
  customTitleHint: '最多 16 个字符，不支持表情符号；留空则无头衔。',
  titleOf: (name) => `${name} 的头衔`,
  appointed: (name) => `${name} 已成为管理员`,
  changed: (name) => `已修改 ${name} 的权限`,
  demoted: (name) => `${name} 已不再是管理员`,
  titled: (name) => `已修改 ${name} 的头衔`,
  cannot: '机器人无法在此添加管理员：',
} satisfies PartialTexts<typeof Admins>;
