import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/** When retention last removed updates that a reader had not read: an alert about it has an end. */
export const droppedAt: Migration = {
  id: 24,
  name: 'dropped-at',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    return [`alter table readers add column dropped_at ${bigint} not null default 0`];
  },
};
