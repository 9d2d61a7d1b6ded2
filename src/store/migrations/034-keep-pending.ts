import type { Migration } from './migration.ts';

/** Adds the setting of bots and apps that keeps updates which clients ask to drop. */
export const keepPending: Migration = {
  id: 34,
  name: 'keep pending',
  up: () => [
    'alter table bots add column keep_pending integer not null default 0',
    'alter table apps add column keep_pending integer not null default 0',
  ],
};
