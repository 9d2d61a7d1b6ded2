import type { Migration } from './migration.ts';

/** Adds who or what sent a message, as JSON; older messages and sends have none. */
export const messageAuthors: Migration = {
  id: 35,
  name: 'message authors',
  up: () => [
    'alter table messages add column author text',
    'alter table outbox add column author text',
  ],
};
