import { existsSync, globSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sealedBotSettings } from '../../src/core/bots/bot-settings.ts';
import { createVault } from '../../src/core/access/vault.ts';
import { createMasterKeyFile } from '../../src/manage/service/master-key.ts';
import { rotateGeneratedKey, unlockVault } from '../../src/manage/service/secrets.ts';
import { reseal, sealedColumns } from '../../src/store/access/sealed-secrets.ts';
import type { Engine } from '../../src/store/engine.ts';
import { createStore } from '../../src/store/store.ts';
import { createDatabase, type Database, dialects } from '../support/database/engines.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const token = '123:a-token-of-a-bot';
const keyA = 'the first master key, long enough';
const keyB = 'the second master key, long enough';

it('all places where something is sealed are listed for re-sealing', () => {
  const files = globSync('src/{store,manage,relay,http}/**/*.ts', { cwd: root });
  const contexts = files.flatMap((file) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    // What MCP seals lives for minutes in a client and is never stored.
    if (file.endsWith('secrets.ts') || file.endsWith('mcp-server.ts')) return [];
    const found = [...text.matchAll(/Context = (?:\(.*\) => )?`([^`]+)`/g)];
    // New code that encrypts must name its context like this, or this test misses it.
    expect(found.length, file).toBe([...text.matchAll(/vault\.seal\(/g)].length);
    return found.flatMap(([, text = '']) => {
      const context = text.replace(/\$\{\w+\}/, '1');
      if (!context.endsWith('${context}')) return [context];
      return sealedBotSettings.map((declared) => context.replace('${context}', declared.context));
    });
  });
  expect(contexts.sort()).toEqual(sealedColumns.map(({ context }) => context(1)).sort());
});

describe.each(dialects)('secrets on %s', (dialect) => {
  let database: Database;
  let engine: Engine;

  beforeEach(async () => {
    database = await createDatabase(dialect);
    engine = await database.open();
  });
  afterEach(async () => {
    await engine.close();
    await database.drop();
  });

  const unlock = (secretKey: string, previousSecretKeys: string[] = []) =>
    unlockVault(engine, { dataDir: database.dataDir, secretKey, previousSecretKeys });
  const storeOf = async (secretKey: string, previous: string[] = []) =>
    createStore(engine, (await unlock(secretKey, previous)).vault);
  const addBot = async (secretKey: string) =>
    (await storeOf(secretKey)).bots.insert(
      { token, secret_token: 'hush', source: 'web' },
      1_700_000_000_000,
    );

  it('are refused another key from the first start on', async () => {
    await unlock(keyA);
    await unlock(keyA);
    await expect(unlock(keyB)).rejects.toMatchObject({ code: 'secret_key_mismatch' });
  });

  it('are re-sealed at a start that names the previous key', async () => {
    const { id } = await addBot(keyA);
    expect(await unlock(keyB, [keyA])).toMatchObject({ resealed: 2 });
    const store = await storeOf(keyB);
    expect(await store.bots.byToken(token)).toMatchObject({ id, token, secret_token: 'hush' });
    await expect(unlock(keyA)).rejects.toMatchObject({ code: 'secret_key_mismatch' });
  });

  it('stay as they are when one of them cannot be opened', async () => {
    const { id } = await addBot(keyA);
    await engine.write(function* () {
      yield* reseal(createVault([keyA]));
      yield {
        sql: `update bots set secret_sealed = token_sealed where id = ${id}`,
        parameters: [],
      };
    });
    await expect(unlock(keyB, [keyA])).rejects.toThrow();
    const { vault } = await unlock(keyA);
    const [row] = await engine.readRaw<{ token_sealed: string }>('select token_sealed from bots');
    expect(vault.open(row?.token_sealed ?? '', `bots:${id}:token`)).toBe(token);
  });

  describe('with a generated key', () => {
    it('move to a new one', async () => {
      const { id } = await addBot('');
      const before = readFileSync(path.join(database.dataDir, 'master.key'), 'utf8');
      const { secrets, formerKeyFile } = await rotateGeneratedKey(engine, database.dataDir);
      expect(secrets).toBe(2);
      expect(readFileSync(formerKeyFile, 'utf8')).toBe(before);
      expect(statSync(formerKeyFile).mode & 0o077).toBe(0);
      expect(readFileSync(path.join(database.dataDir, 'master.key'), 'utf8')).not.toBe(before);
      expect(await (await storeOf('')).bots.byToken(token)).toMatchObject({ id, token });
    });

    it('survive a crash before and after the rotation was committed', async () => {
      await addBot('');
      const file = path.join(database.dataDir, 'master.key');
      const old = readFileSync(file, 'utf8');
      // Crashed before the commit: the new key never counted.
      createMasterKeyFile(database.dataDir).writeNext();
      expect(await (await storeOf('')).bots.byToken(token)).toBeDefined();
      expect(existsSync(`${file}.next`)).toBe(false);
      // Crashed after the commit, before the new file replaced the old one.
      await rotateGeneratedKey(engine, database.dataDir);
      renameSync(file, `${file}.next`);
      writeFileSync(file, old);
      expect(await (await storeOf('')).bots.byToken(token)).toBeDefined();
      expect(existsSync(`${file}.next`)).toBe(false);
    });

    it('are not opened with a new key where the old one is missing', async () => {
      await unlock('');
      renameSync(
        path.join(database.dataDir, 'master.key'),
        path.join(database.dataDir, 'elsewhere'),
      );
      await expect(unlock('')).rejects.toThrow(/master\.key is missing/);
    });
  });
});
