import { type AlertKindFacts, because, counted, type Sentence } from './alert-kind.ts';

const unknown: Sentence = ({ count }) =>
  `${counted(count, 'message')} may not have arrived. Check the chats, then send again.`;
const failed: Sentence = ({ count }) => `${counted(count, 'send')} failed within an hour.`;

const mostUsedBy: Sentence = ({ app }) => (app === undefined ? '' : ` App ${app} used it most.`);

/** Kinds about what bots send, by themselves or through routes. */
export const sendKinds = {
  unknown_sends: {
    severity: 'warning',
    found: 'live',
    icon: 'send',
    page: 'sends',
    canBeDismissed: true,
    label: 'Messages with unknown outcome',
    present: unknown,
    past: unknown,
    when: 'within a day, a connection broke after a send was written, Telegram failed (5xx), or the service crashed during a send',
    helps: "check the chat, then send again: on the bot's page, or `POST /api/outbox/send-again`",
  },
  failed_sends: {
    severity: 'warning',
    found: 'watched',
    icon: 'send',
    page: 'sends',
    label: 'Failed sends',
    present: failed,
    past: failed,
    when: 'five sends of a bot failed within an hour',
    helps: "see why: on the bot's page, or `bot-relay outbox`",
  },
  broadcast_paused: {
    severity: 'warning',
    found: 'live',
    icon: 'send',
    page: 'sends',
    label: 'Broadcast paused',
    present: (params) => `${counted(params.count, 'broadcast')} paused${because(params)}`,
    past: ({ count }) => `${counted(count, 'broadcast')} paused.`,
    when: 'a broadcast paused by itself: too many chats have blocked the bot, the bot was disabled, Telegram refused its token, or it stood still for a day',
    helps: 'see its results, then resume or cancel it: `bot-relay broadcasts`',
  },
  question_call_failed: {
    severity: 'warning',
    found: 'live',
    icon: 'send',
    page: 'sends',
    canBeDismissed: true,
    label: 'Answer not delivered',
    present: ({ count }) => `${counted(count, 'callback URL')} of questions could not be called.`,
    past: ({ count }) => `${counted(count, 'callback URL')} of questions could not be called.`,
    when: 'a question ended within a day, and its `callback_url` did not take the answer in any of the retries. `text` says why',
    helps:
      'correct the address; read the answers with `GET /api/ask/list` or `bot-relay questions list --all`',
  },
  scheduled_held: {
    severity: 'warning',
    found: 'live',
    icon: 'send',
    page: 'sends',
    label: 'Scheduled messages held',
    present: ({ count }) => `${counted(count, 'scheduled message')} due but not sent.`,
    past: ({ count }) => `${counted(count, 'scheduled message')} due but not sent.`,
    when: 'a scheduled message is due, and its bot is disabled, it was due more than a day ago, or a backup from before was restored',
    helps: 'enable the bot; or set a new time or cancel: in the chat, or `bot-relay scheduled`',
  },
  chat_flood_wait: {
    severity: 'warning',
    found: 'watched',
    subject: 'chat_id',
    icon: 'send',
    page: 'apps',
    label: 'Chat has to wait',
    present: (params) =>
      `Telegram takes no messages for chat ${params.chat_id} for ${counted(params.minutes, 'minute')}.${mostUsedBy(params)}`,
    past: (params) => `Telegram took no messages for chat ${params.chat_id}.${mostUsedBy(params)}`,
    when: 'Telegram answered 429, and a chat has to wait for more than a minute',
    helps: 'turn on `pacing` for the app that used the chat most, and for others that write there',
  },
  desk_waiting: {
    severity: 'critical',
    found: 'watched',
    subject: 'desk_id',
    icon: 'send',
    page: 'desks',
    label: 'Desk cannot write',
    present: (params) =>
      `What ${counted(params.count, 'customer')} wrote waits for the desk${because(params)}`,
    past: ({ count }) => `What ${counted(count, 'customer')} wrote waited for the desk.`,
    when: 'Telegram refuses what a desk bot does in its forum, so that messages of customers wait. `why` says which right is missing',
    helps: 'give the desk bot its rights in the forum, then `POST /api/desks/check`',
  },
  desk_unanswered: {
    severity: 'warning',
    found: 'watched',
    subject: 'desk_id',
    icon: 'send',
    page: 'desks',
    label: 'Customers wait for an answer',
    present: ({ count, minutes, people }) =>
      `${counted(count, 'customer')} of the desk without an answer for more than ${counted(minutes, 'minute')}${people === undefined ? '' : `: ${people}`}.`,
    past: ({ count, minutes }) =>
      `${counted(count, 'customer')} of the desk had no answer for more than ${counted(minutes, 'minute')}.`,
    when: 'customers of a [desk](desk.md) wait for an answer longer than its `unanswered_minutes`, within its working hours. `params.chats` names the first five, and since when they wait',
    helps: 'answer in the topic or on the Chats page; snooze or finish what needs no answer',
  },
  route_failing: {
    severity: 'warning',
    found: 'live',
    subject: 'route_id',
    icon: 'route',
    page: 'routes',
    canBeDismissed: true,
    label: 'Route fails',
    present: (params) =>
      `Route ${params.route_id} failed to send ${counted(params.count, 'message')}${because(params)}`,
    past: ({ route_id }) => `Route ${route_id} failed to send.`,
    when: "within a day, a route's sends were refused (`text` says why), and none has succeeded since",
    helps: "correct the route's chat, or add its bot to the chat",
  },
  route_topic_gone: {
    severity: 'warning',
    found: 'live',
    subject: 'route_id',
    icon: 'route',
    page: 'routes',
    label: 'Topic of a route is gone',
    present: (params) =>
      `Topic ${params.message_thread_id} of chat ${params.chat_id} in route ${params.route_id} is gone: it was deleted, or topics were switched off.`,
    past: (params) =>
      `Topic ${params.message_thread_id} of chat ${params.chat_id} in route ${params.route_id} was gone.`,
    when: 'a route names a topic into which Telegram refuses messages of its bot. A topic that the route only reads counts until a message arrives in it',
    helps: 'choose another topic for the route, or switch topics on',
  },
  route_to_disabled: {
    severity: 'info',
    found: 'live',
    subject: 'route_id',
    icon: 'route',
    page: 'routes',
    action: 'enable_target',
    label: 'Route to a disabled bot',
    present: ({ route_id }) => `Route ${route_id} uses a disabled bot.`,
    past: ({ route_id }) => `Route ${route_id} used a disabled bot.`,
    when: 'a route leads to a disabled bot. Keys and channels that get the alert about that bot do not get this one',
    helps: 'have the bot enabled, or change the route',
  },
} as const satisfies Record<string, AlertKindFacts>;
