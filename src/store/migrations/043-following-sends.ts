import type { Migration } from './migration.ts';

/** Adds the sends that follow a send, as a JSON list of their parameters; '' for none. */
export const followingSends: Migration = {
  id: 43,
  name: 'following sends',
  up: () => [`alter table outbox add column following text not null default ''`],
};
