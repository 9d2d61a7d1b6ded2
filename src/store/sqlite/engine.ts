import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Engine, OnCommit } from '../engine.ts';
import { type BeforeMigration, examineSchema, migrate } from '../schema/migrate.ts';
import { createChangeStamps } from './change-stamps.ts';
import { type Checkpointer, createCheckpointer } from './checkpointer.ts';
import { type Connection, openConnection } from './connection.ts';
import { databaseFileName } from './database-file.ts';
import { lockDataDir } from './data-dir-lock.ts';
import { createHeavyReader } from './heavy-reader.ts';
import { createWriter } from './writer.ts';

/** Opens the embedded engine: one node owns the data directory for as long as it runs. */
export async function openSqlite(
  dataDir: string,
  options: {
    checkpointPages?: number;
    onCommit?: OnCommit | undefined;
    beforeMigration?: BeforeMigration;
  } = {},
): Promise<Engine> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const unlock = lockDataDir(dataDir);
  const file = path.join(dataDir, databaseFileName);
  let opened: Connection | undefined;
  try {
    const stamps = createChangeStamps();
    const writeConnection = openConnection(file, { readOnly: false, touched: stamps.touched });
    opened = writeConnection;
    let checkpointer: Checkpointer | undefined;
    const writer = createWriter(writeConnection, (durationMs) => {
      options.onCommit?.(durationMs);
      stamps.committed();
      checkpointer?.committed();
    });
    const found = await writer.write(() => examineSchema('sqlite'));
    if (found.pending.length > 0) await options.beforeMigration?.(found);
    await writer.write(() => migrate('sqlite'));
    checkpointer = createCheckpointer(file, writeConnection, {
      pages: options.checkpointPages,
    });
    const reader = openConnection(file, { readOnly: true });
    const heavy = createHeavyReader(file);
    const engine: Engine = {
      dialect: 'sqlite',
      isShared: false,
      get reserved() {
        return engine;
      },
      get leases() {
        return engine;
      },
      readRaw: async <T>(sql: string, parameters: readonly unknown[] = []) =>
        reader.run(sql, parameters).rows as T[],
      readHeavy: <T>(sql: string, parameters: readonly unknown[]) =>
        heavy.read(sql, parameters) as Promise<T[]>,
      write: writer.write,
      stamp: stamps.of,
      async ping() {
        reader.run('select 1', []);
        const outage = writer.outage();
        if (outage) throw outage;
      },
      async close() {
        await writer.close();
        await checkpointer.stop();
        await heavy.close();
        reader.close();
        writeConnection.close();
        checkpointer.letGo();
        unlock();
      },
    };
    return engine;
  } catch (error) {
    opened?.close();
    unlock();
    throw error;
  }
}
