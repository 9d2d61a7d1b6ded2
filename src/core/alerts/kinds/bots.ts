import { type AlertKindFacts, because, counted, type Sentence } from './alert-kind.ts';

const moved: Sentence = () =>
  'The relay polls this bot, so it removed the webhook of another app. Restore it in the settings of the bot.';

/** Kinds about bots themselves: how they receive, and how they are set up. */
export const botKinds = {
  bot_refused: {
    severity: 'critical',
    found: 'live',
    icon: 'key',
    page: 'settings',
    label: 'Bot not running',
    present: (params) => `Not running${because(params)}`,
    past: () => 'Was not running.',
    when: 'Telegram refuses the token, or webhook mode has no public address',
    helps: 'set a valid token, or `RELAY_PUBLIC_URL`',
  },
  bot_conflict: {
    severity: 'critical',
    found: 'live',
    icon: 'group',
    page: 'settings',
    label: 'Another client polls',
    present: (params) => `Another client receives its updates${because(params)}`,
    past: () => 'Another client received its updates.',
    when: 'another client polls the bot or has set a webhook for it',
    helps: 'stop that client',
  },
  bot_trouble: {
    severity: 'warning',
    found: 'live',
    icon: 'warn',
    page: 'settings',
    label: 'Bot receives no updates',
    present: (params) => `Receives no updates${because(params)}`,
    past: () => 'Received no updates.',
    when: 'something else keeps a bot from receiving',
    helps: 'see its text',
  },
  weak_secret: {
    severity: 'info',
    found: 'live',
    icon: 'key',
    page: 'settings',
    canBeDismissed: true,
    label: 'Weak secret token',
    present: () => 'The secret token is easy to guess. Set one of at least 16 characters.',
    past: () => 'The secret token was easy to guess.',
    when: "the bot's `secret_token` has fewer than 16 characters and can be guessed at `/hooks/backend`",
    helps: 'set a longer one',
  },
  webhook_moved: {
    severity: 'info',
    found: 'live',
    icon: 'info',
    page: 'settings',
    canBeDismissed: true,
    label: 'Webhook removed',
    present: moved,
    past: moved,
    when: 'the relay removed the webhook a bot had elsewhere',
    helps: 'nothing, or [restore it](connect.md#take-a-bot-over-and-give-it-back)',
  },
  bot_disabled: {
    severity: 'info',
    found: 'live',
    icon: 'pause',
    page: 'settings',
    action: 'enable_bot',
    canBeDismissed: true,
    label: 'Bot disabled',
    present: ({ count = 0 }) =>
      `The bot is disabled.${count === 0 ? '' : ` ${counted(count, 'route')} to or from it ${count === 1 ? 'is' : 'are'} inactive.`}`,
    past: () => 'The bot was disabled.',
    when: 'the bot is disabled; `count` is the number of routes that use it',
    helps: 'enable it, or change the routes',
  },
} as const satisfies Record<string, AlertKindFacts>;
