import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/** When a pattern of an app or of a route was last left undecided; the other id is 0. */
export const undecidedPatterns: Migration = {
  id: 31,
  name: 'undecided-patterns',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    return [
      `create table undecided_patterns (
        bot_id ${bigint} not null references bots (id) on delete cascade,
        app_id ${bigint} not null,
        route_id ${bigint} not null,
        at ${bigint} not null,
        primary key (bot_id, app_id, route_id)
      )`,
    ];
  },
};
