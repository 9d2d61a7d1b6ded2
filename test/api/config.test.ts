import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { localCaller } from '../../src/core/access/access.ts';
import type { ConfigDocument, WrittenConfig } from '../../src/core/config-file/document.ts';
import { mapReferable, referenceIn } from '../../src/core/config-file/references.ts';
import type { AppliedConfig } from '../../src/manage/config/config.ts';
import { dialects } from '../support/database/engines.ts';
import { type ApiUser, type DomainApp, startDomainApp } from '../support/rigs/domain-app.ts';

const key = `brs_${'k'.repeat(43)}`;
const shop = {
  name: 'Shop',
  description: 'Answers\nquestions',
  backend_url: 'https://shop.example.com/hook',
  secret_token: 'shop_secret_of_the_shop',
  proxy_enabled: true,
  manage_enabled: true,
};
const orders = {
  name: 'orders',
  mode: 'webhook' as const,
  backend_url: 'https://orders.example.com/hook',
  secret_token: 'orders_secret_of_orders',
  max_connections: 5,
  allowed_updates: ['message'],
  filter: { commands: ['/order'] },
  exclusive: true,
  methods: ['sendMessage'],
};

describe.each(dialects)('the configuration on %s', (dialect) => {
  let app: DomainApp;
  let admin: ApiUser;
  let first: { token: string; id: number };
  let second: { token: string; id: number };

  beforeAll(async () => {
    app = await startDomainApp(dialect);
    admin = await app.user('admin');
  });
  afterAll(() => app.close());
  beforeEach(() => {
    first = app.practiceBot();
    second = app.practiceBot();
  });

  const exported = async (user = admin, withSecrets = false) => {
    const { body, status } = await user.get<WrittenConfig>(
      `/api/config?with_secrets=${withSecrets}`,
    );
    expect(status).toBe(200);
    return body;
  };
  const tryApply = (config: object, options: object = {}, user = admin) =>
    user.post<AppliedConfig & { error: string; code: string }>('/api/config/apply', {
      config: { version: 1, ...config },
      ...options,
    });
  async function apply(config: object, options: object = {}, user = admin) {
    const { body, status } = await tryApply(config, options, user);
    expect(body).toMatchObject({ changes: expect.any(Array) as unknown });
    expect(status).toBe(200);
    return body.changes.map(({ change, kind, name, fields }) =>
      [change, kind, name, ...fields].join(' '),
    );
  }
  /** Everything there is. */
  const wanted = (): ConfigDocument => ({
    version: 1,
    bots: [
      { platform_id: first.id, token: first.token, ...shop, apps: [orders, { name: 'report' }] },
      { platform_id: second.id, token: second.token, name: 'Desk', disabled: true },
    ],
    routes: [
      {
        source: first.id,
        target: second.id,
        action: 'forward',
        condition_type: 'keyword',
        condition_value: 'refund',
      },
      { source: first.id, target: second.id, action: 'copy', priority: 3, enabled: false },
    ],
    model: {
      api_url: 'https://model.example.com/v1',
      model: 'm',
      api_key: 'model-key',
      enabled: true,
    },
    users: [
      { username: `Anna-${first.id}`, password: 'a long password', bots: [second.id] },
      { username: `olga-${first.id}`, password: 'a long password', role: 'admin' },
    ],
    keys: [
      {
        name: `shop ${first.id}`,
        key: `${key}${first.id}`,
        scope: 'send',
        bots: [first.id],
        expires_at: '2099-01-01T00:00:00Z',
      },
    ],
  });

  it('applies, exports and changes nothing when applied again', async () => {
    expect(await apply(wanted())).toEqual([
      `add bot ${first.id}`,
      `add app ${first.id}/orders`,
      `add app ${first.id}/report`,
      `add bot ${second.id}`,
      `add route ${first.id} → ${second.id}: forward keyword "refund"`,
      `add route ${first.id} → ${second.id}: copy all`,
      'add model model',
      `add user anna-${first.id}`,
      `add user olga-${first.id}`,
      `add key shop ${first.id}`,
    ]);
    expect(await apply(wanted())).toEqual([]);
    const { config, variables } = await exported();
    expect(config.bots?.find((bot) => bot.platform_id === first.id)).toEqual({
      platform_id: first.id,
      token: `\${BOT_${first.id}_TOKEN}`,
      ...shop,
      secret_token: `\${BOT_${first.id}_SECRET_TOKEN}`,
      apps: [
        { ...orders, secret_token: `\${APP_${first.id}_ORDERS_SECRET_TOKEN}` },
        { name: 'report' },
      ],
    });
    const ends = { source: first.id, target: second.id };
    expect(config.routes?.filter(({ source }) => source === first.id)).toEqual([
      { ...ends, action: 'forward', condition_type: 'keyword', condition_value: 'refund' },
      { ...ends, action: 'copy', priority: 3, enabled: false },
    ]);
    expect(variables).toEqual(
      expect.arrayContaining([
        `USER_ANNA_${first.id}_PASSWORD`,
        `KEY_SHOP_${first.id}`,
        'MODEL_API_KEY',
      ]),
    );
    expect(JSON.stringify(config)).not.toMatch(/shop_secret|orders_secret|model-key|a long/);
    const open = await exported(admin, true);
    expect(JSON.stringify(open.config)).toContain(first.token);
    expect(await apply(open.config)).toEqual([]);
  });

  it('makes an empty service the same', async () => {
    await apply(wanted());
    const written = await exported();
    const values = new Map<string, string>();
    const collect = (references: unknown, plain: unknown): void => {
      if (references === null || typeof references !== 'object') {
        const found = typeof references === 'string' ? referenceIn(references) : undefined;
        if (found && 'variable' in found) values.set(found.variable, String(plain));
        return;
      }
      for (const [name, part] of Object.entries(references)) {
        collect(part, (plain as Record<string, unknown>)[name]);
      }
    };
    collect(written.config, (await exported(admin, true)).config);
    let keys = 0;
    const resolved = mapReferable(written.config, (text, field) => {
      const found = referenceIn(text);
      if (field === 'password') return 'a long password';
      if (field === 'key') return text.includes('ADMIN_KEY') ? text : `${key}${++keys}`;
      return found && 'variable' in found ? (values.get(found.variable) ?? '') : text;
    });
    const other = await startDomainApp(dialect);
    try {
      other.movePlatform(app.platformUrl);
      const owner = await other.user('admin');
      await apply(resolved as object, {}, owner);
      expect(JSON.stringify(await exported(owner))).toBe(JSON.stringify(written));
      expect(await apply(resolved as object, { prune: true }, owner)).toEqual([]);
    } finally {
      await other.close();
    }
  });

  it('changes what differs, and what an entry leaves out gets its default', async () => {
    await apply(wanted());
    const config = wanted();
    const bots = [
      {
        platform_id: first.id,
        ...shop,
        name: 'Store',
        apps: [
          { ...orders, mode: 'poll', max_connections: 0, allowed_updates: [], disabled: true },
        ],
      },
    ];
    const routes = [{ ...config.routes?.[0], priority: 9 }];
    const users = [{ username: `ANNA-${first.id}`, disabled: true, password: '${UNSET}' }];
    const keys = [{ name: `shop ${first.id}`, scope: 'read', key: '${UNSET}' }];
    expect(await apply({ bots, routes, users, keys, model: { temperature: 1 } })).toEqual([
      `update bot ${first.id} name`,
      `update app ${first.id}/orders mode max_connections allowed_updates disabled`,
      `update route ${first.id} → ${second.id}: forward keyword "refund" priority`,
      'update model model temperature',
      `update user anna-${first.id} bots disabled`,
      `update key shop ${first.id} scope expires_at bots`,
    ]);
    const written = (await exported(admin, true)).config;
    expect(written.bots?.find((bot) => bot.platform_id === first.id)).toMatchObject({
      name: 'Store',
      token: first.token,
      apps: [{ name: 'orders', disabled: true }, { name: 'report' }],
    });
    expect(written.model).toMatchObject({ temperature: 1, api_key: 'model-key' });
  });

  it('gives an app the token that the file names, and refuses others', async () => {
    const standIn = `${first.id}:${'s'.repeat(35)}`;
    const bots = (token: string) => ({
      bots: [{ platform_id: first.id, token: first.token, apps: [{ name: 'own', token }] }],
    });
    await apply(bots(standIn));
    expect(await app.store.apps.byToken(standIn)).toMatchObject({ name: 'own', hasToken: true });
    expect(await apply(bots(standIn))).toEqual([]);
    const next = `${first.id}:${'n'.repeat(35)}`;
    expect(await apply(bots(next))).toEqual([`update app ${first.id}/own token`]);
    expect(await app.store.apps.byToken(standIn)).toBeUndefined();
    expect((await tryApply(bots(`1:${'n'.repeat(35)}`))).body.error).toMatch(/35 of A-Z/);
  });

  it('a dry run checks and changes nothing', async () => {
    const before = await exported();
    expect(await apply(wanted(), { dry_run: true })).toHaveLength(9);
    expect(await exported()).toEqual(before);
  });

  it('prunes what its sections do not list', async () => {
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

  it('keeps keys of the same name apart', async () => {
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

  it('compares again when another node applied a file meanwhile', async () => {
    const nodes = [app.otherConfig(), app.otherConfig(), app.otherConfig()];
    const applied = await Promise.all(
      nodes.map((node) => node.apply(localCaller, wanted(), { dryRun: false, prune: false })),
    );
    const changes = applied.map((one) => one.changes.length).sort((a, b) => a - b);
    // The model is the same in each test.
    expect(changes.slice(0, 2)).toEqual([0, 0]);
    expect(changes[2]).toBeGreaterThan(8);
  });

  it('reports a bot that could not be deleted, and deletes it the next time', async () => {
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

  it.each<[string, (document: ConfigDocument) => object, RegExp]>([
    [
      'a token that the platform refuses',
      ({ bots }) => ({ bots: [...(bots ?? []), { platform_id: 5, token: '5:unknown' }] }),
      /^bots\[5\]\.token is not accepted|^bots\[5\]\.token/,
    ],
    [
      'a token of another bot',
      ({ bots = [] }) => ({ bots: [...bots, { platform_id: 5, token: '6:x' }] }),
      /bots\[5\]\.token must begin with platform_id/,
    ],
    [
      'a new bot without a token',
      ({ bots = [] }) => ({ bots: [...bots, { platform_id: 5 }] }),
      /bots\[5\]\.token is required for a new entry/,
    ],
    [
      'a variable that is not set',
      ({ bots = [] }) => ({ bots: [...bots, { platform_id: 5, token: '${TOKEN_OF_FIVE}' }] }),
      /needs the value of \$\{TOKEN_OF_FIVE\}/,
    ],
    [
      'an unknown bot in a route',
      () => ({ routes: [{ source: 5, target: 5, action: 'copy' }] }),
      /\.source names bot 5, which is neither/,
    ],
    [
      'an unknown bot of a user',
      () => ({ users: [{ username: 'x', password: 'long enough', bots: [5] }] }),
      /users\[x\]\.bots names bot 5/,
    ],
    [
      'a name that is listed twice',
      () => ({
        users: [
          { username: 'x', password: 'long enough' },
          { username: 'X', password: 'long enough' },
        ],
      }),
      /users\[x\] is listed twice/,
    ],
    [
      'a new user without a password',
      () => ({ users: [{ username: 'x' }] }),
      /users\[x\]\.password is required/,
    ],
    ['a wrong key', () => ({ keys: [{ name: 'x', key: 'short' }] }), /keys\[x\]\.key must be brs_/],
    [
      'a wrong pattern',
      ({ bots }) => ({
        bots,
        routes: [
          {
            source: bots?.[0]?.platform_id,
            target: bots?.[0]?.platform_id,
            action: 'copy',
            condition_type: 'regex',
            condition_value: '(',
          },
        ],
      }),
      /condition_value/,
    ],
    [
      'a bot without its backend',
      ({ bots }) => ({ bots: [{ ...bots?.[0], backend_url: '' }, bots?.[1]] }),
      /bots\[\d+\]\.backend_url/,
    ],
  ])('an error changes nothing: %s', async (_what, change, message) => {
    const before = JSON.stringify(await exported());
    const { status, body } = await tryApply({ ...wanted(), ...change(wanted()) });
    expect(body.error).toMatch(message);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(await exported())).toBe(before);
  });

  it('is for admins of all bots', async () => {
    const manager = await app.user('manage');
    expect((await manager.get('/api/config')).status).toBe(403);
    expect((await tryApply({}, {}, manager)).status).toBe(403);
    const bot = await app.store.bots.insert({ token: first.token, source: 'web' }, 1);
    const limited = await app.user('admin', [bot.id]);
    expect((await limited.get('/api/config')).status).toBe(403);
    expect((await tryApply({}, {}, limited)).status).toBe(403);
  });
});
