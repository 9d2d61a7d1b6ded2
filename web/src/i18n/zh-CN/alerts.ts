import type { AlertParams } from '../../../../src/core/alerts/alerts.ts';
import type { alerts as Alerts } from '../en/alerts.ts';
import type { PartialTexts } from '../messages.ts';
import type { ReasonTexts } from '../reasons.ts';
import { number } from './number.ts';

const because = ({ why = '' }: AlertParams) =>
  why === '' ? '。' : `：${why.replace(/[.。]$/, '')}。`;
const waiting = ({ count = 0 }: AlertParams) =>
  count === 0 ? '' : `${number(count)} 条更新等待投递。`;
const backend = ({ host = '', app }: AlertParams) =>
  `${app === undefined ? '' : `应用 ${app} 的`}后端${host === '' ? '' : ` ${host} `}`;
const inChat = ({ chat_id }: AlertParams) => (chat_id === undefined ? '' : ` 在聊天 ${chat_id} 中`);
const patternOf = ({ app, route_id }: AlertParams) =>
  app === undefined ? `路由 ${route_id} 的正则表达式` : `应用 ${app} 的正则表达式`;
const effectOf = ({ app }: AlertParams) =>
  app === undefined ? '路由不处理这些消息' : '应用会收到这些消息而不经过滤，也不独占它们';
const gigabytes = (bytes = 0) => `${(bytes / 1e9).toFixed(1)} GB`;

const mostUsedBy = ({ app }: AlertParams) => (app === undefined ? '' : `应用 ${app} 使用最多。`);

const sentences = {
  bot_refused: (params) => `未运行${because(params)}`,
  bot_conflict: (params) => `其他客户端正在接收它的更新${because(params)}`,
  bot_trouble: (params) => `收不到更新${because(params)}`,
  backend_down: (params) =>
    `${backend(params)}${params.rejects ? '拒收更新' : '不可用'}${because(params)}${waiting(params)}`,
  chats_in_retry: (params) =>
    `${backend(params)}未接受 ${number(params.count ?? 0)} 个聊天的更新${because(params)}正在重试。`,
  backlog: (params) => `${backend(params)}处理过慢。${waiting(params)}`,
  dead_letters: ({ app, count = 0 }) =>
    `${app === undefined ? '' : `应用 ${app} 的 `}${number(count)} 条更新多次重试后仍失败。`,
  reader_failing: (params) =>
    `读取器 ${params.reader} 失败${because(params)}${waiting(params)}正在重试。`,
  polling_stopped: (params) =>
    params.app === undefined
      ? `10 分钟内没有应用用机器人自己的令牌调用 getUpdates。${waiting(params)}如果所有应用都使用自己的令牌，请在机器人设置中关闭“允许应用调用 getUpdates”。`
      : `应用 ${params.app} 已有 10 分钟未调用 getUpdates。${waiting(params)}`,
  unknown_sends: ({ count = 0 }) => `${number(count)} 条消息可能未送达。请查看聊天，然后重新发送。`,
  updates_dropped: ({ count = 0, reader }) =>
    `${reader} 尚未读取，${number(count)} 条更新已过保留期被清除。`,
  desk_unanswered: ({ count = 0, minutes = 0, people = '' }) =>
    `${count} 位客户超过 ${minutes} 分钟未获答复：${people}。`,
  desk_waiting: (params) => `${params.count ?? 0} 位客户的消息在等待客服台${because(params)}`,
  route_failing: (params) =>
    `路由 ${params.route_id} 未能发送 ${number(params.count ?? 0)} 条消息${because(params)}`,
  route_topic_gone: (params) =>
    `路由 ${params.route_id} 使用的聊天 ${params.chat_id} 的话题 ${params.message_thread_id} 已不存在：话题已被删除或话题功能已关闭。`,
  route_to_disabled: ({ route_id }) => `路由 ${route_id} 指向已停用的机器人。`,
  weak_secret: () => '密钥令牌容易被猜到，请设置至少 16 个字符的令牌。',
  webhook_moved: () => '服务正在轮询此机器人，因此移除了其他应用的 Webhook。可在机器人设置中恢复。',
  bot_disabled: ({ count = 0 }) =>
    `机器人已停用，不再收发消息${count === 0 ? '' : `，相关的 ${number(count)} 条路由不生效`}。`,
  app_not_seen: ({ app, minutes = 0 }) => `应用 ${app} 已有 ${number(minutes)} 分钟没有调用。`,
  app_rate_limited: (params) =>
    `Telegram 正在限制应用 ${params.app}${inChat(params)} 的请求频率。该机器人的所有应用共用此限额。`,
  pattern_undecided: (params) =>
    `${patternOf(params)}匹配某些消息耗时过长：${effectOf(params)}。请简化。`,
  reader_lag: ({ reader, count = 0 }) => `读取器 ${reader} 落后 ${number(count)} 条更新。`,
  failed_sends: ({ count = 0 }) => `一小时内 ${number(count)} 次发送失败。`,
  broadcast_paused: (params) => `${number(params.count ?? 0)} 个群发已暂停${because(params)}`,
  question_call_failed: ({ count = 0 }) => `${number(count)} 个提问的回调地址无法调用。`,
  scheduled_held: ({ count = 0 }) => `${number(count)} 条定时消息到期未发送。`,
  chat_flood_wait: (params) =>
    `Telegram 在 ${number(params.minutes ?? 0)} 分钟内不接受发往聊天 ${params.chat_id} 的消息。${mostUsedBy(params)}`,
  certificate_expiring: ({ host, days = 0 }) =>
    days < 0 ? `${host} 的证书已过期。` : `${host} 的证书将在 ${number(days)} 天后到期。`,
  disk_low: ({ free_bytes, total_bytes }) =>
    `数据盘空间不足：共 ${gigabytes(total_bytes)}，可用 ${gigabytes(free_bytes)}。`,
  database_unreachable: (params) => `数据库没有响应${because(params)}`,
  node_lost: ({ node }) => `节点 ${node} 已停止发送心跳。`,
  model_budget: () => '语言模型的每月额度已用尽，改由离线排序决定。',
  backup_old: (params) =>
    params.days === undefined
      ? `尚无备份${because(params)}`
      : `上次备份已过去 ${number(params.days)} 天${because(params)}`,
  channel_failing: (params) => `告警渠道 ${params.channel_id} 失败${because(params)}`,
} satisfies PartialTexts<typeof Alerts>['sentences'];

/** Sentences of resolved alerts. */
const pastSentences = {
  bot_refused: () => '机器人曾停止运行。',
  bot_conflict: () => '其他客户端曾接收它的更新。',
  bot_trouble: () => '曾收不到更新。',
  backend_down: (params) => `${backend(params)}曾不可用。`,
  chats_in_retry: (params) => `${backend(params)}曾未接受更新。`,
  backlog: (params) => `${backend(params)}曾处理过慢。`,
  dead_letters: sentences.dead_letters,
  reader_failing: ({ reader }) => `读取器 ${reader} 曾失败。`,
  polling_stopped: ({ app }) =>
    app === undefined
      ? '曾有 10 分钟没有应用调用 getUpdates。'
      : `应用 ${app} 曾有 10 分钟未调用 getUpdates。`,
  unknown_sends: sentences.unknown_sends,
  updates_dropped: sentences.updates_dropped,
  desk_unanswered: ({ count = 0, minutes = 0 }) =>
    `${count} 位客户曾超过 ${minutes} 分钟未获答复。`,
  desk_waiting: ({ count = 0 }) => `${count} 位客户的消息曾在等待客服台。`,
  route_failing: ({ route_id }) => `路由 ${route_id} 曾无法发送。`,
  route_topic_gone: (params) =>
    `路由 ${params.route_id} 使用的聊天 ${params.chat_id} 的话题 ${params.message_thread_id} 曾不可用。`,
  route_to_disabled: ({ route_id }) => `路由 ${route_id} 曾指向已停用的机器人。`,
  weak_secret: () => '密钥令牌曾容易被猜到。',
  webhook_moved: sentences.webhook_moved,
  bot_disabled: () => '机器人曾停用。',
  app_not_seen: ({ app, minutes = 0 }) => `应用 ${app} 曾有 ${number(minutes)} 分钟没有调用。`,
  app_rate_limited: (params) => `Telegram 曾限制应用 ${params.app}${inChat(params)} 的请求频率。`,
  pattern_undecided: (params) => `${patternOf(params)}匹配某些消息曾耗时过长。`,
  reader_lag: ({ reader }) => `读取器 ${reader} 曾落后。`,
  failed_sends: sentences.failed_sends,
  broadcast_paused: ({ count = 0 }) => `曾有 ${number(count)} 个群发暂停。`,
  question_call_failed: sentences.question_call_failed,
  scheduled_held: sentences.scheduled_held,
  chat_flood_wait: (params) =>
    `Telegram 曾不接受发往聊天 ${params.chat_id} 的消息。${mostUsedBy(params)}`,
  certificate_expiring: ({ host, days = 0 }) =>
    days < 0 ? `${host} 的证书曾过期。` : `${host} 的证书曾即将到期。`,
  disk_low: () => '数据盘空间曾不足。',
  database_unreachable: () => '数据库曾没有响应。',
  node_lost: ({ node }) => `节点 ${node} 曾停止发送心跳。`,
  model_budget: () => '语言模型的每月额度曾用尽。',
  backup_old: ({ days }) => (days === undefined ? '当时没有备份。' : '当时的备份过旧。'),
  channel_failing: ({ channel_id }) => `告警渠道 ${channel_id} 曾失败。`,
} satisfies PartialTexts<typeof Alerts>['pastSentences'];

export const alerts = {
  title: '告警',
  lead: '出现过的问题，以及通知了谁。',
  channels: '渠道',
  channelsHint: '接收告警的聊天和 Webhook。某个渠道不可用时，改用下一个。',
  add: '添加渠道',
  noChannels: '还没有渠道。将告警发送到 Telegram 聊天或 Webhook，无需一直盯着页面。',
  types: { telegram: 'Telegram 聊天', webhook: 'Webhook' },
  typeHints: {
    telegram: '由你的一个机器人发送消息，随后更新消息并附上按钮。',
    webhook: '服务向一个 URL 发送已签名的事件（Standard Webhooks）。',
  },
  by: (bot) => `通过 ${bot}`,
  topic: (id) => `话题 ${id}`,
  chatOf: (id) => `聊天 ${id}`,
  after: (time) => `${time}后发送`,
  atOnce: '立即发送',
  quiet: (start, end, zone) => `免打扰 ${start}–${end}（${zone}）`,
  someKinds: (count) => `${number(count)} 种类型`,
  allKinds: '所有类型',
  someBots: (count) => `${number(count)} 个机器人`,
  allBots: '所有机器人',
  people: (count) => `${number(count)} 人可用按钮`,
  noPeople: '无按钮',
  states: {
    ok: '正常',
    unused: '尚未测试',
    failing: '失败',
    botDisabled: '机器人已停用',
    botStopped: '机器人未运行',
    disabled: '已停用',
  },
  lastSent: '上次发送',
  failedAt: '上次失败',
  test: '发送测试',
  tested: (name) => `测试已送达：${name}`,
  notTested: (name) => `测试未送达：${name}`,
  editTitle: (name) => `编辑 ${name}`,
  type: '发送到',
  bot: '机器人',
  botHint: '机器人须在该聊天中；私聊须由对方先启动机器人。',
  chat: '聊天',
  chatHint: '选择机器人已知的聊天，或输入聊天 ID。',
  chatsHidden: '此机器人未开启聊天管理，请输入聊天 ID。',
  topicId: '话题 ID（可选）',
  topicHint: '用于开启了话题的群组。',
  url: 'URL',
  urlHint: '接收 JSON 格式的 POST 请求。',
  allowed: '可以点按按钮的人',
  allowedHint: '他们可以在聊天中重试、重放和静音。未指定时，消息不带按钮。',
  nobody: '无人',
  severity: '级别',
  severities: { info: '所有级别', warning: '警告和严重', critical: '仅严重' },
  delay: '延迟（秒）',
  delayHint: '在此之前结束的问题不会发送。',
  more: '更多设置',
  kinds: '类型',
  kindsHint: '留空表示全部。',
  bots: '机器人',
  botsHint: '留空表示所有机器人和服务本身。',
  quietHours: '免打扰时段',
  quietHint: '新告警等到时段结束后发送。',
  quietStart: '从',
  quietEnd: '到',
  timezone: '时区',
  added: (name) => `已添加 ${name}。请发送测试进行检查。`,
  secretTitle: '已添加 Webhook',
  secretOnce: '请立即复制签名密钥，它只显示一次。',
  secret: '签名密钥',
  secretCopied: '我已复制',
  deleteAsk: (name) => `删除 ${name}？`,
  deleteMeans: '此渠道不再接收告警。已发送的消息保持不变。',
  deleteDo: '删除渠道',
  openTitle: '未解决的告警',
  noneOpen: '没有未解决的告警。',
  resolvedTitle: '已解决的告警',
  resolvedHint: '保留 30 天。',
  noneResolved: '没有已解决的告警。',
  service: '服务',
  severityOf: { info: '信息', warning: '警告', critical: '严重' },
  resolved: '已解决',
  resolvedAfter: (time) => `${time}后解决`,
  opened: '开始于',
  times: (count) => `${number(count)} 次`,
  acknowledge: '认领',
  acknowledgedBy: (name, time) => `${name} 已于 ${time} 认领`,
  alreadyHas: (name) => `${name} 已在处理。`,
  takeBack: '取消认领',
  muteFor: (time) => `静音 ${time}`,
  unmute: '取消静音',
  mutedUntil: (time, name) => `静音至 ${time}${name === '' ? '' : `（${name}）`}`,
  did: {
    retry: (name, time) => `${name} 于 ${time} 重试`,
    replay: (name, time) => `${name} 于 ${time} 重新投递`,
    enable_bot: (name, time) => `${name} 于 ${time} 启用`,
    enable_target: (name, time) => `${name} 于 ${time} 启用`,
  },
  sent: { sending: '发送中', sent: '已发送', failed: '失败', skipped: '未使用' },
  notSent: '未发送到任何渠道。',
  usedInstead: (name) => `已改为发送到 ${name}。`,
  usedNone: '没有其他可用的渠道。',
  ownBot: (name) => `此告警与该渠道的机器人有关，已改为发送到 ${name}。`,
  deletedChannel: (id) => `已删除的渠道 ${id}`,
  openBot: '查看机器人',
  showChat: '查看聊天',
  showUpdate: '查看更新',
  lastAttempt: (ago) => `上次尝试：${ago}。`,
  offer: '在 Telegram 中接收告警',
  offerHint: '需要处理时，机器人会通知你。',
  offerDo: '设置',
  kindNames: {
    bot_refused: '机器人未运行',
    bot_conflict: '其他客户端在轮询',
    bot_trouble: '机器人收不到更新',
    backend_down: '后端不可用',
    chats_in_retry: '更新未被接受',
    backlog: '后端处理过慢',
    dead_letters: '死信',
    reader_failing: '读取器失败',
    polling_stopped: '应用停止轮询',
    unknown_sends: '消息结果未知',
    updates_dropped: '未读更新被清除',
    desk_unanswered: '客户在等待答复',
    desk_waiting: '客服台无法写入',
    route_failing: '路由失败',
    route_topic_gone: '路由的话题已不存在',
    route_to_disabled: '路由指向已停用的机器人',
    weak_secret: '密钥令牌过弱',
    webhook_moved: 'Webhook 已移除',
    bot_disabled: '机器人已停用',
    app_not_seen: '应用无调用',
    app_rate_limited: '应用被限流',
    pattern_undecided: '正则表达式过慢',
    reader_lag: '读取器落后',
    failed_sends: '发送失败',
    broadcast_paused: '群发已暂停',
    question_call_failed: '答复未送达',
    scheduled_held: '定时消息未发送',
    chat_flood_wait: '聊天需等待',
    certificate_expiring: '证书即将到期',
    disk_low: '磁盘空间不足',
    database_unreachable: '数据库无法连接',
    node_lost: '节点失联',
    model_budget: '模型额度用尽',
    backup_old: '备份逾期',
    channel_failing: '告警渠道失败',
  },
  sentences,
  pastSentences,
} satisfies PartialTexts<typeof Alerts>;

export const alertReasons = {
  no_open_alert: ({ alert_id }) => `告警 ${alert_id} 已关闭。`,
  no_such_alert_channel: ({ channel_id }) => `找不到告警渠道 ${channel_id}。`,
  names_no_channel: '没有此告警渠道',
  too_many_alert_channels: ({ most }) => `最多只能有 ${most} 个告警渠道，请先删除一个。`,
  channel_field_needed: '必填',
  channel_field_of_other: '不适用于此类渠道',
  not_a_timezone: '须为 IANA 时区，例如 Europe/Berlin',
  quiet_hours_empty: '结束须与开始不同',
  alert_bot_disabled: ({ bot_id }) => `机器人 ${bot_id} 已停用。`,
  alert_bot_refused: ({ bot_id }) => `Telegram 拒绝机器人 ${bot_id} 的令牌。`,
  alert_not_sent: ({ seconds }) => `${seconds} 秒内未发送。`,
} satisfies Partial<ReasonTexts>;
