import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/** Lets a desk ban a customer, whose messages then stay out of the forum. */
export const deskBans: Migration = {
  id: 51,
  name: 'desk bans',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    return [`alter table desk_topics add column banned ${bigint} not null default 0`];
  },
};
