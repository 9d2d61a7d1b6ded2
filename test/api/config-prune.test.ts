import { describe, expect, it, vi } from 'vitest';
import { localCaller } from '../../src/core/access/access.ts';
import { dialects } from '../support/database/engines.ts';
import { configRig, key, orders } from '../support/rigs/config-rig.ts';

describe.each(dialects)('pruning the configuration on %s', (dialect) => {
  const rig = configRig(dialect);
  const { exported, tryApply, apply, wanted } = rig;

  it('prunes what its sections do not list', async () => {
    const { admin, first, second } = rig;
    await apply(wanted());
    const { config } = await exported(admin, true);
    const bots = config.bots?.filter((bot) => bot.platform_id !== second.id);
    const mine = bots?.map((bot) =>
      bot.platform_id === first.id ? { ...bot, apps: [orders] } : bot,
    );
    expect(await apply({ bots: mine }, { prune: true })).toEqual([
      `delete app ${first.id}/report`,
      `delete bot ${second.id}`,
      `delete route ${first.id} → ${second.id}: forward keyword "refund"`,
      `delete route ${first.id} → ${second.id}: copy all`,
    ]);
    const left = (await exported()).config;
    expect(left.bots?.map((bot) => bot.platform_id)).not.toContain(second.id);
    expect(left.users).toHaveLength(config.users?.length ?? -1);
    const admins = config.users?.filter(({ username }) => username !== `anna-${first.id}`);
    expect(await apply({ users: admins }, { prune: true })).toEqual([
      `delete user anna-${first.id}`,
    ]);
    const locked = await tryApply({ users: [], keys: [] }, { prune: true });
    expect(locked).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect((await exported()).config).toEqual(
      expect.objectContaining({ keys: left.keys }) as object,
    );
  });

  it('gives tokens, keys and places of what it deletes to what it adds', async () => {
    const { app, first } = rig;
    const token = (name: string) => `${first.id}:${name.padEnd(35, 'x')}`;
    const hook = (number: number) => ({
      url: `https://ops.example.com/${first.id}/${number}`,
      secret: `whsec_${Buffer.from('s'.repeat(32)).toString('base64')}`,
    });
    const names = Array.from({ length: 99 }, (_, index) => ({ name: `app-${index}` }));
    const bot = (apps: object[]) => [{ platform_id: first.id, token: first.token, apps }];
    const before = {
      bots: bot([...names, { name: 'old', token: token('own') }]),
      keys: [{ name: `old ${first.id}`, key: `${key}${first.id}` }],
      alert_channels: Array.from({ length: 45 }, (_, index) => hook(index)),
    };
    await apply(before);
    const rest = (await exported()).config.keys?.filter(({ name }) => !name.startsWith('old '));
    const others = (await exported(undefined, true)).config.bots?.filter(
      ({ platform_id: id }) => id !== first.id,
    );
    const after = {
      bots: [...(others ?? []), ...bot([...names, { name: 'new', token: token('own') }])],
      keys: [...(rest ?? []), { name: `new ${first.id}`, key: `${key}${first.id}` }],
      alert_channels: Array.from({ length: 50 }, (_, index) => hook(index + 45)),
    };
    const tooMany = await tryApply({ alert_channels: after.alert_channels }, { dry_run: true });
    expect(tooMany).toMatchObject({ status: 409, body: { code: 'conflict' } });
    const apps = await tryApply({ bots: bot([{ name: 'new' }]) }, { dry_run: true });
    expect(apps).toMatchObject({ status: 409, body: { code: 'too_many_apps' } });
    expect(await apply(after, { prune: true })).toEqual(
      expect.arrayContaining([`add app ${first.id}/new`, `add key new ${first.id}`]) as unknown,
    );
    expect(await app.store.apps.byToken(token('own'))).toMatchObject({ name: 'new' });
    await apply({ alert_channels: [] }, { prune: true });
  });

  it('keeps keys of the same name apart', async () => {
    const { admin, first } = rig;
    const name = `twice ${first.id}`;
    const add = (scope: string) => admin.post('/api/auth/api-keys', { name, scope });
    await add('read');
    await add('send');
    await admin.post('/api/auth/api-keys', { name: `${name} #2`, scope: 'manage' });
    const mine = async () =>
      (await exported()).config.keys?.filter((one) => one.name.startsWith(name)) ?? [];
    expect((await mine()).map((one) => [one.name, one.scope ?? 'read'])).toEqual([
      [name, 'read'],
      [`${name} #3`, 'send'],
      [`${name} #2`, 'manage'],
    ]);
    const { config } = await exported(admin, true);
    expect(await apply(config, { prune: true })).toEqual([]);
    const keys = (await mine()).map((one) => ({ ...one, scope: 'read' as const }));
    expect(await apply({ keys })).toEqual([
      `update key ${name} #3 scope`,
      `update key ${name} #2 scope`,
    ]);
    const others = config.keys?.filter((one) => one.name !== `${name} #3`);
    expect(await apply({ keys: others }, { prune: true })).toContain(`delete key ${name} #3`);
    expect((await mine()).map((one) => [one.name, one.scope ?? 'read'])).toEqual([
      [name, 'read'],
      [`${name} #2`, 'manage'],
    ]);
  });

  it('reports a bot that could not be deleted, and deletes it the next time', async () => {
    const { app, admin, first, second } = rig;
    await apply(wanted());
    const { config } = await exported(admin, true);
    const bots = config.bots?.filter((bot) => ![first.id, second.id].includes(bot.platform_id));
    const document = { version: 1 as const, bots: bots ?? [] };
    const prune = { dryRun: false, prune: true };
    const broken = app.otherConfig({
      bots: {
        delete: async (caller, id) => {
          const bot = await app.store.bots.get(id);
          if (bot?.platform_id === first.id) throw new Error('the disk is full');
          return app.bots.delete(caller, id);
        },
      },
    });
    const { changes, failed } = await broken.apply(localCaller, document, prune);
    expect(changes.filter(({ kind }) => kind === 'bot')).toHaveLength(2);
    expect(failed).toMatchObject([{ kind: 'bot', name: String(first.id), problem: 'unexpected' }]);
    const left = (await app.store.bots.list()).map((bot) => bot.platform_id);
    expect(left).toContain(first.id);
    expect(left).not.toContain(second.id);

    const kept = app.otherConfig({
      bots: { delete: () => Promise.reject(new Error('it must not be deleted')) },
    });
    const enabling = app.store.bots.get;
    const enabled = vi.spyOn(app.store.bots, 'get').mockImplementation(async (id) => {
      const bot = await enabling(id);
      return bot && { ...bot, disabled: false };
    });
    expect((await kept.apply(localCaller, document, prune)).failed).toMatchObject([
      { name: String(first.id), problem: 'It was enabled before it could be deleted.' },
    ]);
    enabled.mockRestore();

    const again = await app.otherConfig().apply(localCaller, document, prune);
    expect(again).toMatchObject({ changes: [{ change: 'delete', kind: 'bot' }], failed: [] });
    expect((await app.store.bots.list()).map((bot) => bot.platform_id)).not.toContain(first.id);
  });
});
