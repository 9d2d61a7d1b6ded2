import { capitalized, ended } from '../counting.ts';
import { bots } from './bots.ts';
import { counted } from './counted.ts';

const backend = (host: string): string => (host === '' ? 'Backend' : `Backend ${host}`);

/** `why` and `tried` may be empty. */
const backendAlert = (problem: string, why: string, waiting: string, tried: string): string =>
  [
    ended(why === '' ? problem : `${problem}: ${why}`),
    waiting,
    tried === '' ? '' : `Last attempt ${tried}.`,
  ]
    .filter(Boolean)
    .join(' ');

/** A cause that names the backend becomes a separate sentence. */
const unreached = (host: string, why: string): [problem: string, why: string] =>
  host === '' && why !== '' ? [capitalized(why), ''] : [`${backend(host)} is down`, why];

const updatesWaiting = (count: number): string =>
  count === 0 ? '' : `${counted(count, 'update')} waiting.`;

export const overview = {
  title: 'Overview',
  lead: 'Traffic, health and alerts of all bots.',
  attention: 'Needs attention',
  began: 'Began',
  allWell: 'All is well',
  notKnown: 'Status unknown',
  notKnownHint: 'The service is unreachable. Check that it is running.',
  allRun: 'All bots are running.',
  allAnswer: 'All backends answer.',
  nothingToDo: 'No alerts.',
  unchecked: (count: number) =>
    count === 1 ? '1 backend is not checked yet.' : `${count} backends are not checked yet.`,
  open: 'View',
  enable: 'Enable',
  enableTarget: 'Enable target bot',
  started: 'Starting',
  retryNow: 'Retry now',
  replay: 'Replay',
  dismiss: 'Dismiss',
  showDismissed: (count: number) => `Show ${count} dismissed`,
  showAll: (count: number) => `Show all ${count}`,
  showFewer: 'Show fewer',
  alerts: {
    /** `host` is empty if `why` names it. */
    backendDown: (host: string, why: string, updates: number, tried: string) =>
      backendAlert(...unreached(host, why), updatesWaiting(updates), tried),
    backendRejects: (host: string, why: string, updates: number, tried: string) =>
      backendAlert(`${backend(host)} rejects updates`, why, updatesWaiting(updates), tried),
    chatsRejected: (host: string, why: string, chats: number, tried: string) =>
      backendAlert(
        `${backend(host)} does not accept updates from ${counted(chats, 'chat')}`,
        why,
        'Retrying.',
        tried,
      ),
    backlog: (updates: number) => `Backend is too slow. ${updatesWaiting(updates)}`,
    deadLetters: (updates: number) => `${counted(updates, 'update')} failed after all retries.`,
    readerFailing: (reader: string, code: string, updates: number) =>
      `Reader ${reader} fails (${code}). ${updatesWaiting(updates)} Retrying.`,
    pollingStopped: (updates: number) =>
      `No app has called getUpdates with the bot’s own token for 10 minutes. ${updatesWaiting(updates)} If all apps use their own tokens, turn off “Let apps call getUpdates” in its settings.`,
    appStoppedPolling: (consumer: string, updates: number) =>
      `App “${consumer}” stopped calling getUpdates. ${updatesWaiting(updates)}`,
    unknownSends: (messages: number) =>
      `${counted(messages, 'message')} may not have arrived. Check the chats, then send again or dismiss.`,
    updatesDropped: (reader: string, updates: number) =>
      `Retention removed ${counted(updates, 'update')} before “${reader}” read them.`,
    routeFailing: (target: string, why: string, messages: number) =>
      `A route failed to send ${counted(messages, 'message')} through ${target}. ${why}`,
    routeToDisabled: (target: string) => `A route sends through ${target}, which is disabled.`,
    weakSecret: 'The secret token is easy to guess. Set one of at least 16 characters.',
    webhookMoved:
      'The relay polls this bot, so it removed the webhook of another app. Restore it in Settings.',
    disabled: 'The bot is disabled. It does not receive or send.',
    disabledRoutes: (routes: number) =>
      `The bot is disabled. It does not receive or send, and ${counted(routes, 'route')} to or from it ${routes === 1 ? 'is' : 'are'} inactive.`,
  },
  traffic: 'Messages per second',
  incoming: 'in',
  outgoing: 'out',
  latency: 'Delivery time',
  latencyHint: 'receipt to response',
  median: 'median',
  p95: 'p95',
  backlog: 'Backlog',
  waiting: 'waiting for backends',
  errors: 'Errors per minute',
  deliveries: 'deliveries',
  sends: 'outbox',
  bots: 'Bots by state',
  allBots: (count: string) => `All ${count}`,
  someOf: (some: string, all: string) => `${some} of ${all}`,
  states: bots.conditions,
  backends: 'Healthy backends',
  backendsDown: (count: number) => `${count} down`,
  backendsFailing: (count: number) => `${count} failing`,
  backendsSilent: (count: number) => `${count} without a recent answer`,
  noBots: 'No bots yet',
  noBotsHint: 'Create a practice bot to see the relay at work in one minute.',
  begin: 'Get started',
};

export const settings = {
  title: 'Settings and health',
  lead: 'Health of the service, and settings of this browser.',
  health: 'Health',
  ready: 'Ready',
  notReady: 'Not ready',
  service: 'Service',
  version: (version: string) => `Version ${version}`,
  started: 'started',
  memory: (size: string) => `${size} of memory`,
  live: 'Live connection',
  liveHint: 'The page updates as events happen.',
  database: 'Database',
  databaseKinds: { sqlite: 'SQLite (embedded)', postgres: 'PostgreSQL' },
  databaseHint: (kind: string, size: string) => `${kind}, ${size}`,
  answersIn: (time: string) => `answers in ${time}`,
  disk: 'Disk',
  diskHint: (free: string, all: string) => `${free} free of ${all} on the data disk`,
  diskFine: 'enough space',
  diskLow: 'running low',
  diskAdvice: 'Free some space, or lower RELAY_RETENTION_AGE or RELAY_RETENTION_BYTES.',
  nodes: 'Nodes',
  nodesHint: 'Nodes share the bots. When one stops, the others take over its bots.',
  oneNode: 'Single node. With PostgreSQL, several nodes can share the bots.',
  node: 'Node',
  here: 'this node',
  botsRun: 'Bots',
  lastHeartbeat: 'Last heartbeat',
  retention: 'Retention',
  retentionHint: (age: string, size: string) =>
    `Updates are kept for ${age}, up to ${size} per bot; unread updates for twice that.`,
  retentionRan: 'Last cleanup:',
  retentionLost: (count: number) => `${counted(count, 'unread update')} removed`,
  nothingLost: 'nothing lost',
  backups: 'Backups',
  backupsHint: (every: string, directory: string, count: number) =>
    `Every ${every} to ${directory}; ${counted(count, 'backup')} kept.`,
  backupsOff: 'Set RELAY_BACKUP_DIR to back up the database on a schedule.',
  backupsOfPostgres: 'Back up PostgreSQL with pg_dump or snapshots.',
  backupLast: (size: string) => `Last backup (${size}):`,
  backupNext: 'Next:',
  backupStates: {
    ok: 'verified',
    running: 'in progress',
    none: 'none yet',
    old: 'overdue',
    failed: 'failed',
  },
  sandbox: 'Sandbox',
  sandboxOn: 'You can create practice bots. Set RELAY_SANDBOX=off to turn the sandbox off.',
  sandboxOff: 'Set RELAY_SANDBOX=on to create practice bots.',
  webhooks: 'Webhooks',
  webhooksOn: (url: string) => `Telegram reaches the service at ${url}.`,
  webhooksOff: 'To receive by webhook, set RELAY_PUBLIC_URL to an address Telegram can reach.',
  look: 'This browser',
  theme: 'Theme',
  themeHint: 'Follows the system by default.',
  language: 'Language',
  languageHint: 'Applies to this browser.',
  change: 'Service settings',
  changeHint:
    'Set on the command line, in the environment or in `bot-relay.yaml`, in this order. List them with `bot-relay start --help`; check them with `bot-relay doctor`.',
  api: 'API reference',
  apiHint: 'Everything but the settings of this browser is also available through the API.',
};
