import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

export const unpinned: Migration = {
  id: 13,
  name: 'unpinned',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    // When a message was taken from its pin: what is announced of an earlier pin is over.
    return [`alter table messages add column unpinned_at ${bigint}`];
  },
};
