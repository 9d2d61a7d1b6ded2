/*
 * The generated master key is one file in the data directory. A rotation first writes the new key
 * to a second file, then re-encrypts in one transaction, then replaces the old file with the new
 * one: at every moment the files on disk contain the key that the database needs. The old key is
 * kept under its ID, because older backups need it.
 */
import { reason } from '../../core/reasons/reason.ts';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { createVault } from '../../core/access/vault.ts';
import { RelayError } from '../../errors.ts';

export interface MasterKeyFile {
  readonly file: string;
  /** The current key; '' if there is none yet. */
  current(): string;
  /** The new key of an interrupted rotation; '' if there is none. */
  next(): string;
  /** Creates the first key; if another process was faster, its key is used. */
  generate(): string;
  writeNext(): string;
  /** Replaces the old key with the new one; returns the file in which the old one is kept. */
  promoteNext(): string;
  dropNext(): void;
  /** The file in which a rotation kept the key with this ID; '' if there is none. */
  formerFile(keyId: string): string;
}

export function createMasterKeyFile(dataDir: string): MasterKeyFile {
  const file = path.join(dataDir, 'master.key');
  const nextFile = `${file}.next`;
  const formerName = (keyId: string) => `${file}.${keyId}.old`;
  return {
    file,
    current: () => readKey(file),
    next: () => readKey(nextFile),
    generate() {
      mkdirSync(dataDir, { recursive: true, mode: 0o700 });
      try {
        return writeKey(file, newKey());
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') return readKey(file);
        throw error;
      }
    },
    writeNext() {
      rmSync(nextFile, { force: true });
      return writeKey(nextFile, newKey());
    },
    promoteNext() {
      const old = readKey(file);
      const former = old === '' ? '' : formerName(createVault([old]).keyId);
      if (former !== '') {
        // An interrupted rotation may have left this file, perhaps half written.
        rmSync(former, { force: true });
        writeKey(former, old);
      }
      renameSync(nextFile, file);
      syncFolder(dataDir);
      return former;
    },
    dropNext: () => rmSync(nextFile, { force: true }),
    formerFile: (keyId) => (existsSync(formerName(keyId)) ? formerName(keyId) : ''),
  };
}

function readKey(file: string): string {
  if (!existsSync(file)) return '';
  const key = readFileSync(file, 'utf8').trim();
  if (key.length < 32) {
    throw new RelayError('secret_key_mismatch', reason('key_file_damaged', { path: file }));
  }
  return key;
}

const newKey = () => randomBytes(32).toString('base64url');

function writeKey(file: string, key: string): string {
  const handle = openSync(file, 'wx', 0o600);
  try {
    writeSync(handle, `${key}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  syncFolder(path.dirname(file));
  return key;
}

/** A new file name survives a power failure only once its folder is on disk too. */
function syncFolder(folder: string): void {
  // Windows cannot open folders; its renames are journalled.
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
