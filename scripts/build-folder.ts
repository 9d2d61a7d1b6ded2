import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import path from 'node:path';

const keptMs = 86_400_000;

/**
 * Builds a folder if it is missing. It is published by a rename, because several processes may build
 * it at the same time. A process may still load files of an older folder beside it: the last one and
 * those used within a day are kept.
 */
export async function buildFolder(
  folder: string,
  fill: (staging: string) => Promise<unknown>,
): Promise<void> {
  const parent = path.dirname(folder);
  if (!existsSync(folder)) {
    const staging = path.join(parent, randomUUID());
    mkdirSync(staging, { recursive: true });
    await fill(staging);
    try {
      renameSync(staging, folder);
    } catch (error) {
      if (!existsSync(folder)) throw error;
      rmSync(staging, { recursive: true });
    }
  }
  const now = new Date();
  utimesSync(folder, now, now);
  const others = readdirSync(parent)
    .map((name) => path.join(parent, name))
    .filter((other) => other !== folder)
    .map((other) => ({
      other,
      usedAt: statSync(other, { throwIfNoEntry: false })?.mtimeMs ?? 0,
    }))
    .sort((a, b) => b.usedAt - a.usedAt);
  for (const { other, usedAt } of others.slice(1)) {
    if (usedAt < now.getTime() - keptMs) rmSync(other, { recursive: true, force: true });
  }
}
