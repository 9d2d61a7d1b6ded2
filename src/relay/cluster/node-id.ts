import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const shape = /^[A-Za-z0-9_-]{8,64}$/;

export function newNodeId(): string {
  return randomBytes(9).toString('base64url');
}

/**
 * Loads the node's name from its data directory: with it, a node takes its own bots back at once
 * after a restart.
 */
export function loadNodeId(dataDir: string): string {
  const file = path.join(dataDir, 'node-id');
  try {
    const known = readFileSync(file, 'utf8').trim();
    if (shape.test(known)) return known;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const made = newNodeId();
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${file}.${made}`;
  writeFileSync(draft, `${made}\n`, { mode: 0o600 });
  renameSync(draft, file);
  return made;
}
