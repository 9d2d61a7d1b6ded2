import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/** How often Telegram answered an app with 429: in all, and in the spell that the last of them belongs to. */
export const rateLimitedApps: Migration = {
  id: 28,
  name: 'rate-limited-apps',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    const columns = [
      'rate_limited',
      'rate_limited_lately',
      'rate_limited_at',
      'rate_limited_chat',
      'retry_after',
    ];
    return columns.map(
      (column) => `alter table app_activity add column ${column} ${bigint} not null default 0`,
    );
  },
};
