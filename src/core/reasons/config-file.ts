import type { Sentences } from './shape.ts';

export const configFileReasons = {
  listed_twice: 'is listed twice. Keep one entry.',
  bot_not_in_config: ({ platform_id }: { platform_id: number }) =>
    `names bot ${platform_id}, which is neither in the file nor on this service`,
  needed_for_new_entry: 'is required for a new entry',
  reference_unresolved: ({ reference }: { reference: string }) =>
    `needs the value of ${reference}. Set it where you run "bot-relay apply".`,
  token_not_of_platform_id: 'must begin with platform_id and a colon',
  not_a_stand_in_token: 'must be the Telegram ID of the bot, a colon and 35 of A-Z a-z 0-9 _ -',
  not_an_api_key: 'must be brs_ and 32 to 512 characters without spaces',
  value_taken: 'is used by another entry. Choose another value.',
  chat_moved: ({ from, to }: { from: number; to: number }) =>
    `The group ${from} is the supergroup ${to}. Change the ID in the file.`,
  config_outrun: 'The configuration was changed meanwhile. Try again.',
  config_deletes_more: ({ names }: { names: string }) =>
    `This would also delete ${names}. Check the plan again.`,
  enabled_meanwhile: 'It was enabled before it could be deleted.',
  config_without_admin:
    'This would leave no admin. Keep an enabled admin user, or an admin key for all bots.',
} as const satisfies Sentences;
