import { ended } from '../counting.ts';
import type { overview as Overview, settings as Settings } from '../en/overview.ts';
import type { PartialTexts } from '../messages.ts';
import { bots } from './bots.ts';
import { number } from './number.ts';

const backend = (host: string): string => (host === '' ? '后端' : `后端 ${host} `);

const backendAlert = (problem: string, why: string, waiting: string, tried: string): string =>
  [
    ended(why === '' ? problem : `${problem}：${why}`, '。'),
    waiting,
    tried === '' ? '' : `上次尝试：${tried}。`,
  ].join('');

const unreached = (host: string, why: string): [problem: string, why: string] =>
  host === '' && why !== '' ? [why, ''] : [`${backend(host)}不可用`, why];

const updatesWaiting = (count: number): string =>
  count === 0 ? '' : `${number(count)} 条更新等待投递。`;

export const overview = {
  title: '概览',
  lead: '所有机器人的流量、运行状况和告警。',
  attention: '需要处理',
  began: '开始于',
  allWell: '一切正常',
  notKnown: '状态未知',
  notKnownHint: '无法连接服务，请确认服务正在运行。',
  allRun: '所有机器人运行正常。',
  allAnswer: '所有后端响应正常。',
  nothingToDo: '没有告警。',
  unchecked: (count) => `${number(count)} 个后端尚未检查。`,
  open: '查看',
  enable: '启用',
  enableTarget: '启用目标机器人',
  started: '启动中',
  retryNow: '立即重试',
  replay: '重放',
  dismiss: '忽略',
  showDismissed: (count) => `显示 ${number(count)} 条已忽略`,
  showAll: (count) => `显示全部 ${number(count)} 条`,
  showFewer: '收起',
  alerts: {
    backendDown: (host, why, updates, tried) =>
      backendAlert(...unreached(host, why), updatesWaiting(updates), tried),
    backendRejects: (host, why, updates, tried) =>
      backendAlert(`${backend(host)}拒收更新`, why, updatesWaiting(updates), tried),
    chatsRejected: (host, why, chats, tried) =>
      backendAlert(
        `${backend(host)}未接受 ${number(chats)} 个聊天的更新`,
        why,
        '正在重试。',
        tried,
      ),
    backlog: (updates) => `后端处理过慢。${updatesWaiting(updates)}`,
    deadLetters: (updates) => `${number(updates)} 条更新多次重试后仍失败。`,
    readerFailing: (reader, code, updates) =>
      `读取器 ${reader} 失败（${code}）。${updatesWaiting(updates)}正在重试。`,
    pollingStopped: (updates) =>
      `10 分钟内没有应用用机器人自己的令牌调用 getUpdates。${updatesWaiting(updates)}如果所有应用都使用自己的令牌，请在机器人设置中关闭“允许应用调用 getUpdates”。`,
    appStoppedPolling: (consumer, updates) =>
      `应用“${consumer}”已停止调用 getUpdates。${updatesWaiting(updates)}`,
    unknownSends: (messages) =>
      `${number(messages)} 条消息可能未送达。请查看聊天，然后重新发送或忽略。`,
    updatesDropped: (reader, updates) =>
      `“${reader}”尚未读取，${number(updates)} 条更新已过保留期被清除。`,
    routeFailing: (target, why, messages) =>
      `路由未能通过 ${target} 发送 ${number(messages)} 条消息。${why}`,
    routeToDisabled: (target) => `路由的目标 ${target} 已停用。`,
    weakSecret: '密钥令牌容易被猜到，请设置至少 16 个字符的令牌。',
    webhookMoved: '服务正在轮询此机器人，因此移除了其他应用的 Webhook。可在“设置”中恢复。',
    disabled: '机器人已停用，不再收发消息。',
    disabledRoutes: (routes) =>
      `机器人已停用，不再收发消息，相关的 ${number(routes)} 条路由不生效。`,
  },
  traffic: '每秒消息数',
  incoming: '接收',
  outgoing: '发送',
  latency: '投递耗时',
  latencyHint: '从收到更新到后端响应',
  median: '中位数',
  p95: 'P95',
  backlog: '积压',
  waiting: '等待后端',
  errors: '每分钟错误数',
  deliveries: '投递',
  sends: '发件箱',
  bots: '机器人状态',
  allBots: (count) => `全部 ${count} 个`,
  someOf: (some, all) => `${some} / ${all}`,
  states: bots.conditions,
  backends: '正常的后端',
  backendsDown: (count) => `${count} 个不可用`,
  backendsFailing: (count) => `${count} 个出错`,
  backendsSilent: (count) => `${count} 个近期无响应`,
  noBots: '还没有机器人',
  noBotsHint: '创建一个测试机器人，一分钟内看到服务运行。',
  begin: '快速开始',
} satisfies PartialTexts<typeof Overview>;

export const settings = {
  title: '设置与状态',
  lead: '服务的运行状况，以及此浏览器的设置。',
  health: '运行状况',
  ready: '就绪',
  notReady: '未就绪',
  service: '服务',
  version: (version) => `版本 ${version}`,
  started: '启动于',
  memory: (size) => `内存 ${size}`,
  live: '实时连接',
  liveHint: '页面随事件实时更新。',
  database: '数据库',
  databaseKinds: { sqlite: 'SQLite（内置）', postgres: 'PostgreSQL' },
  databaseHint: (kind, size) => `${kind}，${size}`,
  answersIn: (time) => `响应时间 ${time}`,
  disk: '磁盘',
  diskHint: (free, all) => `数据盘共 ${all}，可用 ${free}`,
  diskFine: '空间充足',
  diskLow: '空间不足',
  diskAdvice: '请释放空间，或调低 RELAY_RETENTION_AGE 或 RELAY_RETENTION_BYTES。',
  nodes: '节点',
  nodesHint: '各节点分担机器人；某个节点停止后，其机器人由其他节点接管。',
  oneNode: '单节点。使用 PostgreSQL 时可由多个节点分担。',
  node: '节点',
  here: '本节点',
  botsRun: '机器人',
  lastHeartbeat: '上次心跳',
  retention: '数据保留',
  retentionHint: (age, size) => `更新保留 ${age}，每个机器人最多 ${size}；未读更新的保留时间加倍。`,
  retentionRan: '上次清理：',
  retentionLost: (count) => `清除了 ${number(count)} 条未读更新`,
  nothingLost: '没有丢失',
  backups: '备份',
  backupsHint: (every, directory, count) =>
    `每 ${every} 备份到 ${directory}，现有 ${number(count)} 份。`,
  backupsOff: '设置 RELAY_BACKUP_DIR 后可定期备份数据库。',
  backupsOfPostgres: '请使用 pg_dump 或快照备份 PostgreSQL。',
  backupLast: (size) => `上次备份（${size}）：`,
  backupNext: '下次：',
  backupStates: {
    ok: '已校验',
    running: '进行中',
    none: '尚无备份',
    old: '已逾期',
    failed: '失败',
  },
  sandbox: '沙盒',
  sandboxOn: '可以创建测试机器人。设置 RELAY_SANDBOX=off 可关闭沙盒。',
  sandboxOff: '设置 RELAY_SANDBOX=on 后可创建测试机器人。',
  webhooks: 'Webhook',
  webhooksOn: (url) => `Telegram 通过 ${url} 访问服务。`,
  webhooksOff: '要通过 Webhook 接收，请将 RELAY_PUBLIC_URL 设为 Telegram 可访问的地址。',
  look: '此浏览器',
  theme: '主题',
  themeHint: '默认跟随系统。',
  language: '语言',
  languageHint: '仅对此浏览器生效。',
  change: '服务设置',
  changeHint:
    '依次取自命令行、环境变量和 `bot-relay.yaml`。用 `bot-relay start --help` 列出全部设置，用 `bot-relay doctor` 检查设置。',
  api: 'API 参考',
  apiHint: '除本浏览器的设置外，其他内容也可通过 API 使用。',
} satisfies PartialTexts<typeof Settings>;
