import { readFile, rename, writeFile } from 'node:fs/promises';
import type { Sandbox } from './sandbox.ts';
import type { WorldState } from './world/records.ts';
import type { World } from './world/world.ts';

export function exportState(world: World): string {
  world.state.random = world.random.state();
  return JSON.stringify(
    world.state,
    function pack(this: Record<string, unknown>, key, value: unknown) {
      const original = this[key];
      if (original instanceof Map) return { $map: [...original] };
      if (original instanceof Buffer) return { $bytes: original.toString('base64') };
      return value;
    },
  );
}

export function importState(world: World, json: string): void {
  const state = JSON.parse(json, (_key, value: unknown) => {
    if (value === null || typeof value !== 'object') return value;
    if ('$map' in value) return new Map(value.$map as [unknown, unknown][]);
    if ('$bytes' in value) return Buffer.from(value.$bytes as string, 'base64');
    return value;
  }) as WorldState;
  if (state.version !== 1) throw new Error('The sandbox data was written by another version.');
  world.state = state;
  world.random.restore(state.random);
}

export interface Persistence {
  /** Writes what is not written yet. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

const DEBOUNCE_MS = 500;

/** Loads the file if it exists, then keeps it up to date; each write replaces the file whole. */
export async function persistTo(sandbox: Sandbox, file: string): Promise<Persistence> {
  const saved = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (saved !== undefined) sandbox.importState(saved);

  let written = saved;
  let busy: Promise<void> = Promise.resolve();
  const save = async (): Promise<void> => {
    const json = sandbox.exportState();
    if (json === written) return;
    await writeFile(`${file}.tmp`, json, { mode: 0o600 });
    await rename(`${file}.tmp`, file);
    written = json;
  };
  const flush = (): Promise<void> => {
    busy = busy.then(save);
    return busy;
  };
  let timer: NodeJS.Timeout | undefined;
  const later = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      flush().catch(() => later());
    }, DEBOUNCE_MS);
  };
  const unsubscribe = sandbox.onWrite(later);
  return {
    flush,
    async stop() {
      unsubscribe();
      clearTimeout(timer);
      await flush();
    },
  };
}
