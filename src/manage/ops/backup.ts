import { reason } from '../../core/reasons/reason.ts';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { localCaller } from '../../core/access/access.ts';
import { RelayError } from '../../errors.ts';
import { newestMigration } from '../../store/migrations/index.ts';
import { lockDataDir } from '../../store/sqlite/data-dir-lock.ts';
import {
  auditRestore,
  copyDatabase,
  databaseFileName,
  readSchema,
} from '../../store/sqlite/database-file.ts';
import { openDirectory } from './data-directory.ts';

/** The write-ahead log and its index belong to a database file and move with it. */
const companions = ['', '-wal', '-shm'];

/** Copies the database as of one moment into one file, also while a service runs on it. */
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
  const draft = `${target}.partial`;
  begin(draft);
  await copyDatabase(source, draft);
  inspect(draft);
  renameSync(draft, target);
  return { file: target, bytes: statSync(target).size };
}

/** So that a place that cannot be written to is named, and others never read what is copied. */
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
): { file: string; schema: number; keptAside: string } {
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
    for (const suffix of occupied ? companions : []) {
      if (existsSync(file + suffix)) renameSync(file + suffix, aside + suffix);
    }
    if (existsSync(`${draft}-wal`)) renameSync(`${draft}-wal`, `${file}-wal`);
    renameSync(draft, file);
    const keptAside = occupied ? aside : '';
    auditRestore(file, {
      atMs: options.nowMs,
      actorName: localCaller.name,
      after: { file: path.resolve(source), schema, kept_aside: keptAside },
    });
    return { file, schema, keptAside };
  } finally {
    unlock();
  }
}

/** Its schema number; refuses what is no database of ours, damaged or too new. */
function inspect(file: string): number {
  let schema: number;
  try {
    schema = readSchema(file);
  } catch (error) {
    throw new RelayError(
      'invalid_request',
      reason('not_a_backup', { path: file, cause: (error as Error).message }),
      { cause: error },
    );
  }
  if (schema > newestMigration) {
    const params = { path: file, schema, known: newestMigration };
    throw new RelayError('schema_too_new', reason('backup_too_new', params));
  }
  return schema;
}
