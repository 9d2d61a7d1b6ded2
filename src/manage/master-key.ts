/*
 * The generated master key is one file in the data dir. A rotation writes the new key beside it
 * first, then re-encrypts in one transaction, then puts the new file in the place of the old: at
 * every moment the files on disk hold the key of what the database holds.
 */
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
import { RelayError } from '../errors.ts';

export interface MasterKeyFile {
  readonly file: string;
  /** '' when there is none yet. */
  current(): string;
  /** Left by a rotation that was cut short; '' when there is none. */
  next(): string;
  /** Makes the first key; the one that is there wins when another process was faster. */
  generate(): string;
  writeNext(): string;
  /** The new key takes the place of the old. */
  promoteNext(): void;
  dropNext(): void;
}

export function createMasterKeyFile(dataDir: string): MasterKeyFile {
  const file = path.join(dataDir, 'master.key');
  const nextFile = `${file}.next`;
  return {
    file,
    current: () => readKey(file),
    next: () => readKey(nextFile),
    generate() {
      mkdirSync(dataDir, { recursive: true, mode: 0o700 });
      try {
        return writeKey(file);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') return readKey(file);
        throw error;
      }
    },
    writeNext() {
      rmSync(nextFile, { force: true });
      return writeKey(nextFile);
    },
    promoteNext() {
      renameSync(nextFile, file);
      syncFolder(dataDir);
    },
    dropNext: () => rmSync(nextFile, { force: true }),
  };
}

function readKey(file: string): string {
  if (!existsSync(file)) return '';
  const key = readFileSync(file, 'utf8').trim();
  if (key.length < 32) {
    throw new RelayError(
      'secret_key_mismatch',
      `The master key file ${file} is damaged: put the right one back from where you keep a copy.`,
    );
  }
  return key;
}

function writeKey(file: string): string {
  const key = randomBytes(32).toString('base64url');
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

/** A new name survives a power cut only once its folder is on disk too. */
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
