/* Determines the master key that a database is sealed with, and changes it. */
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
  /** The number of secrets that were sealed with an earlier key. */
  resealed: number;
}

/** Opens the vault for this database, and seals again with the current key what earlier keys had sealed. */
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

/** Throws unless these settings contain the key that this witness was sealed with; changes nothing. */
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

/** Says whether one of these keys sealed the database with this witness. */
export function opensWitness(witness: string, keys: readonly string[]): boolean {
  return keys.some((key) => createVault([key]).keyId === keyIdOf(witness));
}

function finishRotation(keyFile: MasterKeyFile, witness: string | undefined, next: string): void {
  const committed = witness !== undefined && opensWitness(witness, [next]);
  if (committed) keyFile.promoteNext();
  else keyFile.dropNext();
}

/** Seals the witness at the first start; later compares it, and seals it again after a change of keys. */
async function settle(
  engine: Engine,
  vault: Vault,
  keySource: string,
  keyFile?: MasterKeyFile,
): Promise<number> {
  const witness = (await readWitness(engine)) ?? (await engine.write(() => addWitness(vault)));
  requireOpens(vault, witness, keySource, keyFile);
  if (vault.keyIdOf(witness) === vault.keyId) return 0;
  return await engine.write(() => reseal(vault));
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

/** Generates a new key for the data directory, and seals everything with it. */
export async function rotateGeneratedKey(
  engine: Engine,
  dataDir: string,
): Promise<{ secrets: number; formerKeyFile: string }> {
  const keyFile = createMasterKeyFile(dataDir);
  const old = keyFile.current();
  const vault = createVault([keyFile.writeNext(), old]);
  // If this fails or is interrupted, the witness tells the next start which key is valid.
  const secrets = await engine.write(() => reseal(vault));
  return { secrets, formerKeyFile: keyFile.promoteNext() };
}
