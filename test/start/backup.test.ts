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
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createVault } from '../../src/core/access/vault.ts';
import { alertAuthor } from '../../src/core/messages/author.ts';
import { backUp, restore } from '../../src/manage/service/backup.ts';
import { createBotRepository } from '../../src/store/bots/bots.ts';
import { raw } from '../../src/store/engine.ts';
import { createBroadcastRepository } from '../../src/store/outbox/broadcasts.ts';
import { enqueueIntent } from '../../src/store/outbox/outbox.ts';
import { openQuestion } from '../../src/store/routing/model-questions.ts';
import { openRoutingReader } from '../../src/store/routing/routing.ts';
import { openSqlite } from '../../src/store/sqlite/engine.ts';
import { askService } from '../support/ask-service.ts';
import { createMachine } from '../support/command.ts';
import { startBroadcasts } from '../support/rigs/started-broadcasts.ts';
import { temporaryFolder } from '../support/relay-process.ts';
import { readBase } from '../upgrade/base-database.ts';
import { baseSchema } from '../../src/store/migrations/index.ts';

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
    await engine.write(() => raw(`insert into settings (name, value) values ($1, 'kept')`, [name]));
    return engine;
  };
  const notes = async (dir: string) => {
    const engine = await openSqlite(dir);
    const rows = await engine.readRaw<{ name: string }>('select name from settings');
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

  it('does not repeat what a restored backup had still to do', async () => {
    const machine = await createMachine();
    const shop = await machine.json<{ id: number }>(
      ['bots', 'add', '--token-stdin'],
      machine.token,
    );
    const ann = machine.sandbox.createUser({ first_name: 'Ann' });
    const [shopId = 0] = machine.token.split(':').map(Number);
    machine.sandbox.say(ann.id, shopId, 'hello');
    const dir = machine.env['RELAY_DATA_DIR'] ?? '';
    const engine = await openSqlite(dir);
    await engine.write(function* () {
      const queued = { botId: shop.id, chatId: ann.id, origin: 'sent', priority: 'bulk' } as const;
      const params = { chat_id: ann.id, text: 'once' };
      yield* enqueueIntent(
        { ...queued, method: 'sendMessage', params, intentKey: 'k', author: alertAuthor },
        Date.now(),
      );
      const [from, text] = [Date.now(), 'due since the backup'];
      for (const sendAt of [from + 1, from + 86_400_000]) {
        const intent = { ...queued, params: { ...params, text }, author: alertAuthor };
        yield* enqueueIntent({ ...intent, method: 'sendMessage', intentKey: null }, from, {
          state: 'scheduled',
          sendAt,
          request: JSON.stringify({ text }),
        });
      }
      yield* raw(
        `insert into log_heads (bot_id, last_position) values ($1, 7)
         on conflict (bot_id) do update set last_position = 7`,
        [shop.id],
      );
      yield* openRoutingReader(shop.id, 1);
      yield* raw(`update readers set position = 4, state = 'x' where name = 'routing'`);
      yield* openQuestion({ botId: shop.id, position: 3 }, 1);
    });
    await engine.close();
    expect(await machine.run(['backup', file])).toMatchObject({ code: 0 });

    const texts = () =>
      machine.sandbox
        .history(ann.id, shopId)
        .flatMap(({ message }) => (message.from?.is_bot ? [message.text] : []));
    const first = await machine.startService();
    await vi.waitFor(() => expect(texts().toSorted()).toEqual(['due since the backup', 'once']));
    await first.close();

    const { stdout } = await machine.run(['restore', file, '--force']);
    expect(stdout).toContain('may have been sent after the backup: 1.\n');
    expect(stdout).toContain('routes had not handled, skipped for the same reason: 3.\n');
    expect(stdout).toContain('Questions to the language model, dropped for the same reason: 1.\n');
    const restored = await openSqlite(dir);
    expect(
      await restored.readRaw(`select position, state from readers where name = 'routing'`, []),
    ).toEqual([{ position: 7, state: '' }]);
    expect(await restored.readRaw('select * from model_questions', [])).toEqual([]);
    await restored.close();

    const second = await machine.startService();
    expect(await askService(second, '/api/outbox?state=unknown')).toMatchObject([
      { state: 'unknown', error_detail: { code: 'restored_unsent' } },
    ]);
    expect(stdout).toContain('due since, held for the same reason: 1.\n');
    expect(await askService(second, '/api/messages/scheduled')).toMatchObject([
      { state: 'held', error_detail: { code: 'scheduled_restored' } },
      { state: 'scheduled', error: '' },
    ]);
    const said = { bot_id: shop.id, chat_id: ann.id, text: 'later' };
    await askService(second, '/api/messages/send', said);
    expect(texts().toSorted()).toEqual(['due since the backup', 'later', 'once']);
  });

  it('cancels broadcasts that were running or paused, and lists who may have got one', async () => {
    const engine = await openSqlite(dataDir);
    const bots = createBotRepository(engine, createVault(['k'.repeat(40)]));
    const { id: botId } = await bots.insert({ token: '1:a', source: 'web' }, 1);
    const ids = await startBroadcasts(engine, botId);
    await engine.close();
    await backUp(dataDir, file, { force: false });
    restore(dataDir, file, { force: true, stamp: 'x', nowMs: 5 });
    const restored = await openSqlite(dataDir);
    const broadcasts = createBroadcastRepository(restored);
    const [listed, justStarted] = await Promise.all(ids.map(broadcasts.get));
    expect(listed).toMatchObject({ state: 'canceled', counts: { waiting: 0, unknown: 2 } });
    expect(justStarted).toMatchObject({ state: 'canceled', counts: { unknown: 0 } });
    expect(await broadcasts.active()).toEqual([]);
    expect(await broadcasts.results({ id: ids[0] ?? 0, limit: 9 })).toMatchObject([
      { state: 'unknown', errorDetail: { code: 'restored_unsent' } },
      { state: 'unknown', errorDetail: { code: 'restored_unsent' } },
    ]);
    await restored.close();
  });

  it('restores a backup of the base schema', () => {
    writeFileSync(file, readBase('sqlite'));
    const done = restore(dataDir, file, { force: false, stamp: 'x', nowMs: 1 });
    expect(done).toMatchObject({ schema: baseSchema });
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
