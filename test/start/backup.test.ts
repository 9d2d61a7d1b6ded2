import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backUp, restore } from '../../src/manage/ops/backup.ts';
import { run } from '../../src/store/engine.ts';
import { openSqlite } from '../../src/store/sqlite/engine.ts';
import { temporaryFolder } from '../support/relay-process.ts';

describe('backup and restore', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let dataDir: string;
  let file: string;

  beforeEach(() => {
    folder = temporaryFolder();
    dataDir = path.join(folder.path, 'data');
    file = path.join(folder.path, 'copy.db');
  });
  afterEach(() => folder.remove());

  const note = async (name: string) => {
    const engine = await openSqlite(dataDir);
    await engine.write(() =>
      run(engine.sql.insertInto('settings').values({ name, value: 'kept' })),
    );
    return engine;
  };
  const notes = async (dir: string) => {
    const engine = await openSqlite(dir);
    const rows = await engine.read(engine.sql.selectFrom('settings').select('name'));
    await engine.close();
    return rows.map(({ name }) => name).filter((name) => name !== 'schema_written_by');
  };

  it('copies a database in use and brings it back, keeping the one before', async () => {
    const engine = await note('before');
    const done = await backUp(dataDir, file, { force: false });
    expect(done).toEqual({ file, bytes: statSync(file).size });
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(() => restore(dataDir, file, { force: true, stamp: 'x', nowMs: 1 })).toThrow(
      /is in use/,
    );
    await engine.close();
    await (await note('after')).close();

    expect(() => restore(dataDir, file, { force: false, stamp: 'x', nowMs: 1 })).toThrow(/--force/);
    const { keptAside } = restore(dataDir, file, { force: true, stamp: 'x', nowMs: 1 });
    expect(await notes(dataDir)).toEqual(['before']);
    expect(existsSync(keptAside)).toBe(true);
    const elsewhere = path.join(folder.path, 'elsewhere');
    restore(elsewhere, keptAside, { force: false, stamp: 'x', nowMs: 1 });
    expect((await notes(elsewhere)).sort()).toEqual(['after', 'before']);
  });

  it('does not write over a file unless told to', async () => {
    await (await note('a')).close();
    writeFileSync(file, 'mine');
    await expect(backUp(dataDir, file, { force: false })).rejects.toThrow(/--force/);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    await backUp(dataDir, file, { force: true });
    expect(statSync(file).size).toBeGreaterThan(1_000);
  });

  it('says where it cannot write, and leaves nothing there', async () => {
    await (await note('a')).close();
    const before = readdirSync(folder.path);
    await expect(backUp(dataDir, dataDir, { force: true })).rejects.toThrow(/is a directory/);
    mkdirSync(`${file}.partial`);
    await expect(backUp(dataDir, file, { force: true })).rejects.toThrow(
      /^Cannot write .*\.partial \(\w+\)\. Choose a directory/,
    );
    rmdirSync(`${file}.partial`);
    expect(readdirSync(folder.path)).toEqual(before);
  });

  it('refuses what is no backup, and leaves everything as it was', async () => {
    await (await note('a')).close();
    writeFileSync(file, 'not a database'.repeat(1_000));
    expect(() => restore(dataDir, file, { force: true, stamp: 'x', nowMs: 1 })).toThrow(
      /is not a Bot Relay backup/,
    );
    const gone = path.join(folder.path, 'gone.db');
    expect(() => restore(dataDir, gone, { force: true, stamp: 'x', nowMs: 1 })).toThrow(
      /gone\.db not found/,
    );
    expect(() => restore(dataDir, dataDir, { force: true, stamp: 'x', nowMs: 1 })).toThrow(
      /is not a file\. Enter a file/,
    );
    expect(await notes(dataDir)).toEqual(['a']);
    await expect(backUp(folder.path, file, { force: true })).rejects.toThrow(/No database in/);
  });
});
