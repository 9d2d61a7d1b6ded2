import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { World } from '../world/world.ts';
import { replaceFile } from './replace-file.ts';

/** Uploaded files never change, so each is written once, next to the world's file. */
export function createUploadStore(world: World, folder: string) {
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
      // A file whose bytes were lost is removed, because unknown is better than empty.
      for (const key of world.state.files.keys())
        if (!onDisk.has(key)) world.state.files.delete(key);
    },
    async save(): Promise<void> {
      const { files } = world.state;
      for (const [key, file] of files) {
        if (onDisk.has(key)) continue;
        if (onDisk.size === 0) await mkdir(folder, { recursive: true, mode: 0o700 });
        await replaceFile(path.join(folder, key), [file.bytes]);
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
