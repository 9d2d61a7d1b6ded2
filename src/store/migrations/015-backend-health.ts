import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

export const backendHealth: Migration = {
  id: 15,
  name: 'backend-health',
  up(dialect) {
    const { bigint, withoutRowid } = dialectWords(dialect);
    return [
      // What is known about a bot's backend at its present address: no row before it was first
      // reached or checked; error is '' when it answered.
      `create table backend_health (
        bot_id ${bigint} primary key references bots (id) on delete cascade,
        checked_at ${bigint} not null,
        error text not null
      ) ${withoutRowid}`,
    ];
  },
};
