/*
 * Keeps the write-ahead log short without delaying writers.
 *
 * A thread copies the log into the database and syncs it to the disk, which takes some tens of
 * milliseconds. Then only what was added meanwhile is left, and the write connection copies that in
 * one or two, after which the log starts again from its beginning. Without the thread SQLite does
 * all of it within a commit, and everything waits.
 *
 * Nothing depends on the thread: the write connection syncs the database itself before the log is
 * overwritten, and if the thread fails it copies by itself again.
 */
import { closeSync, openSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { programFile } from '../../package-root.ts';
import type { Connection } from './connection.ts';

export interface Checkpointer {
  /** Called after each commit. */
  committed(): void;
  /** Ends the thread, which finishes what it has in flight. */
  stop(): Promise<void>;
  /** Called after the last connection of this process was closed. */
  letGo(): void;
}

/** This is 32 MB: a page that changes in every commit is copied once for all of them. */
const defaultPages = 8_000;
/** If the thread does not keep up, the write connection helps at this many times the length. */
const autocheckpointFactor = 5;
/** From this version on SQLite reports the length of its log without copying any of it. */
const firstThatTells = '3.51';

export function createCheckpointer(
  file: string,
  connection: Pick<Connection, 'exec' | 'run'>,
  options: { pages?: number | undefined; thread?: string | URL } = {},
): Checkpointer {
  const { pages = defaultPages, thread = programFile('store/sqlite/checkpoint-worker') } = options;
  // The file stays open until the end: closing it would release the locks that SQLite holds on it,
  // because the operating system counts them per process.
  const database = openSync(file, 'r+');
  let worker: Worker | undefined;
  let copying = false;
  let stopped = false;
  /** The length of the log after the last round, until the log starts from its beginning. */
  let doneTo = 0;
  let ended: (() => void) | undefined;

  if ((process.versions['sqlite'] ?? '') < firstThatTells) giveUp();
  else connection.exec(`pragma wal_autocheckpoint = ${pages * autocheckpointFactor}`);

  /** Returns how many pages are in the log; `noop` copies none of them. */
  function checkpoint(mode: 'noop' | 'passive'): number {
    const [row] = connection.run(`pragma wal_checkpoint(${mode})`, []).rows;
    return (row as { log: number }).log;
  }

  function start(): Worker {
    const started = new Worker(thread, {
      workerData: { file, descriptor: database },
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 },
    });
    started.unref();
    started.on('message', finishRound);
    // The exit event follows.
    started.on('error', () => {});
    started.on('exit', () => {
      worker = undefined;
      if (ended) ended();
      else giveUp();
    });
    return started;
  }

  function finishRound(): void {
    copying = false;
    if (stopped) return;
    try {
      doneTo = checkpoint('passive');
    } catch {
      // If the disk fails, the next commit reports it; nothing is lost, the log only grows.
    }
  }

  /** Leaves the copying to SQLite. */
  function giveUp(): void {
    stopped = true;
    connection.exec(`pragma wal_autocheckpoint = ${pages}`);
  }

  return {
    committed() {
      if (copying || stopped) return;
      const length = checkpoint('noop');
      if (length < doneTo) doneTo = 0;
      // A long read may keep the log from restarting; a round then copies only new pages.
      if (length - doneTo < pages) return;
      copying = true;
      worker ??= start();
      worker.postMessage('copy');
    },
    async stop() {
      stopped = true;
      if (!worker) return;
      await new Promise<void>((resolve) => {
        ended = resolve;
        worker?.ref();
        worker?.postMessage('close');
      });
    },
    letGo() {
      closeSync(database);
    },
  };
}
