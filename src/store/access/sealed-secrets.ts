/*
 * Handles everything that is sealed with the master key. One sealed word in `settings` identifies
 * the key of everything else, because both always change in one transaction.
 */
import { sealedBotSettings } from '../../core/bots/bot-settings.ts';
import type { Vault } from '../../core/access/vault.ts';
import { type Engine, raw, type Step } from '../engine.ts';
import { witnessName } from '../schema/migrate.ts';

/** The setting that holds the sealed key of the language model. */
export const sealedLlmKey = 'llm_key_sealed';

/** Lists everything sealed, for re-sealing. Add a new sealed column here (a test compares). */
export const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'bots',
    key: 'id',
    column: 'token_sealed',
    hash: 'token_hash',
    context: (id) => `bots:${id}:token`,
  },
  ...sealedBotSettings.map(({ column, context, wasPlain }) => ({
    table: 'bots',
    key: 'id',
    column,
    ...(wasPlain ? { only: `${column} like 'v1.%'` } : {}),
    context: (id: string | number) => `bots:${id}:${context}`,
  })),
  ...(['backend_url', 'secret'] as const).map((name) => ({
    table: 'apps',
    key: 'id',
    column: name === 'secret' ? 'secret_sealed' : name,
    context: (id: string | number) => `apps:${id}:${name}`,
  })),
  ...(['url', 'secret'] as const).map((name) => ({
    table: 'alert_channels',
    key: 'id',
    column: `${name}_sealed`,
    context: (id: string | number) => `alert_channels:${id}:${name}`,
  })),
  {
    table: 'bot_runtime',
    key: 'bot_id',
    column: 'hook_secret_sealed',
    context: (id) => `bot_runtime:${id}:hook_secret`,
  },
  {
    table: 'bot_runtime',
    key: 'bot_id',
    column: 'previous_webhook',
    context: (id) => `bot_runtime:${id}:previous_webhook`,
  },
  {
    table: 'settings',
    key: 'name',
    column: 'value',
    only: `name = '${sealedLlmKey}'`,
    context: (name) => `settings:${name}`,
  },
];

interface SealedColumn {
  table: string;
  key: string;
  column: string;
  /** The look-up hash of the same text, which depends on the master key as well. */
  hash?: string;
  /** A condition for the sealed rows, if not all rows are. */
  only?: string;
  context(key: string | number): string;
}

export const witnessContext = `settings:${witnessName}`;
const witnessWord = 'bot-relay';
const readValue = 'select value from settings where name = $1';
type Witness = { value: string };

export async function readWitness(engine: Engine): Promise<string | undefined> {
  const [row] = await engine.readRaw<Witness>(readValue, [witnessName]);
  return row?.value;
}

export function* addWitness(vault: Vault): Step<string> {
  const value = vault.seal(witnessWord, witnessContext);
  yield* raw('insert into settings (name, value) values ($1, $2) on conflict (name) do nothing', [
    witnessName,
    value,
  ]);
  // Another node may have been faster, with another key.
  const [witness] = yield* raw<Witness>(readValue, [witnessName]);
  return witness?.value ?? value;
}

/** Re-seals everything with the vault's first key; returns the number of secrets. */
export function* reseal(vault: Vault): Step<number> {
  // Nodes that share the database take turns on the witness's row.
  const witness = vault.seal(witnessWord, witnessContext);
  yield* raw('update settings set value = $1 where name = $2', [witness, witnessName]);
  let count = 0;
  for (const { table, key, column, hash, only = '1 = 1', context } of sealedColumns) {
    const rows = yield* raw<{ key: string | number; sealed: string }>(
      `select ${key} as key, ${column} as sealed from ${table} where ${column} <> '' and ${only}`,
    );
    for (const row of rows) {
      const plain = vault.open(row.sealed, context(row.key));
      const values: (string | number)[] = [vault.seal(plain, context(row.key)), row.key];
      if (hash) values.push(vault.lookupHash(plain));
      yield* raw(
        `update ${table} set ${column} = $1${hash ? `, ${hash} = $3` : ''} where ${key} = $2`,
        values,
      );
      count++;
    }
  }
  return count;
}
