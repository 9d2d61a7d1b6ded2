import type { Migration } from './migration.ts';

/**
 * Who set a webhook: 1 for the bot's client or the app itself, by setWebhook, 0 for a person. Of earlier
 * ones it is not known; a configuration file that does not mention them had better leave them alone.
 */
export const selfSetWebhooks: Migration = {
  id: 27,
  name: 'self-set-webhooks',
  up: () => ['alter table webhooks add column self_set integer not null default 1'],
};
