/*
 * Caches files of the platform on disk, within a number of bytes: the least recently requested file
 * is removed first. A file is complete or missing: it is written under another name and then
 * renamed. The names on disk hold all the facts, so nothing else is stored.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../clock.ts';

export interface CachedFile {
  path: string;
  name: string;
  sizeBytes: number;
}

export interface MediaCache {
  keyOf(botId: number, fileId: string): string;
  find(key: string): Promise<CachedFile | undefined>;
  pathOf(key: string, name: string): string;
  /** The path to which a file is written until it is complete. */
  temporaryPath(key: string): Promise<string>;
  /** Registers a file that was put at `pathOf`; other files make room for it. */
  added(key: string, name: string, sizeBytes: number): Promise<void>;
}

interface Entry {
  name: string;
  sizeBytes: number;
  usedAt: number;
}

const unfinished = '.part';
/** The precision of the stored time of last use. */
const usedWithinMs = 60_000;

export function createMediaCache(options: {
  folder: string;
  maxBytes: number;
  clock: Clock;
}): MediaCache {
  const { folder, maxBytes, clock } = options;
  let loaded: Promise<Map<string, Entry>> | undefined;

  const pathOf = (key: string, name: string) => path.join(folder, `${key}-${name}`);
  const entries = () => (loaded ??= load(folder));

  async function remove(key: string, { name }: Entry): Promise<void> {
    (await entries()).delete(key);
    await rm(pathOf(key, name), { force: true });
  }

  return {
    pathOf,
    keyOf: (botId, fileId) =>
      createHash('sha256').update(`${botId} ${fileId}`).digest('hex').slice(0, 40),
    async temporaryPath(key) {
      await entries();
      return path.join(folder, `${key}-${randomUUID()}${unfinished}`);
    },
    async find(key) {
      const entry = (await entries()).get(key);
      if (!entry) return undefined;
      const file = pathOf(key, entry.name);
      const now = clock.now();
      try {
        await stat(file);
        if (now - entry.usedAt > usedWithinMs) await utimes(file, now / 1000, now / 1000);
      } catch {
        // Someone deleted the file.
        await remove(key, entry);
        return undefined;
      }
      entry.usedAt = now;
      return { path: file, name: entry.name, sizeBytes: entry.sizeBytes };
    },
    async added(key, name, sizeBytes) {
      const all = await entries();
      all.set(key, { name, sizeBytes, usedAt: clock.now() });
      let total = [...all.values()].reduce((sum, entry) => sum + entry.sizeBytes, 0);
      const oldestFirst = [...all].sort(([, a], [, b]) => a.usedAt - b.usedAt);
      for (const [other, entry] of oldestFirst) {
        // The new file stays even if it is larger than the limit, because it is being read.
        if (total <= maxBytes || other === key) continue;
        total -= entry.sizeBytes;
        await remove(other, entry);
      }
    },
  };
}

async function load(folder: string): Promise<Map<string, Entry>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const entries = new Map<string, Entry>();
  for (const file of await readdir(folder)) {
    const full = path.join(folder, file);
    const [, key, name] = /^([0-9a-f]{40})-(.+)$/.exec(file) ?? [];
    if (key === undefined || name === undefined) continue;
    if (name.endsWith(unfinished)) {
      // A process ended in the middle of a download and left this file.
      await rm(full, { force: true });
      continue;
    }
    const { size, mtimeMs } = await stat(full);
    entries.set(key, { name, sizeBytes: size, usedAt: mtimeMs });
  }
  return entries;
}
