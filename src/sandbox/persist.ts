import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Sandbox } from './sandbox.ts';
import { skipIds } from './skip-ids.ts';
import type { WorldState } from './world/records.ts';
import type { World } from './world/world.ts';

/** The whole world as JSON. The bytes of files are left out where they are kept apart. */
export function exportState(world: World, withBytes = true): string {
  world.state.random = world.random.state();
  world.state.aheadMs = world.clock.aheadMs();
  return JSON.stringify(
    world.state,
    function pack(this: Record<string, unknown>, key, value: unknown) {
      const original = this[key];
      if (original instanceof Map) return { $map: [...original] };
      if (original instanceof Buffer)
        return { $bytes: withBytes ? original.toString('base64') : '' };
      return isMarked(value) ? { $plain: Object.entries(value) } : value;
    },
  );
}

/** Buttons, contacts and the like are kept as they were given, so any name can be in them. */
const isMarked = (value: unknown): value is object =>
  value !== null &&
  typeof value === 'object' &&
  ('$map' in value || '$bytes' in value || '$plain' in value);

export function importState(world: World, json: string): void {
  const state = JSON.parse(json, (_key, value: unknown) => {
    if (value === null || typeof value !== 'object') return value;
    if ('$map' in value) return new Map(value.$map as [unknown, unknown][]);
    if ('$bytes' in value) return Buffer.from(value.$bytes as string, 'base64');
    if ('$plain' in value) return Object.fromEntries(value.$plain as [string, unknown][]);
    return value;
  }) as WorldState;
  if (state.version !== 1) throw new Error('The sandbox data was written by another version.');
  world.state = state;
  world.random.restore(state.random);
  // A world whose time was moved goes on from there, so that its past stays in the past.
  world.clock.setAhead(state.aheadMs ?? 0);
}

export interface Persistence {
  /** Writes what is not written yet. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

const DEBOUNCE_MS = 500;
/** A large world is written less often, so that writing takes no more than this part of the time. */
const WRITING_SHARE = 0.05;

/** On the disk before it takes the place of the former: a power cut leaves one of them whole. */
async function replaceFile(file: string, content: string | Buffer): Promise<void> {
  await writeFile(`${file}.tmp`, content, { mode: 0o600, flush: true });
  await rename(`${file}.tmp`, file);
}

/** Uploaded files never change, so each is written once, beside the world. */
function createFileStore(world: World, folder: string) {
  const onDisk = new Set<string>();
  return {
    async load(): Promise<void> {
      const names = await readdir(folder).catch(() => []);
      for (const name of names) {
        const file = world.state.files.get(name);
        if (file) file.bytes = await readFile(path.join(folder, name));
        if (file) onDisk.add(name);
        else await rm(path.join(folder, name), { force: true });
      }
      // A file whose bytes were lost is better unknown than empty.
      for (const key of world.state.files.keys())
        if (!onDisk.has(key)) world.state.files.delete(key);
    },
    async save(): Promise<void> {
      const { files } = world.state;
      for (const [key, file] of files) {
        if (onDisk.has(key)) continue;
        if (onDisk.size === 0) await mkdir(folder, { recursive: true, mode: 0o700 });
        await replaceFile(path.join(folder, key), file.bytes);
        onDisk.add(key);
      }
      for (const key of onDisk) {
        if (files.has(key)) continue;
        onDisk.delete(key);
        await rm(path.join(folder, key), { force: true });
      }
    },
  };
}

/** Loads the file if it exists, then keeps it up to date; each write replaces the file whole. */
export async function persistTo(sandbox: Sandbox, file: string): Promise<Persistence> {
  const saved = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  const { world } = sandbox;
  const store = createFileStore(world, `${file}.files`);
  let written = saved;
  let pauseMs = DEBOUNCE_MS;
  let busy: Promise<void> = Promise.resolve();
  const save = async (): Promise<void> => {
    const startedAt = performance.now();
    const json = exportState(world, false);
    pauseMs = Math.max(DEBOUNCE_MS, (performance.now() - startedAt) / WRITING_SHARE);
    if (json === written) return;
    await store.save();
    await replaceFile(file, json);
    written = json;
  };
  const flush = (): Promise<void> => {
    busy = busy.catch(() => undefined).then(save);
    return busy;
  };
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
    await store.load();
    if (!world.state.closed) skipIds(world);
    delete world.state.closed;
    // At once, so that a crash before the first change is seen as one too.
    await flush().catch(later);
  }
  const unsubscribe = sandbox.onWrite(later);
  return {
    flush,
    async stop() {
      unsubscribe();
      clearTimeout(timer);
      world.state.closed = true;
      await flush();
    },
  };
}
