/*
 * Schedules backups of the embedded database while the service runs: written, verified, and thinned
 * out.
 *
 * Invariants: a file has its final name only once it was verified; only files of that name are ever
 * deleted, and only after a newer one was written; the files determine when the next backup is due,
 * so a restart neither repeats nor forgets one. A file from the future, which a wrong clock wrote,
 * is ignored and kept.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { readdir, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../clock.ts';
import type { BackupState } from '../../core/service/backup-state.ts';
import { type Reason, reason } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import { backUpInProcess } from '../../store/sqlite/backup-process.ts';
import { databaseFileName } from '../../store/sqlite/database-file.ts';
import { openDirectory } from './data-directory.ts';

export interface Backups {
  state(): BackupState;
  /** Writes one at once, or waits for the one that is being written; throws the reason if it fails. */
  now(): Promise<BackupState>;
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

interface BackupDeps {
  clock: Clock;
  logger: Logger;
  dataDir: string;
  settings: { directory: string; everyMs: number; keep: number };
  /** Tests pass a function that fails. */
  write?: typeof backUpInProcess;
  freeBytes?: (directory: string) => Promise<number>;
}

/** The first backup waits, because a start has more urgent work. */
const firstAfterMs = 60_000;
const retryAfterMs = 15 * 60_000;
/** The wall clock may be set meanwhile, so a wait is never longer than this. */
const longestWaitMs = 10 * 60_000;
const spareBytes = 32e6;

const namePattern = /^bot-relay-(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z\.db$/;
const draftPattern = /^bot-relay-\d{8}T\d{6}Z\.db\.partial(-journal|-wal|-shm)?$/;

export async function createBackups(deps: BackupDeps): Promise<Backups> {
  const { clock, logger, settings } = deps;
  const { everyMs, keep } = settings;
  const directory = path.resolve(settings.directory);
  const write = deps.write ?? backUpInProcess;
  const freeBytes = deps.freeBytes ?? freeBytesOf;
  const startedAt = clock.now();
  let state: BackupState = {
    directory,
    everyMs,
    keep,
    count: 0,
    latest: undefined,
    durationMs: 0,
    nextAt: startedAt + firstAfterMs,
    isRunning: false,
    failure: undefined,
    failures: 0,
    startedAt,
  };

  async function look(): Promise<string[]> {
    const names = (await readdir(directory, { withFileTypes: true }))
      .filter((entry) => entry.isFile() && namePattern.test(entry.name))
      .map(({ name }) => name)
      .filter((name) => timeOf(name) <= clock.now() + everyMs)
      .sort();
    const file = names.at(-1);
    const latest =
      file === undefined
        ? undefined
        : { file, at: timeOf(file), bytes: (await stat(path.join(directory, file))).size };
    state = { ...state, count: names.length, latest };
    return names;
  }

  async function backUp(signal: AbortSignal): Promise<void> {
    openDirectory(directory, 'RELAY_BACKUP_DIR=./backups');
    const source = path.join(deps.dataDir, databaseFileName);
    await removeDrafts();
    const bytes = (await stat(source)).size;
    const free = await freeBytes(directory);
    // A backup must not fill a disk that the service may need.
    if (free < bytes + spareBytes) {
      const sizes = { needed: megabytes(bytes + spareBytes), free: megabytes(free) };
      throw new RelayError('conflict', reason('backup_no_space', { directory, ...sizes }));
    }
    const target = path.join(directory, nameOf(clock.now()));
    const draft = `${target}.partial`;
    try {
      writeFileSync(draft, '', { mode: 0o600 });
      await write({ source, draft, target }, signal);
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
    await thinOut(path.basename(target));
  }

  /** Deletes surplus backups. A file that cannot be deleted is tried again after the next backup. */
  async function thinOut(written: string): Promise<void> {
    const surplus = (await look()).slice(0, -keep).filter((name) => name !== written);
    for (const name of surplus) {
      await rm(path.join(directory, name)).catch((error: unknown) =>
        logger.warn({ err: error, file: name }, 'an old backup cannot be deleted'),
      );
    }
    await look();
  }

  /** Removes drafts of a process that was killed. */
  async function removeDrafts(): Promise<void> {
    const drafts = (await readdir(directory)).filter((name) => draftPattern.test(name));
    await Promise.all(drafts.map((name) => rm(path.join(directory, name), { force: true })));
  }

  const closing = new AbortController();
  let writing: Promise<void> | undefined;
  /** Two at once would write the same file. */
  function attempt(): Promise<void> {
    writing ??= attemptOnce(closing.signal).finally(() => {
      writing = undefined;
    });
    return writing;
  }

  async function attemptOnce(signal: AbortSignal): Promise<void> {
    const begunAt = clock.monotonic();
    state = { ...state, isRunning: true };
    try {
      await backUp(signal);
      const durationMs = clock.monotonic() - begunAt;
      const nextAt = clock.now() + everyMs;
      state = { ...state, isRunning: false, failure: undefined, durationMs, nextAt };
      const { file, bytes } = state.latest ?? {};
      logger.info({ file, bytes, duration_ms: durationMs }, 'backup written');
    } catch (error) {
      state = { ...state, isRunning: false };
      if (signal.aborted) return;
      const at = clock.now();
      const nextAt = at + Math.min(everyMs, retryAfterMs);
      const failure = { at, why: explain(error, directory) };
      state = { ...state, failure, failures: state.failures + 1, nextAt };
      logger.error({ err: error }, 'backup failed');
    }
  }

  // A directory that does not exist yet has no backups.
  await look().catch(() => {});
  if (state.latest) state.nextAt = Math.max(state.nextAt, state.latest.at + everyMs);

  return {
    state: () => state,
    async now() {
      await attempt();
      if (closing.signal.aborted) throw new RelayError('shutting_down', reason('shutting_down'));
      if (state.failure) throw new RelayError('conflict', state.failure.why);
      return state;
    },
    async run(signal) {
      signal.addEventListener('abort', () => closing.abort(signal.reason), { once: true });
      while (!signal.aborted) {
        const waitMs = state.nextAt - clock.now();
        // A wait longer than an interval means that the wall clock was set back.
        if (waitMs > everyMs + firstAfterMs) state = { ...state, nextAt: clock.now() + everyMs };
        if (waitMs <= 0) await attempt();
        else await clock.sleep(Math.min(waitMs, longestWaitMs), signal).catch(() => {});
      }
      await writing;
    },
  };
}

function nameOf(atMs: number): string {
  return `bot-relay-${new Date(atMs).toISOString().replace(/[-:]|\.\d+/g, '')}.db`;
}

function timeOf(name: string): number {
  const [, year, month, day, hour, minute, second] = (namePattern.exec(name) ?? []).map(Number);
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
}

const unusable = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR']);
const sqliteFull = 13;

function explain(error: unknown, directory: string): Reason {
  const { code = '', errcode, message } = error as NodeJS.ErrnoException & { errcode?: number };
  if (error instanceof RelayError && error.reason.code === 'backup_no_space') return error.reason;
  if (code === 'ENOSPC' || errcode === sqliteFull) return reason('backup_disk_full', { directory });
  const { code: cause = code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
  if (error instanceof RelayError || unusable.has(code)) {
    return reason('backup_directory_unusable', { directory, cause });
  }
  if (code === 'NOT_SOUND') return reason('backup_not_sound', { cause: message });
  return reason('backup_failed', { cause: code === '' ? message : code });
}

async function freeBytesOf(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
