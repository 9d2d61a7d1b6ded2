import type { Migration } from './migration.ts';

/**
 * PostgreSQL checks a reference for each row, a third of its work for an update. Who adds rows to these
 * tables holds a lock of the bot anyway, and removing a bot removes them: see `removeBot`. Nodes of the
 * version before may run on for two seconds: a bot that one of them deletes then may leave rows behind,
 * which nobody sees.
 */
export const checkedBots: Migration = {
  id: 25,
  name: 'checked-bots',
  up: (dialect) =>
    dialect === 'sqlite'
      ? []
      : [
          // In the order of those who append and push meanwhile; in another, each would wait for the other.
          'lock table log_heads, readers, bots, log, messages, delivery_attempts in access exclusive mode',
          ...uncheckedTables.map(
            (table) => `alter table ${table} drop constraint if exists ${table}_bot_id_fkey`,
          ),
        ],
};

/** Tables whose rows PostgreSQL would leave behind when their bot is deleted. */
export const uncheckedTables = ['log', 'messages', 'delivery_attempts'] as const;
