import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/** Limits routes to a topic, and lets them send into one; 0 for any, or none. */
export const routeTopics: Migration = {
  id: 39,
  name: 'route topics',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    return ['source_thread_id', 'target_thread_id'].map(
      (column) => `alter table routes add column ${column} ${bigint} not null default 0`,
    );
  },
};
