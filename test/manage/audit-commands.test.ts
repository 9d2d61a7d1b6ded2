import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings, toConfig } from '../../src/config.ts';
import { rotateSecrets } from '../../src/main.ts';
import { registerConfiguredBot } from '../../src/main/register-bot.ts';
import { backUp, restore } from '../../src/manage/service/backup.ts';
import { ensureFirstAccess } from '../../src/manage/access/first-access.ts';
import { createAuditRepository } from '../../src/store/access/audit.ts';
import { openSqlite } from '../../src/store/sqlite/engine.ts';
import { createDatabase, dialects } from '../support/database/engines.ts';
import { type ManagedPeople, startManagedPeople } from '../support/rigs/managed-people.ts';

interface Entry {
  actor: { kind: string; name: string };
  action: string;
  bot_id: number;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

describe.each(dialects)('what settings change at start on %s', (dialect) => {
  let rig: ManagedPeople;
  beforeAll(async () => {
    rig = await startManagedPeople(dialect);
  });
  afterAll(() => rig.close());

  const newest = async (limit: number) =>
    (await rig.admin.get<Entry[]>(`/api/adminlog?limit=${limit}`)).body;

  it('is in the audit log: first key, admin key, bot', async () => {
    const access = (adminKey: string) => ensureFirstAccess({ ...rig, adminKey });
    const first = await access('');
    expect(await newest(1)).toMatchObject([
      {
        actor: { kind: 'local', name: 'first start' },
        action: 'auth.api-keys.create',
        after: { name: 'first admin key', keyHash: '***' },
      },
    ]);
    const keys = ['a', 'b'].map((letter) => `brs_${letter.repeat(40)}`) as [string, string];
    await access(keys[0]);
    await access(keys[0]);
    await access(keys[1]);
    const ofSetting = { actor: { kind: 'local', name: 'RELAY_ADMIN_KEY' } };
    expect(await newest(4)).toMatchObject([
      { ...ofSetting, action: 'auth.api-keys.create', before: null },
      { ...ofSetting, action: 'auth.api-keys.delete', after: null },
      { ...ofSetting, action: 'auth.api-keys.create', before: null },
      { actor: { name: 'first start' } },
    ]);

    const { token } = rig.sandboxed.createBot();
    await registerConfiguredBot(token, rig);
    await registerConfiguredBot(token, rig);
    const [registered, before] = await newest(2);
    expect(registered).toMatchObject({
      actor: { kind: 'local', name: 'TELEGRAM_BOT_TOKEN' },
      action: 'bots.add',
      before: null,
      after: { source: 'cli' },
    });
    expect(registered?.bot_id).toBe(registered?.after?.['id']);
    expect(before?.action).toBe('auth.api-keys.create');
    const everything = await rig.admin.text('/api/adminlog/export');
    for (const secret of [first?.key, ...keys, token.split(':')[1]]) {
      expect(everything).not.toContain(secret);
    }
  });
});

describe('what commands do to the data itself', () => {
  async function entriesIn(dataDir: string) {
    const engine = await openSqlite(dataDir);
    const entries = await createAuditRepository(engine).list({ botIds: null, limit: 10 });
    await engine.close();
    return entries;
  }

  it('is in the audit log: rotating the master key, restoring a backup', async () => {
    const database = await createDatabase('sqlite');
    const { dataDir } = database;
    try {
      const env = { RELAY_DATA_DIR: dataDir, RELAY_SANDBOX: 'off' };
      const config = toConfig(readSettings({ env, workingDir: dataDir }));
      await rotateSecrets(config, () => {});
      const file = path.join(dataDir, 'copy.db');
      await backUp(dataDir, file, { force: false });
      const elsewhere = path.join(dataDir, 'elsewhere');
      restore(elsewhere, file, { force: false, stamp: 'x', nowMs: 5 });
      const entries = await entriesIn(elsewhere);
      expect(entries).toMatchObject([
        { action: 'restore', at: 5, actor_kind: 'local', actor_name: 'command line' },
        { action: 'secrets.rotate', actor_name: 'command line' },
      ]);
      expect(JSON.parse(entries[0]?.after ?? '')).toMatchObject({ file });
      expect(await entriesIn(dataDir)).toHaveLength(1);
    } finally {
      await database.drop();
    }
  });
});
