import type { Migration } from './migration.ts';

/** Adds the setting of bots and apps with the commands that overtake others: a list as JSON. */
export const urgentCommands: Migration = {
  id: 41,
  name: 'urgent commands',
  up: () => [
    "alter table bots add column urgent text not null default '[]'",
    "alter table apps add column urgent text not null default '[]'",
  ],
};
