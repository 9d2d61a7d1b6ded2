import { type AlertKindFacts, because, counted, type Sentence, waiting } from './alert-kind.ts';

const dropped: Sentence = ({ count, reader }) =>
  `Retention removed ${counted(count, 'update')} before ${reader} read them.`;
const inChat: Sentence = ({ chat_id }) => (chat_id === undefined ? '' : ` in chat ${chat_id}`);
const patternOf: Sentence = ({ app, route_id }) =>
  app === undefined ? `The pattern of route ${route_id}` : `The pattern of app ${app}`;

/** Kinds about the readers of the log, and about apps. */
export const readerAlertKinds = {
  reader_failing: {
    severity: 'critical',
    found: 'live',
    subject: 'reader',
    icon: 'warn',
    page: 'deliveries',
    label: 'Reader fails',
    present: (params) =>
      `Reader ${params.reader} fails${because(params)}${waiting(params)} Retrying.`,
    past: ({ reader }) => `Reader ${reader} failed.`,
    when: 'a reader cannot continue; `text` is the system error code, such as `ENOSPC` (disk full) or `EACCES` (no permission)',
    helps: 'free space, or make the directory writable; it retries on its own',
  },
  polling_stopped: {
    severity: 'warning',
    found: 'live',
    subject: 'reader',
    icon: 'down',
    page: 'deliveries',
    label: 'App stopped polling',
    present: (params) =>
      params.app === undefined
        ? `No app has called getUpdates with the bot’s own token for 10 minutes.${waiting(params)} If all apps use their own tokens, turn off “Let apps call getUpdates” in its settings.`
        : `App ${params.app} has not called getUpdates for 10 minutes.${waiting(params)}`,
    past: ({ app }) =>
      `${app === undefined ? 'No app had' : `App ${app} had not`} called getUpdates for 10 minutes.`,
    when: "an app has unread updates and has made no call for ten minutes (with the bot's own token: no `getUpdates`). Apps that never connected do not count",
    helps:
      'start the app, or [delete it](apps.md). For the reader `pull`, if all apps use their own tokens, turn off `long_poll_enabled`',
  },
  updates_dropped: {
    severity: 'warning',
    found: 'live',
    subject: 'reader',
    icon: 'trash',
    page: 'deliveries',
    canBeDismissed: true,
    label: 'Unread updates removed',
    present: dropped,
    past: dropped,
    when: 'within a day, retention removed updates that a reader had not read',
    helps: 'a faster reader, longer retention',
  },
  reader_lag: {
    severity: 'warning',
    found: 'watched',
    subject: 'reader',
    icon: 'ledger',
    page: 'log',
    label: 'Reader behind',
    present: ({ reader, count }) => `Reader ${reader} is ${counted(count, 'update')} behind.`,
    past: ({ reader }) => `Reader ${reader} was behind.`,
    when: 'a reader is more than `RELAY_ALERT_READER_LAG` (10,000) updates behind, and no other alert says why',
    helps: 'a faster reader',
  },
  app_not_seen: {
    severity: 'warning',
    found: 'watched',
    subject: 'app',
    icon: 'down',
    page: 'apps',
    label: 'App not seen',
    present: ({ app, minutes }) => `App ${app} has not called for ${counted(minutes, 'minute')}.`,
    past: ({ app, minutes }) => `App ${app} had not called for ${counted(minutes, 'minute')}.`,
    when: 'an app with its own token that polls has made no call for `RELAY_ALERT_APP_NOT_SEEN` (30 minutes). Apps that never connected do not count',
    helps: 'start the app, or [delete it](apps.md)',
  },
  app_rate_limited: {
    severity: 'warning',
    found: 'watched',
    subject: 'app',
    icon: 'pause',
    page: 'apps',
    label: 'App rate limited',
    present: (params) =>
      `App ${params.app} is being rate limited by Telegram${inChat(params)}. All apps of the bot share the limit.`,
    past: (params) => `App ${params.app} was rate limited by Telegram${inChat(params)}.`,
    when: "Telegram answered five calls of an app through the gateway with 429 within minutes. All apps of a bot share Telegram's limits, so another app may be the cause. It ends after five minutes without one",
    helps: 'send less often, or to fewer chats at once',
  },
  pattern_undecided: {
    severity: 'warning',
    found: 'watched',
    subject: 'app',
    icon: 'search',
    page: 'apps',
    label: 'Pattern too slow',
    present: (params) =>
      `${patternOf(params)} takes too long for some messages: ${params.app === undefined ? 'the route does not act on them' : 'the app gets them unfiltered and claims none of them'}. Make it simpler.`,
    past: (params) => `${patternOf(params)} took too long for some messages.`,
    when: "the pattern of an app's filter or of a route took too long for a message and was left [undecided](apps.md#limits-and-errors). It ends five minutes after the last one",
    helps: 'a simpler pattern',
  },
} as const satisfies Record<string, AlertKindFacts>;
