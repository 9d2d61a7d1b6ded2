import type { Migration } from './migration.ts';

/** How full PostgreSQL fills a page of these tables, in percent. */
const filled = {
  chats: 50,
  stats_hours: 70,
  stats_people: 70,
  stats_sums: 70,
  stats_waiting: 50,
  topics: 70,
};

/**
 * A new version of a row that finds room in its own page needs no new entry in each index. The rows
 * of these tables change many times, and those of one page at the same time. Full pages gain room
 * as their rows change.
 */
export const roomForUpdates: Migration = {
  id: 61,
  name: 'room for updates',
  up: (dialect) =>
    dialect === 'postgres'
      ? Object.entries(filled).map(
          ([table, percent]) => `alter table ${table} set (fillfactor = ${percent})`,
        )
      : [],
};
