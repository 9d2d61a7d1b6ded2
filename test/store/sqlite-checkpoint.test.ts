import { spawn } from 'node:child_process';
import { existsSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { raw } from '../../src/store/engine.ts';
import { createCheckpointer } from '../../src/store/sqlite/checkpointer.ts';
import { openConnection } from '../../src/store/sqlite/connection.ts';
import { openSqlite } from '../../src/store/sqlite/engine.ts';
import { temporaryFolder } from '../support/relay-process.ts';

function folder(): string {
  const { path: place, remove } = temporaryFolder();
  onTestFinished(remove);
  return place;
}

/** Rows that fill a page each. */
function rows() {
  const made = {
    count: 0,
    insert: () =>
      raw('insert into settings (name, value) values ($1, $2)', [
        `n${made.count++}`,
        'x'.repeat(3_000),
      ]),
  };
  return made;
}

/** How many pages are in the write-ahead log, by its index. */
function logLength(dataDir: string): () => number {
  const index = openSync(path.join(dataDir, 'relay.db-shm'), 'r');
  const count = new Uint32Array(1);
  return () => {
    readSync(index, count, 0, 4, 16);
    return count[0] ?? 0;
  };
}

describe('the write-ahead log', () => {
  it('restarts after the thread has copied it, long before a commit would have to', async () => {
    const dataDir = folder();
    const engine = await openSqlite(dataDir, { checkpointPages: 200 });
    onTestFinished(() => engine.close());
    const length = logLength(dataDir);
    const made = rows();
    while (length() < 200) await engine.write(made.insert);
    const longest = length();
    await vi.waitFor(
      async () => {
        await engine.write(made.insert);
        expect(length()).toBeLessThan(longest);
      },
      { interval: 20 },
    );
    // A commit copies by itself at five times as much.
    expect(longest).toBeLessThan(1_000);
    const [row] = await engine.readRaw<{ count: number }>(
      "select count(*) as count from settings where name like 'n%'",
      [],
    );
    expect(row?.count).toBe(made.count);
  });

  it('is gone when the service ends in the middle of a copy', async () => {
    const dataDir = folder();
    const engine = await openSqlite(dataDir, { checkpointPages: 20 });
    const length = logLength(dataDir);
    const { insert } = rows();
    while (length() < 20) await engine.write(insert);
    await engine.close();
    expect(existsSync(path.join(dataDir, 'relay.db-wal'))).toBe(false);
  });

  it('is copied by commits when the thread cannot', async () => {
    const file = path.join(folder(), 'some.db');
    const connection = openConnection(file, { readOnly: false });
    connection.exec('create table numbers (number integer)');
    const checkpointer = createCheckpointer(file, connection, {
      pages: 2,
      thread: new URL('data:text/javascript,throw new Error("no thread today")'),
    });
    onTestFinished(() => {
      connection.close();
      checkpointer.letGo();
    });
    const limit = () => connection.run('pragma wal_autocheckpoint', []).rows;
    expect(limit()).toEqual([{ wal_autocheckpoint: 10 }]);
    connection.exec('insert into numbers values (1)');
    connection.exec('insert into numbers values (2)');
    checkpointer.committed();
    await vi.waitFor(() => expect(limit()).toEqual([{ wal_autocheckpoint: 2 }]));
    await checkpointer.stop();
  });

  it('loses nothing when the process is killed while the thread copies', async () => {
    const dataDir = folder();
    let told = -1;
    for (const more of [150, 420, 90]) {
      told = await writeUntilKilled(dataDir, told + 1, more);
      const engine = await openSqlite(dataDir);
      const stored = await engine.readRaw<{ name: string }>(
        "select name from settings where name like 'n%'",
        [],
      );
      const health = await engine.readRaw('pragma integrity_check', []);
      await engine.close();
      const numbers = stored.map(({ name }) => Number(name.slice(1))).sort((a, b) => a - b);
      expect(health).toEqual([{ integrity_check: 'ok' }]);
      // The last one may have been committed without being reported.
      expect(numbers.slice(0, told + 1)).toEqual(Array.from({ length: told + 1 }, (_, n) => n));
      expect(numbers.length).toBeLessThanOrEqual(told + 2);
      told = numbers.length - 1;
    }
  });
});

/** Kills a writer after this many reports; returns the last reported number. */
async function writeUntilKilled(dataDir: string, from: number, more: number): Promise<number> {
  const program = fileURLToPath(new URL('./support/steady-writer.ts', import.meta.url));
  const writer = spawn(process.execPath, [program, dataDir, String(from)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  let killed = false;
  writer.stdout.on('data', (chunk: Buffer) => {
    text += chunk;
    const last = Number(text.trimEnd().split('\n').at(-1));
    if (!killed && last >= from + more) killed = writer.kill('SIGKILL');
  });
  await new Promise((resolve) => writer.once('close', resolve));
  const whole = text.slice(0, text.lastIndexOf('\n')).split('\n');
  return Number(whole.at(-1));
}
