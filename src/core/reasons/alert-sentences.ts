/* The sentences of alerts. The kind is the code. */
import type { AlertKind, AlertParams } from '../alerts/alerts.ts';

type Sentence = (params: AlertParams) => string;

const counted = (count = 0, one: string) =>
  `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`;
const because = ({ why = '' }: AlertParams) =>
  why === '' ? '.' : `: ${why.replace(/\.$/, '')}${why.endsWith('?') ? '' : '.'}`;
const waiting = ({ count = 0 }: AlertParams) =>
  count === 0 ? '' : ` ${counted(count, 'update')} waiting.`;
const backend = ({ host = '', app }: AlertParams) =>
  `Backend${host === '' ? '' : ` ${host}`}${app === undefined ? '' : ` of app ${app}`}`;
const channel = ({ channel_id, host }: AlertParams) =>
  `Alert channel ${channel_id}${host === undefined ? '' : ` (${host})`}`;
const inChat = ({ chat_id }: AlertParams) => (chat_id === undefined ? '' : ` in chat ${chat_id}`);
const patternOf = ({ app, route_id }: AlertParams) =>
  app === undefined ? `The pattern of route ${route_id}` : `The pattern of app ${app}`;
const effectOf = ({ app }: AlertParams) =>
  app === undefined
    ? 'the route does not act on them'
    : 'the app gets them unfiltered and claims none of them';
const gigabytes = (bytes = 0) => `${(bytes / 1e9).toFixed(1)} GB`;

/** The sentence of each kind, without the name of the bot. */
export const alertSentences: Record<AlertKind, Sentence> = {
  bot_refused: (params) => `Not running${because(params)}`,
  bot_conflict: (params) => `Another client receives its updates${because(params)}`,
  bot_trouble: (params) => `Receives no updates${because(params)}`,
  backend_down: (params) => `${backend(params)} is down${because(params)}${waiting(params)}`,
  chats_in_retry: (params) =>
    `${backend(params)} does not accept updates from ${counted(params.count, 'chat')}${because(params)} Retrying.`,
  backlog: (params) => `${backend(params)} is too slow.${waiting(params)}`,
  dead_letters: ({ app, count }) =>
    `${counted(count, 'update')}${app === undefined ? '' : ` of app ${app}`} failed after all retries.`,
  reader_failing: (params) => `Reader ${params.reader} fails${because(params)}${waiting(params)}`,
  polling_stopped: (params) =>
    `${params.app === undefined ? 'No app' : `App ${params.app}`} has ${params.app === undefined ? '' : 'not '}called getUpdates for 10 minutes.${waiting(params)}`,
  unknown_sends: ({ count }) => `${counted(count, 'message')} may not have arrived.`,
  updates_dropped: ({ count, reader }) =>
    `Retention removed ${counted(count, 'update')} before ${reader} read them.`,
  route_failing: (params) =>
    `Route ${params.route_id} failed to send ${counted(params.count, 'message')}${because(params)}`,
  route_to_disabled: ({ route_id }) => `Route ${route_id} uses a disabled bot.`,
  weak_secret: () => 'The secret token is easy to guess. Set one of at least 16 characters.',
  webhook_moved: () => 'The relay removed the webhook of another app.',
  bot_disabled: ({ count = 0 }) =>
    `The bot is disabled.${count === 0 ? '' : ` ${counted(count, 'route')} inactive.`}`,
  app_not_seen: ({ app, minutes }) =>
    `App ${app} has not called for ${counted(minutes, 'minute')}.`,
  app_rate_limited: (params) =>
    `App ${params.app} is being rate limited by Telegram${inChat(params)}. All apps of the bot share the limit.`,
  pattern_undecided: (params) =>
    `${patternOf(params)} takes too long for some messages: ${effectOf(params)}. Make it simpler.`,
  reader_lag: ({ reader, count }) => `Reader ${reader} is ${counted(count, 'update')} behind.`,
  failed_sends: ({ count }) => `${counted(count, 'send')} failed within an hour.`,
  certificate_expiring: ({ host, days = 0 }) =>
    days < 0
      ? `The certificate of ${host} has expired.`
      : `The certificate of ${host} expires in ${counted(days, 'day')}.`,
  disk_low: ({ free_bytes, total_bytes }) =>
    `The data disk is almost full: ${gigabytes(free_bytes)} of ${gigabytes(total_bytes)} free.`,
  database_unreachable: (params) => `The database does not answer${because(params)}`,
  node_lost: ({ node }) => `Node ${node} stopped sending heartbeats.`,
  model_budget: () =>
    'The monthly limit of the language model is used up. The offline ranking decides.',
  backup_old: (params) =>
    params.days === undefined
      ? `There is no backup yet${because(params)}`
      : `The last backup is ${counted(params.days, 'day')} old${because(params)}`,
  channel_failing: (params) => `${channel(params)} fails${because(params)}`,
};

/** The sentences of resolved alerts. Alerts about one-time events keep their sentence. */
export const pastAlertSentences: Record<AlertKind, Sentence> = {
  ...alertSentences,
  bot_refused: () => 'Was not running.',
  bot_conflict: () => 'Another client received its updates.',
  bot_trouble: () => 'Received no updates.',
  backend_down: (params) => `${backend(params)} was down.`,
  chats_in_retry: (params) => `${backend(params)} did not accept updates.`,
  backlog: (params) => `${backend(params)} was too slow.`,
  reader_failing: ({ reader }) => `Reader ${reader} failed.`,
  polling_stopped: ({ app }) =>
    `${app === undefined ? 'No app had' : `App ${app} had not`} called getUpdates for 10 minutes.`,
  route_failing: ({ route_id }) => `Route ${route_id} failed to send.`,
  route_to_disabled: ({ route_id }) => `Route ${route_id} used a disabled bot.`,
  weak_secret: () => 'The secret token was easy to guess.',
  bot_disabled: () => 'The bot was disabled.',
  app_not_seen: ({ app, minutes }) =>
    `App ${app} had not called for ${counted(minutes, 'minute')}.`,
  app_rate_limited: (params) => `App ${params.app} was rate limited by Telegram${inChat(params)}.`,
  pattern_undecided: (params) => `${patternOf(params)} took too long for some messages.`,
  reader_lag: ({ reader }) => `Reader ${reader} was behind.`,
  certificate_expiring: ({ host, days = 0 }) =>
    `The certificate of ${host} ${days < 0 ? 'had expired' : 'was about to expire'}.`,
  disk_low: () => 'The data disk was almost full.',
  database_unreachable: () => 'The database did not answer.',
  node_lost: ({ node }) => `Node ${node} had stopped sending heartbeats.`,
  model_budget: () => 'The monthly limit of the language model was used up.',
  backup_old: ({ days }) =>
    days === undefined ? 'There was no backup.' : 'The backup was too old.',
  channel_failing: (params) => `${channel(params)} failed.`,
};

/** Returns the sentence of an alert, with the name of its bot. */
export function alertText({
  kind,
  params,
  resolvedAt = 0,
}: {
  kind: AlertKind;
  params: AlertParams;
  resolvedAt?: number;
}): string {
  const sentence = (resolvedAt === 0 ? alertSentences : pastAlertSentences)[kind](params);
  return params.bot === undefined ? sentence : `${params.bot}: ${sentence}`;
}
