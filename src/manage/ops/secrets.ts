/* Which master key a database is sealed with, and how it gets another one. */
import { reason } from '../../core/reasons/reason.ts';
import { createVault, type Vault } from '../../core/access/vault.ts';
import { RelayError } from '../../errors.ts';
import {
  addWitness,
  readWitness,
  reseal,
  witnessContext,
} from '../../store/access/sealed-secrets.ts';
import type { Engine } from '../../store/engine.ts';
import { createMasterKeyFile, type MasterKeyFile } from './master-key.ts';

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
  const witness = await readWitness(engine);
  requireMasterKey(witness, settings);
  if (settings.secretKey !== '') {
    const vault = createVault([settings.secretKey, ...settings.previousSecretKeys]);
    return { vault, resealed: await settle(engine, vault, 'RELAY_SECRET_KEY') };
  }
  const keyFile = createMasterKeyFile(settings.dataDir);
  const next = keyFile.next();
  if (next !== '') finishRotation(keyFile, witness, next);
  const current = keyFile.current() || keyFile.generate();
  const vault = createVault([current, ...settings.previousSecretKeys]);
  return { vault, resealed: await settle(engine, vault, keyFile.file, keyFile) };
}

/** Throws unless these settings have the key that this witness was sealed with; changes nothing. */
export function requireMasterKey(witness: string | undefined, settings: KeySettings): void {
  if (witness === undefined) return;
  const { secretKey, previousSecretKeys } = settings;
  if (secretKey !== '') {
    requireOpens(createVault([secretKey, ...previousSecretKeys]), witness, 'RELAY_SECRET_KEY');
    return;
  }
  const keyFile = createMasterKeyFile(settings.dataDir);
  const next = keyFile.next();
  if (next !== '' && opensWitness(witness, [next])) return;
  const current = keyFile.current();
  if (current === '') {
    throw new RelayError('secret_key_mismatch', reason('key_file_missing', { path: keyFile.file }));
  }
  requireOpens(createVault([current, ...previousSecretKeys]), witness, keyFile.file, keyFile);
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
  requireOpens(vault, witness, keySource, keyFile);
  if (vault.keyIdOf(witness) === vault.keyId) return 0;
  return await engine.write(() => reseal(engine, vault));
}

function requireOpens(
  vault: Vault,
  witness: string,
  keySource: string,
  keyFile?: MasterKeyFile,
): void {
  try {
    vault.open(witness, witnessContext);
  } catch (error) {
    const former = keyFile?.formerFile(keyIdOf(witness) ?? '');
    const why = former
      ? reason('former_master_key', { source: keySource, former })
      : reason('other_master_key', { source: keySource });
    throw new RelayError('secret_key_mismatch', why, { cause: error });
  }
}

export function keyIdOf(sealed: string): string | undefined {
  return sealed.split('.')[1];
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
