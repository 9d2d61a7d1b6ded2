import type { Sentences } from './shape.ts';

/** About the applications that use a bot. */
export const appReasons = {
  no_such_app: ({ app_id }: { app_id: number }) =>
    `Unknown app ${app_id}. List apps with GET /api/bots/apps.`,
  no_app_of_that_name: ({ bot_id, app }: { bot_id: number; app: string }) =>
    `Bot ${bot_id} has no app ${app}. List apps with GET /api/bots/apps?bot_id=${bot_id}.`,
  app_name_taken: ({ bot_id, name }: { bot_id: number; name: string }) =>
    `Bot ${bot_id} already has an app ${name}. Choose another name.`,
  too_many_apps: ({ most }: { most: number }) =>
    `A bot can have at most ${most} apps. Delete one first.`,
  default_app: ({ action }: { action: 'update' | 'rotate' | 'disable' | 'delete' }) =>
    ({
      update: "The app default is the bot's own settings. Change them with POST /api/bots/update.",
      rotate: "The app default uses the bot's own token. Change it with POST /api/bots/update.",
      disable:
        'The app default cannot be disabled. Disable the bot with POST /api/bots/toggle-disabled.',
      delete:
        'The app default cannot be deleted. Turn off its settings with POST /api/bots/update.',
    })[action],
  app_has_token: ({ app }: { bot_id: number; app: string }) =>
    `${app} is an app with a token. Delete it with POST /api/bots/apps/delete.`,
  token_of_app: ({ app, bot_id }: { app: string; bot_id: number }) =>
    `This is the token of app ${app} of bot ${bot_id}. Use the bot's token from @BotFather.`,
  app_may_not_call: ({ app, method }: { app: string; method: string }) =>
    `App ${app} may not call ${method}. Change its methods on the Apps tab of the bot, or with POST /api/bots/apps/update.`,
  app_disabled: ({ app }: { app: string }) =>
    `App ${app} is disabled. Enable it on the Apps tab of the bot, or with POST /api/bots/apps/toggle-disabled.`,
  app_sends: ({ app }: { app: string }) =>
    `App ${app} receives no updates. Set its mode to poll on the Apps tab of the bot, or with POST /api/bots/apps/update.`,
  // Telegram's own sentence: libraries look for these words.
  webhook_active:
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
  app_name_reserved: 'must not be default: that is the app of the bot itself',
  not_an_app_name: 'must be 1 to 64 of A-Z a-z 0-9 _ . -',
  not_a_method: 'must be a Bot API method such as sendMessage, or !sendMessage to forbid it',
  not_a_chat_type: ({ types }: { types: readonly string[] }) =>
    `must be one of: ${types.join(', ')}`,
  not_an_update_kind: 'must be an update type, such as message',
  app_not_renamed: 'cannot be changed. Add another app instead.',
  webhook_mode_only: 'is for apps in mode webhook',
  app_backend_needed: 'is required when mode is webhook',
  app_takes_all: 'This app takes every update. The backend and other apps receive nothing.',
  unknown_kind: ({ kind, meant }: { kind: string; meant?: string }) =>
    `Unknown update type ${kind}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
  unknown_method: ({ method, meant }: { method: string; meant?: string }) =>
    `Unknown Bot API method ${method}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
  filter_matches_nothing: ({ of }: { of: number }) =>
    `The filter matches none of the last ${of} updates.`,
} as const satisfies Sentences;
