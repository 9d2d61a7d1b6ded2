import { reason } from '../../core/reasons/reason.ts';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { RelayError } from '../../errors.ts';

/**
 * Locks the data directory for this process. The lock is SQLite's own, on a separate file: the
 * operating system releases it when the process ends, however it ends, so no stale lock is ever
 * left.
 */
export function lockDataDir(dataDir: string): () => void {
  const db = new DatabaseSync(path.join(dataDir, 'relay.lock'), { timeout: 0 });
  try {
    // Nothing is ever written, so there is nothing to roll back, and a journal file would be
    // useless.
    db.exec('pragma journal_mode = memory; pragma locking_mode = exclusive; begin exclusive');
  } catch (error) {
    db.close();
    throw new RelayError(
      'data_dir_locked',
      reason('data_directory_locked', { directory: dataDir }),
      { cause: error },
    );
  }
  return () => db.close();
}
