import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/** Remembers when a customer was told that nobody is at the desk. */
export const deskReplies: Migration = {
  id: 58,
  name: 'desk replies',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    return [`alter table desk_topics add column away_at ${bigint} not null default 0`];
  },
};
