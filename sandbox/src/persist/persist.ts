import { readFile } from 'node:fs/promises';
import { setImmediate as othersRun } from 'node:timers/promises';
import { skipIds } from '../skip-ids.ts';
import type { World } from '../world/world.ts';
import { writeLines } from './lines.ts';
import { lockWorld } from './lock.ts';
import { replaceFile } from './replace-file.ts';
import { createUploadStore } from './uploads.ts';

/** The parts of a sandbox that persistence needs. */
interface Keepable {
  world: World;
  importState(json: string): void;
  onWrite(listener: () => void): () => void;
}

export interface Persistence {
  /** Writes unsaved changes. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

const debounceMs = 500;
/** A large world is written less often, so that writing takes at most this part of the time … */
const writingShare = 0.05;
/** … but a killed process loses at most the changes of this time and of the last write. */
const mostPauseMs = 5_000;

const isSame = (left: readonly Buffer[], right: readonly Buffer[]): boolean =>
  left.length === right.length &&
  left.every((part, index) => right[index] !== undefined && part.equals(right[index]));

/** Loads the file if it exists, then keeps it up to date and locked against others. */
export async function persistTo(sandbox: Keepable, file: string): Promise<Persistence> {
  const unlock = lockWorld(file);
  try {
    return await keepIn(sandbox, file, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

async function keepIn(sandbox: Keepable, file: string, unlock: () => void): Promise<Persistence> {
  const saved = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  const { world } = sandbox;
  const uploads = createUploadStore(world, `${file}.files`);
  let written: readonly Buffer[] = [];
  let pauseMs = debounceMs;
  let busy: Promise<void> = Promise.resolve();
  const save = async (pause?: () => Promise<unknown>): Promise<void> => {
    const startedAt = performance.now();
    const parts = await writeLines(world, pause);
    if (!isSame(parts, written)) {
      await uploads.save();
      await replaceFile(file, parts);
      written = parts;
    }
    const fairMs = (performance.now() - startedAt) / writingShare;
    pauseMs = Math.min(mostPauseMs, Math.max(debounceMs, fairMs));
  };
  const runExclusive = (work: () => Promise<void>): Promise<void> => {
    busy = busy.catch(() => undefined).then(work);
    return busy;
  };
  const flush = (): Promise<void> => runExclusive(() => save(othersRun));
  let timer: NodeJS.Timeout | undefined;
  const later = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      flush().catch(later);
    }, pauseMs);
    timer.unref();
  };
  if (saved !== undefined) {
    sandbox.importState(saved);
    await uploads.load();
    if (!world.state.closed) skipIds(world);
    delete world.state.closed;
    // Save at once, so that a crash before the first change is recognised too.
    await flush().catch(later);
  }
  const unsubscribe = sandbox.onWrite(later);
  let stopped: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    unsubscribe();
    clearTimeout(timer);
    try {
      await runExclusive(() => {
        world.state.closed = true;
        return save();
      });
    } finally {
      unlock();
    }
  };
  return { flush, stop: () => (stopped ??= end()) };
}
