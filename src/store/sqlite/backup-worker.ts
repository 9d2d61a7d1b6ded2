/*
 * This process writes a backup and reads all of it again. It yields to the service: with a low
 * priority, and a pause after each megabyte, so that the disk is free for commits.
 */
import { closeSync, fdatasyncSync, fsyncSync, openSync, renameSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { copyDatabase, type Contents, verifyCopy } from './database-file.ts';

const [source = '', draft = '', target = ''] = process.argv.slice(2);
const sleeper = new Int32Array(new SharedArrayBuffer(4));
const longestPauseMs = 100;

try {
  os.setPriority(os.constants.priority.PRIORITY_LOW);
} catch {
  // A sandbox such as that of the systemd unit forbids it, but the backup matters more.
}

try {
  const contents = await copy();
  const schema = verify(contents);
  renameSync(draft, target);
  syncDirectory(path.dirname(target));
  process.send?.({ schema, bytes: statSync(target).size });
} catch (thrown) {
  const { message, code, errcode } = thrown as Error & { code?: string; errcode?: number };
  if (process.connected) process.send?.({ error: { message, code, errcode } });
}
if (process.connected) process.disconnect();

async function copy(): Promise<Contents> {
  const descriptor = openSync(draft, 'r+');
  let since = performance.now();
  const contents = await copyDatabase(source, draft, () => {
    if (!process.connected) throw new Error('the service ended');
    // This flushes in small parts, because one large flush would delay the next commit.
    fdatasyncSync(descriptor);
    Atomics.wait(sleeper, 0, 0, Math.min(longestPauseMs, performance.now() - since));
    since = performance.now();
  });
  fsyncSync(descriptor);
  closeSync(descriptor);
  return contents;
}

function verify(contents: Contents): number {
  try {
    return verifyCopy(draft, contents);
  } catch (error) {
    throw Object.assign(new Error((error as Error).message), { code: 'NOT_SOUND' });
  }
}

/** Makes the name survive a crash, on systems that can. */
function syncDirectory(directory: string): void {
  try {
    const descriptor = openSync(directory, 'r');
    fsyncSync(descriptor);
    closeSync(descriptor);
  } catch {
    // The file itself is on disk.
  }
}
