/*
 * Which master key a database is sealed with, and how it gets another one. One sealed word in
 * `settings` tells the key of everything else, as both always change in one transaction.
 */
import { reason } from '../../core/reasons/reason.ts';
import { createVault, type Vault } from '../../core/access/vault.ts';
import { RelayError } from '../../errors.ts';
import { type Engine, first, raw, run, type Step } from '../../store/engine.ts';
import { createMasterKeyFile, type MasterKeyFile } from './master-key.ts';

/** Where the language model's key is kept, sealed. */
export const sealedLlmKey = 'llm_key_sealed';

/** Everything sealed, for re-sealing: a new sealed column is added here (a test compares). */
export const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'bots',
    key: 'id',
    column: 'token_sealed',
    hash: 'token_hash',
    context: (id) => `bots:${id}:token`,
  },
  { table: 'bots', key: 'id', column: 'secret_sealed', context: (id) => `bots:${id}:secret` },
  {
    table: 'bots',
    key: 'id',
    column: 'backend_url',
    only: `backend_url like 'v1.%'`,
    context: (id) => `bots:${id}:backend_url`,
  },
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
  /** The look-up hash of the same text, which hangs on the master key as well. */
  hash?: string;
  /** Which rows are sealed, where not all are. */
  only?: string;
  context(key: string | number): string;
}

export const witnessName = 'master_key_witness';
const witnessContext = `settings:${witnessName}`;
const witnessWord = 'bot-relay';

export interface KeySettings {
  dataDir: string;
  secretKey: string;
  previousSecretKeys: readonly string[];
}

export interface Unlocked {
  vault: Vault;
  /** How many secrets an earlier key had sealed. */
  resealed: number;
}

/** The vault for this database, with what earlier keys sealed re-sealed with the present one. */
export async function unlockVault(engine: Engine, settings: KeySettings): Promise<Unlocked> {
  if (settings.secretKey !== '') {
    const vault = createVault([settings.secretKey, ...settings.previousSecretKeys]);
    return { vault, resealed: await settle(engine, vault, 'RELAY_SECRET_KEY') };
  }
  const keyFile = createMasterKeyFile(settings.dataDir);
  const witness = await readWitness(engine);
  const next = keyFile.next();
  if (next !== '') finishRotation(keyFile, witness, next);
  if (witness !== undefined && keyFile.current() === '') {
    throw new RelayError('secret_key_mismatch', reason('key_file_missing', { path: keyFile.file }));
  }
  const current = keyFile.current() || keyFile.generate();
  const vault = createVault([current, ...settings.previousSecretKeys]);
  return { vault, resealed: await settle(engine, vault, keyFile.file, keyFile) };
}

/** Whether one of these keys is the one that sealed the database with this witness. */
export function opensWitness(witness: string, keys: readonly string[]): boolean {
  return keys.some((key) => createVault([key]).keyId === keyIdOf(witness));
}

function finishRotation(keyFile: MasterKeyFile, witness: string | undefined, next: string): void {
  const committed = witness !== undefined && opensWitness(witness, [next]);
  if (committed) keyFile.promoteNext();
  else keyFile.dropNext();
}

/** Seals the witness at the first start; later compares, and re-seals after a change of keys. */
async function settle(
  engine: Engine,
  vault: Vault,
  keySource: string,
  keyFile?: MasterKeyFile,
): Promise<number> {
  const witness =
    (await readWitness(engine)) ?? (await engine.write(() => addWitness(engine, vault)));
  try {
    vault.open(witness, witnessContext);
  } catch (error) {
    const former = keyFile?.formerFile(keyIdOf(witness) ?? '');
    const way = former
      ? `the key is kept in ${former}, so start once with RELAY_SECRET_KEY_PREVIOUS_FILE=${former}`
      : 'start with that key, or name it in RELAY_SECRET_KEY_PREVIOUS';
    throw new RelayError(
      'secret_key_mismatch',
      reason('other_master_key', { source: keySource, way }),
      { cause: error },
    );
  }
  if (vault.keyIdOf(witness) === vault.keyId) return 0;
  return await engine.write(() => reseal(engine, vault));
}

async function readWitness(engine: Engine): Promise<string | undefined> {
  const row = await engine.readOne(witnessQuery(engine));
  return row?.value;
}

function witnessQuery(engine: Engine) {
  return engine.sql.selectFrom('settings').select('value').where('name', '=', witnessName);
}

function* addWitness(engine: Engine, vault: Vault): Step<string> {
  const value = vault.seal(witnessWord, witnessContext);
  yield* run(
    engine.sql
      .insertInto('settings')
      .values({ name: witnessName, value })
      .onConflict((conflict) => conflict.column('name').doNothing()),
  );
  // Another node may have been faster, with another key.
  return (yield* first(witnessQuery(engine)))?.value ?? value;
}

export function keyIdOf(sealed: string): string | undefined {
  return sealed.split('.')[1];
}

/** Re-seals everything with the vault's first key; tells how many secrets that were. */
export function* reseal(engine: Engine, vault: Vault): Step<number> {
  // Nodes that share the database take turns on the witness's row.
  const witness = vault.seal(witnessWord, witnessContext);
  yield* run(
    engine.sql.updateTable('settings').set({ value: witness }).where('name', '=', witnessName),
  );
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

/** A new generated key for the data dir, and everything sealed with it. */
export async function rotateGeneratedKey(
  engine: Engine,
  dataDir: string,
): Promise<{ secrets: number; formerKeyFile: string }> {
  const keyFile = createMasterKeyFile(dataDir);
  const old = keyFile.current();
  const vault = createVault([keyFile.writeNext(), old]);
  // Should this fail or be cut short, the witness tells the next start which key counts.
  const secrets = await engine.write(() => reseal(engine, vault));
  return { secrets, formerKeyFile: keyFile.promoteNext() };
}
