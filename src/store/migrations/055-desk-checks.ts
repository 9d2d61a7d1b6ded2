import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/** Stores what the last check of a desk found, and when the next one is due. */
export const deskChecks: Migration = {
  id: 55,
  name: 'desk checks',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    return [
      `alter table desks add column problems text not null default '[]'`,
      `alter table desks add column checked_at ${bigint} not null default 0`,
      `alter table desks add column check_at ${bigint} not null default 0`,
    ];
  },
};
