import { reason } from '../../core/reasons/reason.ts';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { localCaller } from '../../core/access/access.ts';
import { RelayError } from '../../errors.ts';
import { baseSchema, lastCommitBeforeBase, newestSchema } from '../../store/migrations/index.ts';
import { lockDataDir } from '../../store/sqlite/data-dir-lock.ts';
import {
  copyDatabase,
  databaseFileName,
  readSchema,
  settleRestored,
  type Unfinished,
} from '../../store/sqlite/database-file.ts';
import { openDirectory } from './data-directory.ts';

/** The write-ahead log and its index belong to a database file and move with it. */
const companions = ['', '-wal', '-shm'];

/** Copies the database as of one moment into one file; a service may be running on it. */
export async function backUp(
  dataDir: string,
  target: string,
  options: { force: boolean },
): Promise<{ file: string; bytes: number }> {
  const source = path.join(dataDir, databaseFileName);
  if (!existsSync(source)) {
    throw new RelayError('not_found', reason('no_database_in', { directory: dataDir }));
  }
  const folder = path.dirname(target);
  if (!existsSync(folder)) {
    throw new RelayError('not_found', reason('no_directory', { directory: folder }));
  }
  if (existsSync(target) && statSync(target).isDirectory()) {
    throw new RelayError('conflict', reason('is_a_directory', { path: target }));
  }
  if (existsSync(target) && !options.force) {
    throw new RelayError('conflict', reason('file_exists', { path: target }));
  }
  await copyTo(target, source);
  return { file: target, bytes: statSync(target).size };
}

/** Copies completely or not at all. */
async function copyTo(target: string, source: string): Promise<void> {
  const draft = `${target}.partial`;
  begin(draft);
  try {
    await copyDatabase(source, draft);
    inspect(draft, source);
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

const upgradeBackups = 3;
const upgradeBackupName = /^relay\.db\.schema-\d+-(\d{8}T\d{6}Z)$/;
/** Room for other files written to the same disk meanwhile. */
const spareBytes = 16 * 1_048_576;

/** Copies the database next to it before a migration, and deletes all but the latest such copies. */
export async function backUpBeforeMigration(
  dataDir: string,
  options: { schema: number; now: Date; freeBytes?: (folder: string) => number },
): Promise<string> {
  const source = path.join(dataDir, databaseFileName);
  const target = `${source}.schema-${options.schema}-${timeStamp(options.now)}`;
  const free = (options.freeBytes ?? freeBytesIn)(dataDir);
  const sizes = ['', '-wal'].map(
    (suffix) => statSync(source + suffix, { throwIfNoEntry: false })?.size ?? 0,
  );
  const needed = sizes.reduce((sum, size) => sum + size, spareBytes);
  if (free < needed) throw noRoom(dataDir, needed, free);
  try {
    await copyTo(target, source);
  } catch (error) {
    if ((error as { errcode?: number }).errcode === diskFull) {
      throw noRoom(dataDir, needed, freeBytesIn(dataDir));
    }
    const { message: cause } = ((error as Error).cause ?? error) as Error;
    throw new RelayError('internal', reason('upgrade_backup_failed', { file: target, cause }), {
      cause: error,
    });
  }
  const stamps = new Map(
    readdirSync(dataDir).flatMap((name) => {
      const stamp = upgradeBackupName.exec(name)?.[1];
      return stamp === undefined ? [] : [[name, stamp] as const];
    }),
  );
  const oldestFirst = [...stamps].sort(([, a], [, b]) => (a < b ? -1 : 1));
  for (const [name] of oldestFirst.slice(0, -upgradeBackups)) rmSync(path.join(dataDir, name));
  return target;
}

/** The code SQLITE_FULL. */
const diskFull = 13;

function noRoom(directory: string, neededBytes: number, freeBytes: number): RelayError {
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`;
  const params = { directory, needed: megabytes(neededBytes), free: megabytes(freeBytes) };
  return new RelayError('internal', reason('no_room_for_backup', params));
}

function freeBytesIn(folder: string): number {
  const { bavail, blocks, bsize } = statfsSync(folder);
  // Some network file systems do not report it.
  return blocks === 0 ? Infinity : bavail * bsize;
}

/** Formats a time for a file name, such as 20261116T120000Z. */
export function timeStamp(moment: Date): string {
  return moment.toISOString().replace(/[-:]|\.\d+/g, '');
}

/**
 * Creates the draft first, so that an unwritable destination is reported, and so that only this
 * user can read the copy.
 */
function begin(draft: string): void {
  try {
    rmSync(draft, { force: true });
    writeFileSync(draft, '', { mode: 0o600 });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new RelayError(
      'conflict',
      reason('file_not_writable', { path: draft, cause: code ?? '' }),
      {
        cause,
      },
    );
  }
}

/** Replaces the database with a backup; the old file is kept next to it. */
export function restore(
  dataDir: string,
  source: string,
  options: { force: boolean; stamp: string; nowMs: number },
): { file: string; schema: number; keptAside: string; unfinished: Unfinished } {
  const found = statSync(source, { throwIfNoEntry: false });
  if (!found) throw new RelayError('not_found', reason('no_file', { path: source }));
  if (!found.isFile()) {
    throw new RelayError('conflict', reason('not_a_file', { path: source }));
  }
  const schema = inspect(source);
  openDirectory(dataDir);
  const unlock = lockDataDir(dataDir);
  try {
    const file = path.join(dataDir, databaseFileName);
    const occupied = existsSync(file);
    if (occupied && !options.force) {
      throw new RelayError('conflict', reason('holds_a_database', { directory: dataDir }));
    }
    const draft = `${file}.restoring`;
    for (const suffix of ['', '-wal']) {
      rmSync(draft + suffix, { force: true });
      if (!existsSync(source + suffix)) continue;
      copyFileSync(source + suffix, draft + suffix);
      chmodSync(draft + suffix, 0o600);
    }
    const aside = `${file}.before-${options.stamp}`;
    const keptAside = occupied ? aside : '';
    // Settle the draft before it gets its name: no service may find sends that it would repeat.
    const unfinished = settleRestored(draft, {
      atMs: options.nowMs,
      actorName: localCaller.name,
      after: { file: path.resolve(source), schema, kept_aside: keptAside },
    });
    for (const suffix of occupied ? companions : []) {
      if (existsSync(file + suffix)) renameSync(file + suffix, aside + suffix);
    }
    if (existsSync(`${draft}-wal`)) renameSync(`${draft}-wal`, `${file}-wal`);
    renameSync(draft, file);
    return { file, schema, keptAside, unfinished };
  } finally {
    unlock();
  }
}

/**
 * Returns the schema number; refuses a file that is no database of the relay, damaged, too old or
 * too new. Errors call the file `named`.
 */
function inspect(file: string, named = file): number {
  let schema: number;
  try {
    schema = readSchema(file);
  } catch (error) {
    throw new RelayError(
      'invalid_request',
      reason('not_a_backup', { path: named, cause: (error as Error).message }),
      { cause: error },
    );
  }
  if (schema > newestSchema()) {
    const params = { path: named, schema, known: newestSchema() };
    throw new RelayError('schema_too_new', reason('backup_too_new', params));
  }
  if (schema < baseSchema) {
    const params = { path: named, schema, base: baseSchema, commit: lastCommitBeforeBase };
    throw new RelayError('conflict', reason('backup_before_base', params));
  }
  return schema;
}
