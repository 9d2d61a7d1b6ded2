/*
 * Lets the command find the service that runs on a data directory: the service writes its address
 * and a key for this run into a file that only its user can read. A reader of that file could also
 * read the database and the master key, so the key gives no further access; it ends with the
 * process.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface RunningService {
  pid: number;
  url: string;
  key: string;
  /** The Bot API server that the service uses. */
  telegramApiUrl: string;
}

function fileOf(dataDir: string): string {
  return path.join(dataDir, 'service.json');
}

export function writeServiceFile(dataDir: string, service: RunningService): void {
  const file = fileOf(dataDir);
  const draft = `${file}.${service.pid}`;
  writeFileSync(draft, `${JSON.stringify(service)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

export function readServiceFile(dataDir: string): RunningService | undefined {
  try {
    const found = JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as RunningService;
    return isAlive(found.pid) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** A crash leaves the file behind, so the process ID shows whether it is still valid. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Removes only the file of this process: another service may have replaced it since. */
export function removeServiceFile(dataDir: string, pid: number): void {
  if (readServiceFile(dataDir)?.pid === pid) rmSync(fileOf(dataDir), { force: true });
}
