import { DatabaseSync } from 'node:sqlite';

/** The world is in use: two sandboxes would overwrite each other's world. */
export class WorldInUse extends Error {}

const busy = 5;

/**
 * Locks a saved world for this sandbox. The lock is SQLite's, on an empty file next to the
 * world: the system releases it when the process ends, however it ends.
 */
export function lockWorld(file: string): () => void {
  const db = new DatabaseSync(`${file}.lock`, { timeout: 0 });
  try {
    db.exec('pragma journal_mode = memory; pragma locking_mode = exclusive; begin exclusive');
  } catch (error) {
    db.close();
    if ((error as { errcode?: number }).errcode !== busy) throw error;
    throw new WorldInUse('another sandbox uses it. Stop that one, or choose another file.', {
      cause: error,
    });
  }
  return () => db.close();
}
