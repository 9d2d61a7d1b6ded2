/* The thread that copies the write-ahead log into the database while others go on writing. */
import { fdatasyncSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

const { file, descriptor } = workerData as { file: string; descriptor: number };
const db = new DatabaseSync(file);
db.exec('pragma wal_autocheckpoint = 0');
const copy = db.prepare('pragma wal_checkpoint(passive)');
// The second pass copies what was written during the first, and leaves almost nothing.
const passes = 2;

parentPort?.on('message', (order: 'copy' | 'close') => {
  if (order === 'close') {
    db.close();
    parentPort?.close();
    return;
  }
  for (let pass = 0; pass < passes; pass++) {
    copy.all();
    // SQLite itself syncs only if nothing was added meanwhile, which never happens under load.
    fdatasyncSync(descriptor);
  }
  parentPort?.postMessage('copied');
});
