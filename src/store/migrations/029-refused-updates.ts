import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/** Whether a backend accepts updates is known apart from whether it can be reached. */
export const refusedUpdates: Migration = {
  id: 29,
  name: 'refused-updates',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    return [
      `alter table backend_health add column tried_at ${bigint} not null default 0`,
      `alter table backend_health add column refused text not null default ''`,
      `update backend_health set tried_at = checked_at, refused = error, error = ''
       where error like '{"code":"backend_answered",%' or error like '{"code":"backend_redirected",%'`,
    ];
  },
};
