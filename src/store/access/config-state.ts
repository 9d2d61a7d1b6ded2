import { createHash } from 'node:crypto';
import type { EntryKind } from '../../core/config-file/document.ts';
import { type Engine, raw, type Step } from '../engine.ts';
import { takeLock } from '../sql/dialect.ts';
import { sealedLlmKey } from './sealed-secrets.ts';

/** The tables of each kind, with the order in which they are compared. */
const tablesOf: Readonly<Record<EntryKind, Readonly<Record<string, string>>>> = {
  bot: { bots: 'id' },
  app: { apps: 'id', webhooks: 'bot_id, reader' },
  route: { routes: 'id' },
  desk: { desks: 'id', desk_bots: 'bot_id' },
  reply: { saved_replies: 'id' },
  // The settings of the model are two rows of `settings`.
  model: {},
  user: { users: 'id' },
  key: { api_keys: 'id' },
  channel: { alert_channels: 'id' },
};
const tables = Object.values(tablesOf).flatMap((ofKind) => Object.entries(ofKind));

/** Columns that the service or people change, and that no configuration sets. */
const volatile = new Set([
  'username of bots',
  'password_hash of users',
  'last_sign_in_at of users',
  'last_used_at of api_keys',
  'error of alert_channels',
  'failed_at of alert_channels',
  'uses of saved_replies',
  'last_used_at of saved_replies',
  'problems of desks',
  'checked_at of desks',
  'check_at of desks',
]);

/** Returns a hash that stays the same as long as nothing changes that a configuration sets. */
export function* configStateStep(): Step<string> {
  const hash = createHash('sha256');
  for (const [table, order] of tables) {
    const rows = yield* raw<Record<string, unknown>>(`select * from ${table} order by ${order}`);
    hash.update(
      JSON.stringify(rows, (column, value: unknown) =>
        column === 'updated_at' || volatile.has(`${column} of ${table}`) ? undefined : value,
      ),
    );
  }
  const model = yield* raw(
    'select name, value from settings where name in ($1, $2) order by name',
    ['llm', sealedLlmKey],
  );
  return hash.update(JSON.stringify(model)).digest('hex');
}

/** Locks the tables, so that nobody else changes them until the transaction ends. */
export function lockConfigStep({ dialect }: Engine): Step<void> {
  const names = tables.map(([table]) => table).join(', ');
  return takeLock(dialect, `lock table ${names} in share row exclusive mode`);
}
