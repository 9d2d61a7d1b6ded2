import type { Migration } from './migration.ts';

/** Leaves merges of the search index to the code that fills it; see message-search.ts. */
export const searchMerges: Migration = {
  id: 65,
  name: 'search merges',
  up: (dialect) =>
    dialect === 'sqlite'
      ? [`insert into message_search (message_search, rank) values ('automerge', 0)`]
      : [],
};
