import type { Migration } from './migration.ts';

/**
 * PostgreSQL checks a reference for each row, a third of its work for an update. Who adds rows to these
 * tables holds a lock of the bot anyway, and removing a bot removes them: see `removeBot`.
 */
export const checkedBots: Migration = {
  id: 25,
  name: 'checked-bots',
  up: (dialect) =>
    dialect === 'sqlite'
      ? []
      : uncheckedTables.map(
          (table) => `alter table ${table} drop constraint if exists ${table}_bot_id_fkey`,
        ),
};

/** Tables whose rows PostgreSQL would leave behind when their bot is deleted. */
export const uncheckedTables = ['log', 'messages', 'delivery_attempts'] as const;
