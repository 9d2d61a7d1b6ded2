/*
 * How the command finds the service that runs on a data dir: the service writes its address and a
 * key of this one run into a file only its user can read. Whoever reads that file could read the
 * database and the master key beside it, so the key opens nothing new; it ends with the process.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface RunningService {
  pid: number;
  url: string;
  key: string;
  /** The Bot API server that it uses. */
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

/** A crash leaves the file behind; its process tells. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Only the file of this process: another service may have taken the place since. */
export function removeServiceFile(dataDir: string, pid: number): void {
  if (readServiceFile(dataDir)?.pid === pid) rmSync(fileOf(dataDir), { force: true });
}
