import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/**
 * Adds to each message the position of its update in the log, and finds the failed attempts of an
 * update. Attempts that succeed are not in the index, so deliveries cost what they did.
 */
export const messagePositions: Migration = {
  id: 53,
  name: 'message positions',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    return [
      `alter table messages add column position ${bigint}`,
      `create index delivery_attempts_failed on delivery_attempts (bot_id, position)
       where error <> ''`,
    ];
  },
};
