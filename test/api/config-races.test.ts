import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { localCaller } from '../../src/core/access/access.ts';
import type { AppliedConfig } from '../../src/manage/config/apply-config.ts';
import { dialects } from '../support/database/engines.ts';
import { type ApiUser, type DomainApp, startDomainApp } from '../support/rigs/domain-app.ts';

type Answer = AppliedConfig & { error: string; code: string };
const keyOf = (name: string) => `brs_${name.replaceAll(/\W/g, '_').padEnd(40, 'k')}`;

describe.each(dialects)('a configuration that others change meanwhile, on %s', (dialect) => {
  let app: DomainApp;
  let admin: ApiUser;
  let bot: { token: string; id: number };

  beforeAll(async () => {
    app = await startDomainApp(dialect);
    admin = await app.user('admin');
  });
  afterAll(() => app.close());
  beforeEach(() => {
    bot = app.practiceBot();
  });

  const apply = (config: object, options: object = {}) =>
    admin.post<Answer>('/api/config/apply', { config: { version: 1, ...config }, ...options });
  /** The keys of the service with one more of this name. */
  const addKey = (name: string) => admin.post('/api/auth/api-keys', { name, scope: 'read' });
  const keysNamed = async (name: string) =>
    (await app.store.apiKeys.list()).filter((one) => one.name === name);
  /** Every key but those of this name, as a file lists them. */
  async function keysBut(name: string) {
    const { body } = await admin.get<{ config: { keys: { name: string }[] } }>('/api/config');
    return body.config.keys.filter((one) => !one.name.startsWith(name));
  }
  /** Between the plan and the transaction, while the token of the new bot is checked. */
  function meanwhile(change: () => Promise<unknown>) {
    const byToken = app.store.bots.byToken;
    const spy = vi.spyOn(app.store.bots, 'byToken').mockImplementationOnce(async (token) => {
      await change();
      return byToken(token);
    });
    return () => spy.mockRestore();
  }
  const newBot = () => ({ bots: [{ platform_id: bot.id, token: bot.token }] });

  it('leaves a password alone that was changed while it was applied', async () => {
    const username = `anna-${bot.id}`;
    const users = [{ username, password: 'a long password' }];
    expect((await apply({ users })).status).toBe(200);
    const restore = meanwhile(async () => {
      const user = await app.store.users.findByName(username);
      if (!user) throw new Error('no user');
      const changed = { ...user, passwordHash: 'another', lastSignInAt: 7 };
      await app.store.engine.write(() => app.store.users.updateStep(changed));
    });
    const changed = await apply({ ...newBot(), users: [{ username, disabled: true }] });
    restore();
    expect(changed).toMatchObject({ status: 200, body: { changes: [{}, { kind: 'user' }] } });
    expect(await app.store.users.findByName(username)).toMatchObject({
      passwordHash: 'another',
      lastSignInAt: 7,
      disabled: true,
    });
  });

  it('plans again when an entry was changed after the plan', async () => {
    const username = `ben-${bot.id}`;
    await apply({ users: [{ username, password: 'a long password' }] });
    const restore = meanwhile(async () => {
      const user = await app.store.users.findByName(username);
      if (!user) throw new Error('no user');
      await app.store.engine.write(() => app.store.users.deleteStep(user.id));
    });
    const { status, body } = await apply({ ...newBot(), users: [{ username, disabled: true }] });
    restore();
    // It is a new one by then, and its password is missing.
    expect({ status, error: body.error }).toMatchObject({
      status: 400,
      error: expect.stringMatching(/password/) as string,
    });
    expect(await app.store.bots.byToken(bot.token)).toBeUndefined();
  });

  it('prunes every key of a name', async () => {
    const name = `ci ${bot.id}`;
    await addKey(name);
    await addKey(name);
    expect(await keysNamed(name)).toHaveLength(2);
    const { body } = await apply({ keys: await keysBut(name) }, { prune: true });
    expect(body.changes.filter(({ change }) => change === 'delete')).toHaveLength(2);
    expect(await keysNamed(name)).toEqual([]);
  });

  it('deletes only what was confirmed', async () => {
    const name = `confirmed ${bot.id}`;
    await addKey(name);
    const keys = await keysBut(name);
    const planned = await apply({ keys }, { prune: true, dry_run: true });
    const deletions = planned.body.changes.map(({ kind, id }) => ({ kind, id }));
    expect(deletions).toEqual([{ kind: 'key', id: expect.any(Number) as number }]);
    await addKey(name);
    const before = await app.store.apiKeys.list();
    const options = { prune: true, deletions };
    expect(await apply({ keys }, options)).toMatchObject({
      status: 409,
      body: {
        code: 'conflict',
        error: expect.stringContaining(`delete key ${name} #2.`) as string,
      },
    });
    expect(await app.store.apiKeys.list()).toEqual(before);
    await app.store.engine.write(() => app.store.apiKeys.deleteStep(before.at(-1)?.id ?? 0));

    // The same name is not the same key.
    const [confirmed] = await keysNamed(name);
    const restore = meanwhile(async () => {
      await app.store.engine.write(() => app.store.apiKeys.deleteStep(confirmed?.id ?? 0));
      await addKey(name);
    });
    expect(await apply({ ...newBot(), keys }, options)).toMatchObject({ status: 409 });
    restore();
    expect(await keysNamed(name)).toHaveLength(1);
    const [newer] = await keysNamed(name);
    const again = { prune: true, deletions: [{ kind: 'key', id: newer?.id }] };
    const { bots } = (
      await admin.get<{ config: { bots: object[] } }>('/api/config?with_secrets=true')
    ).body.config;
    expect(await apply({ bots, keys }, again)).toMatchObject({ status: 200 });
    expect(await keysNamed(name)).toEqual([]);
  });

  it.each([true, false])('refuses one secret for two entries, dry run: %s', async (dry_run) => {
    const key = keyOf(`twice ${bot.id} ${dry_run}`);
    const keys = [
      { name: `one ${bot.id}`, key },
      { name: `two ${bot.id}`, key },
    ];
    expect(await apply({ keys }, { dry_run })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining(`keys[two ${bot.id}].key is used by`) as string },
    });
    const token = `${bot.id}:${'s'.repeat(35)}`;
    const apps = [
      { name: 'one', token },
      { name: 'two', token },
    ];
    const bots = [{ ...newBot().bots[0], apps }];
    expect(await apply({ bots }, { dry_run })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('/two].token is used by') as string },
    });
  });

  it('is applied, whatever happens when its bots start', async () => {
    const runner = { apply: () => Promise.reject(new Error('out of memory')) };
    const node = app.otherConfig({ runner });
    const document = { version: 1 as const, ...newBot() };
    const applied = await node.apply(localCaller, document, { dryRun: false, prune: false });
    expect(applied).toMatchObject({ changes: [{ change: 'add', kind: 'bot' }], failed: [] });
    expect(await app.store.bots.byToken(bot.token)).toBeDefined();
  });
});
