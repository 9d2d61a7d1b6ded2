import { fork } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readSettings, toConfig } from '../../src/config.ts';
import { type BackupState, overdueBackup } from '../../src/core/service/backup-state.ts';
import { reasonText } from '../../src/core/reasons/reason.ts';
import { createLogger } from '../../src/logger.ts';
import { restore } from '../../src/manage/service/backup.ts';
import { createBackups } from '../../src/manage/service/backups.ts';
import { packageRoot, programFile } from '../../src/package-root.ts';
import { newestSchema } from '../../src/store/migrations/index.ts';
import { type Engine, raw } from '../../src/store/engine.ts';
import { verifyCopy } from '../../src/store/sqlite/database-file.ts';
import { backUpInProcess } from '../../src/store/sqlite/backup-process.ts';
import { openSqlite } from '../../src/store/sqlite/engine.ts';
import { advanceUntil, createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { temporaryFolder } from '../support/relay-process.ts';

const hourMs = 3_600_000;
const logger = createLogger({ level: 'silent' });

describe('scheduled backups', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let dataDir: string;
  let directory: string;
  let clock: ManualClock;
  let engine: Engine;

  beforeEach(async () => {
    folder = temporaryFolder();
    dataDir = path.join(folder.path, 'data');
    directory = path.join(folder.path, 'backups');
    clock = createManualClock(Date.UTC(2026, 0, 31, 12));
    engine = await openSqlite(dataDir);
  });
  afterEach(async () => {
    await engine.close();
    folder.remove();
  });

  const note = (name: string) =>
    engine.write(() => raw(`insert into settings (name, value) values ($1, 'kept')`, [name]));

  type Deps = Parameters<typeof createBackups>[0];
  async function start(more: Partial<Deps> = {}, keep = 2) {
    const settings = { directory, everyMs: 24 * hourMs, keep };
    const backups = await createBackups({ clock, logger, dataDir, settings, ...more });
    const end = new AbortController();
    const ended = backups.run(end.signal);
    const stop = async () => {
      end.abort(new Error('the service stops'));
      await ended;
    };
    onTestFinished(stop);
    return { ...backups, stop };
  }
  /** Time moves on to the next one, and hardly while it is written. */
  async function written({ state }: { state(): BackupState }): Promise<void> {
    await advanceUntil(clock, () => state().isRunning, 60_000);
    await advanceUntil(clock, () => !state().isRunning, 1);
  }

  it('writes one that can be restored, a minute after the start', async () => {
    await note('before');
    const backups = await start();
    expect(backups.state()).toMatchObject({ count: 0, latest: undefined, isRunning: false });
    expect(backups.state().nextAt).toBe(clock.now() + 60_000);
    await written(backups);
    const { latest, count, failure, nextAt } = backups.state();
    expect(latest).toMatchObject({ at: Date.UTC(2026, 0, 31, 12, 1) });
    expect(latest?.file).toBe('bot-relay-20260131T120100Z.db');
    expect({ count, failure }).toEqual({ count: 1, failure: undefined });
    expect(nextAt).toBeGreaterThan(clock.now() + 23 * hourMs);
    const file = path.join(directory, latest?.file ?? '');
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(readdirSync(directory)).toEqual([latest?.file]);

    const elsewhere = path.join(folder.path, 'elsewhere');
    restore(elsewhere, file, { force: false, stamp: 'x', nowMs: 1 });
    const restored = await openSqlite(elsewhere);
    const rows = await restored.readRaw<{ name: string }>('select name from settings', []);
    await restored.close();
    expect(rows.map(({ name }) => name)).toContain('before');
  });

  it('writes one at once, for all who want it at the same time', async () => {
    const backups = await start();
    const both = await Promise.all([backups.now(), backups.now()]);
    expect(both.map(({ count }) => count)).toEqual([1, 1]);
    expect(readdirSync(directory)).toEqual(['bot-relay-20260131T120000Z.db']);
    expect(backups.state().nextAt).toBe(clock.now() + 24 * hourMs);
  });

  it('says why none is written at once', async () => {
    const backups = await start({ freeBytes: async () => 1e6 });
    const failure = { code: 'conflict', reason: { code: 'backup_no_space' } };
    await expect(backups.now()).rejects.toMatchObject(failure);
    expect(backups.state()).toMatchObject({ isRunning: false, failures: 1 });
  });

  it('ends one that was wanted at once when the service stops', async () => {
    const begun = Promise.withResolvers<void>();
    const backups = await start({
      write: (_files, signal) => {
        begun.resolve();
        return new Promise((_done, fail) => {
          signal.addEventListener('abort', () => fail(signal.reason as Error));
        });
      },
    });
    const wanted = expect(backups.now()).rejects.toMatchObject({ code: 'shutting_down' });
    await begun.promise;
    await backups.stop();
    await wanted;
    expect(readdirSync(directory)).toEqual([]);
  });

  it('keeps as many as it is told, and leaves other files alone', async () => {
    mkdirSync(directory);
    const others = ['bot-relay-notes.txt', 'bot-relay-2026.db', 'zz.db'];
    for (const name of others) writeFileSync(path.join(directory, name), 'mine');
    writeFileSync(path.join(directory, 'bot-relay-20260131T110000Z.db.partial'), 'half');
    const backups = await start();
    for (let days = 0; days < 3; days++) {
      await written(backups);
      await clock.advance(23 * hourMs);
    }
    expect(backups.state().count).toBe(2);
    const files = readdirSync(directory).filter((name) => !others.includes(name));
    expect(files.map((name) => name.slice(10, 18))).toEqual(['20260201', '20260202']);
    expect(readdirSync(directory)).toEqual(expect.arrayContaining(others));
  });

  it('counts no file from the future, and never deletes the one just written', async () => {
    mkdirSync(directory);
    const future = 'bot-relay-20300101T000000Z.db';
    writeFileSync(path.join(directory, future), 'written while the clock was wrong');
    const backups = await start({}, 1);
    expect(backups.state().latest).toBeUndefined();
    await written(backups);
    const { latest, nextAt } = backups.state();
    expect(latest?.at).toBe(Date.UTC(2026, 0, 31, 12, 1));
    expect(nextAt).toBeLessThanOrEqual(clock.now() + 24 * hourMs);
    expect(readdirSync(directory)).toEqual([latest?.file, future]);
  });

  it('is done although an old one cannot be deleted', async () => {
    mkdirSync(path.join(directory, 'bot-relay-20250101T000000Z.db'), { recursive: true });
    const backups = await start({}, 1);
    await written(backups);
    expect(backups.state()).toMatchObject({ count: 1, failure: undefined });
    expect(backups.state().nextAt).toBeGreaterThan(clock.now() + 23 * hourMs);
  });

  it('neither repeats nor forgets one over a restart', async () => {
    const first = await start();
    await written(first);
    await first.stop();
    await clock.advance(10 * hourMs);
    const second = await start();
    expect(second.state().latest).toEqual(first.state().latest);
    expect(second.state().nextAt).toBe((first.state().latest?.at ?? 0) + 24 * hourMs);
    await second.stop();
    await clock.advance(30 * hourMs);
    const third = await start();
    expect(third.state().nextAt).toBe(clock.now() + 60_000);
    await written(third);
    expect(third.state().count).toBe(2);
  });

  it('says that it cannot write, tries again, and then says nothing more', async () => {
    writeFileSync(directory, 'a file');
    const backups = await start();
    await advanceUntil(clock, () => backups.state().failures > 0, 60_000);
    expect(reasonText(backups.state().failure?.why ?? neverReason)).toMatch(
      /^Cannot write to .*backups \(ENOTDIR\)\. Make the directory writable/,
    );
    const overdue = () => overdueBackup(backups.state(), clock.now(), 2 * 24 * hourMs);
    expect(overdue()).toBeUndefined();
    await clock.advance(3 * 24 * hourMs);
    expect(overdue()).toEqual({
      since: Date.UTC(2026, 0, 31, 12),
      why: expect.objectContaining({ code: 'backup_directory_unusable' }),
    });
    rmSync(directory);
    await written(backups);
    expect(backups.state().failure).toBeUndefined();
    expect(overdue()).toBeUndefined();
    expect(overdueBackup(undefined, clock.now())).toBeUndefined();
  });

  it('does not take the last space of a disk, and removes what did not fit', async () => {
    const scarce = await start({ freeBytes: async () => 1e6 });
    await advanceUntil(clock, () => scarce.state().failures > 0, 60_000);
    expect(reasonText(scarce.state().failure?.why ?? neverReason)).toMatch(
      /^A backup needs \d+ MB, and .*backups has 1 MB free\. Free some space/,
    );
    await scarce.stop();
    const full = await start({
      write: async ({ draft }) => {
        expect(existsSync(draft)).toBe(true);
        throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
      },
    });
    await advanceUntil(clock, () => full.state().failures > 0, 60_000);
    expect(reasonText(full.state().failure?.why ?? neverReason)).toMatch(/^The disk of .* is full/);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('does not give its name to a copy that is damaged or incomplete', async () => {
    const draft = path.join(folder.path, 'draft');
    const target = path.join(folder.path, 'copy.db');
    writeFileSync(draft, '');
    await backUpInProcess(
      { source: path.join(dataDir, 'relay.db'), draft, target },
      new AbortController().signal,
    );
    expect(verifyCopy(target, { bots: 0 })).toBeGreaterThan(20);
    expect(() => verifyCopy(target, { bots: 3 })).toThrow('bots: 0 of 3');
    const file = await open(target, 'r+');
    await file.write(Buffer.alloc(4_096, 0xff), 0, 4_096, 4_096 * 3);
    await file.close();
    expect(() => verifyCopy(target, { bots: 0 })).toThrow();

    const damaged = await start({
      write: async () => {
        throw Object.assign(new Error('row 7 missing from index'), { code: 'NOT_SOUND' });
      },
    });
    await advanceUntil(clock, () => damaged.state().failures > 0, 60_000);
    expect(reasonText(damaged.state().failure?.why ?? neverReason)).toMatch(
      /did not pass the check \(row 7 missing from index\)/,
    );
  });

  it('is written where a process may not lower its priority', async () => {
    const draft = path.join(folder.path, 'draft');
    const target = path.join(folder.path, 'copy.db');
    writeFileSync(draft, '');
    const forbid = `import os from 'node:os';
      os.setPriority = () => { throw Object.assign(new Error('not permitted'), { code: 'EPERM' }); };`;
    const worker = fork(
      programFile('store/sqlite/backup-worker'),
      [path.join(dataDir, 'relay.db'), draft, target],
      { execArgv: ['--import', `data:text/javascript,${encodeURIComponent(forbid)}`] },
    );
    const answer = await new Promise((resolve) => worker.once('message', resolve));
    expect(answer).toEqual({ schema: newestSchema(), bytes: statSync(target).size });
  });

  it('names the signal that ended the process that writes it', async () => {
    const draft = path.join(folder.path, 'draft');
    const source = path.join(dataDir, 'relay.db');
    writeFileSync(draft, '');
    const end = new AbortController();
    const writing = backUpInProcess({ source, draft, target: `${draft}.db` }, end.signal);
    end.abort();
    await expect(writing).rejects.toThrow('the process that writes it ended with SIGKILL');
  });

  it('may be written where the guide says, under the systemd unit', () => {
    const read = (name: string) => readFileSync(path.join(packageRoot, name), 'utf8');
    const unit = read('deploy/bot-relay.service');
    const documented = /RELAY_BACKUP_DIR=\/var\/lib\/([\w-]+)/.exec(read('docs/operate.md'))?.[1];
    expect(/^StateDirectory=(.+)$/m.exec(unit)?.[1]?.split(' ')).toContain(documented);
    // What the filter forbids must not kill: a process with a low priority is refused, no more.
    expect(unit).toMatch(/^SystemCallErrorNumber=EPERM$/m);
  });

  it('is finished although the service commits all the time', async () => {
    await note('first');
    let commits = 0;
    let isDone = false;
    const draft = path.join(folder.path, 'draft');
    const target = path.join(folder.path, 'copy.db');
    writeFileSync(draft, '');
    const source = path.join(dataDir, 'relay.db');
    const copying = backUpInProcess(
      { source, draft, target },
      new AbortController().signal,
    ).finally(() => {
      isDone = true;
    });
    while (!isDone) await note(`commit ${commits++}`);
    await expect(copying).resolves.toMatchObject({ schema: expect.any(Number) });
    expect(commits).toBeGreaterThan(5);
  });

  it('ends at once with the service, and leaves a draft for the next to remove', async () => {
    const backups = await start();
    await advanceUntil(clock, () => backups.state().isRunning, 60_000);
    await backups.stop();
    expect(backups.state()).toMatchObject({ isRunning: false, failures: 0 });
  });
});

const neverReason = { code: 'no_master_key', params: {} } as const;

it('a scheduled backup is refused with PostgreSQL', () => {
  const env = {
    DATABASE_URL: 'postgres://relay@localhost/relay',
    RELAY_SECRET_KEY: 'k'.repeat(40),
    RELAY_BACKUP_DIR: '/var/backups',
  };
  expect(() => toConfig(readSettings({ env, workingDir: '/' }))).toThrow(
    /^RELAY_BACKUP_DIR: works with the embedded database only.*pg_dump/,
  );
});
