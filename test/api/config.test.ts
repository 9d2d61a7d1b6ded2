import { describe, expect, it } from 'vitest';
import { localCaller } from '../../src/core/access/access.ts';
import type { ConfigDocument } from '../../src/core/config-file/document.ts';
import { mapReferable, referenceIn } from '../../src/core/config-file/references.ts';
import { raw } from '../../src/store/engine.ts';
import { eitherDialect } from '../support/database/engines.ts';
import { configRig, key, orders, shop } from '../support/rigs/config-rig.ts';
import { startDomainApp } from '../support/rigs/domain-app.ts';

describe.each(eitherDialect)('the configuration on %s', (dialect) => {
  const rig = configRig(dialect);
  const { exported, tryApply, apply, wanted } = rig;

  it('applies, exports and changes nothing when applied again', async () => {
    const { admin, first, second } = rig;
    expect(await apply(wanted())).toEqual([
      `add bot ${first.id}`,
      `add app ${first.id}/orders`,
      `add app ${first.id}/report`,
      `add bot ${second.id}`,
      `add route ${first.id} → ${second.id}: forward keyword "refund"`,
      `add route ${first.id} → ${second.id}: copy all`,
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
    const { app, admin } = rig;
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
      if (field === 'key') return text === '${KEY_ADMIN_KEY}' ? text : `${key}${++keys}`;
      return found && 'variable' in found ? (values.get(found.variable) ?? '') : text;
    });
    const other = await startDomainApp(dialect);
    try {
      other.movePlatform(app.platformUrl);
      const owner = await other.user('admin');
      expect(await apply(resolved as object, {}, owner)).toContain('add model model');
      expect(JSON.stringify(await exported(owner))).toBe(JSON.stringify(written));
      expect(await apply(resolved as object, { prune: true }, owner)).toEqual([]);
    } finally {
      await other.close();
    }
  });

  it('changes what differs, and what an entry leaves out gets its default', async () => {
    const { admin, first, second } = rig;
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

  it('leaves webhooks alone that clients set themselves, unless the file states others', async () => {
    const { admin, app, first } = rig;
    const bot = (fields: object = {}, n8n: object = {}) => ({
      bots: [
        { platform_id: first.id, token: first.token, ...fields, apps: [{ name: 'n8n', ...n8n }] },
      ],
    });
    await apply(bot());
    const { id } = (await app.store.bots.byToken(first.token)) as { id: number };
    const appId = ((await app.store.apps.byName(id, 'n8n')) as { id: number }).id;
    const asked = {
      isSelfSet: true,
      maxConnections: 3,
      allowedUpdates: ['message'],
      certificate: '',
    };
    const own = { backend_url: 'https://n8n.example.com/own', secret_token: 'own' };
    const mine = { backend_url: 'https://bot.example.com/own', secret_token: 'mine' };
    const setWebhooks = async () => {
      await app.store.apps.update(
        appId,
        { patch: { mode: 'webhook', ...own }, options: asked },
        app.clock.now(),
      );
      await app.store.bots.update(id, { ...mine, proxy_enabled: true }, app.clock.now(), asked);
    };
    await setWebhooks();
    expect(await apply(bot({ name: 'Tea' }))).toEqual([`update bot ${first.id} name`]);
    const { config, self_set } = await exported();
    expect(config.bots?.find((one) => one.platform_id === first.id)).toEqual({
      platform_id: first.id,
      token: `\${BOT_${first.id}_TOKEN}`,
      name: 'Tea',
      apps: [{ name: 'n8n' }],
    });
    const settings = { mode: 'webhook', max_connections: 3, allowed_updates: ['message'] };
    expect(self_set).toEqual([
      {
        kind: 'bot',
        name: `${first.id}`,
        fields: { ...mine, secret_token: '***', proxy_enabled: true },
      },
      {
        kind: 'app',
        name: `${first.id}/n8n`,
        fields: { ...own, ...settings, secret_token: '***' },
      },
    ]);
    expect((await exported(admin, true)).self_set[1]?.fields).toEqual({ ...own, ...settings });

    // A person who changes the options leaves the address to the app.
    await admin.post('/api/bots/apps/update', { id: appId, max_connections: 5 });
    expect(await apply(bot({ name: 'Tea' }, { secret_token: 'stated' }))).toEqual([
      `update app ${first.id}/n8n secret_token`,
    ]);
    expect(await apply(bot({ name: 'Tea' }, { mode: 'poll' }))).toEqual([
      `update app ${first.id}/n8n mode backend_url secret_token max_connections allowed_updates`,
    ]);
    await setWebhooks();
    const stated = { mode: 'webhook', backend_url: 'https://other.example.com/hook' };
    expect(
      await apply(bot({ name: 'Tea', backend_url: 'https://other.example.com/bot' }, stated)),
    ).toEqual([
      `update bot ${first.id} backend_url secret_token proxy_enabled`,
      `update app ${first.id}/n8n backend_url secret_token max_connections allowed_updates`,
    ]);
    expect(await apply(bot({ name: 'Tea' }))).toEqual([
      `update bot ${first.id} backend_url`,
      `update app ${first.id}/n8n mode backend_url`,
    ]);
    // What a person set last follows the file, whatever the app once asked for.
    await setWebhooks();
    await admin.post('/api/bots/apps/update', { id: appId, backend_url: stated.backend_url });
    expect(await apply(bot({ name: 'Tea' }))).toEqual([
      `update app ${first.id}/n8n mode backend_url secret_token max_connections allowed_updates`,
    ]);
  });

  it('names both bots of one Telegram ID, and changes neither', async () => {
    const { app, admin, first, second } = rig;
    await apply(wanted());
    const ids = [first, second].map(async ({ token }) => (await app.store.bots.byToken(token))?.id);
    const [one = 0, two = 0] = await Promise.all(ids);
    const setId = (id: number) =>
      app.store.engine.write(() =>
        raw('update bots set platform_id = $1, updated_at = updated_at + 1 where id = $2', [
          id,
          two,
        ]),
      );
    await setId(first.id);
    const words = `Bots ${Math.min(one, two)} and ${Math.max(one, two)} have the same Telegram ID`;
    const refused = await tryApply({ bots: [{ platform_id: first.id, name: 'Other' }] });
    expect(refused).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(refused.body.error).toContain(words);
    expect((await admin.get('/api/config')).body['error']).toContain(words);
    await setId(second.id);
    expect(await apply(wanted())).toEqual([]);
  });

  it('takes the former ID of a group for that of its supergroup, and says so', async () => {
    const { app, first, second } = rig;
    const [from, to] = [-first.id, -1_000_000_000_000 - first.id];
    const file = (chat: number): object => ({
      bots: [
        {
          platform_id: first.id,
          token: first.token,
          apps: [{ name: 'own', filter: { chat_ids: [chat] } }],
        },
        { platform_id: second.id, token: second.token },
      ],
      routes: [
        {
          source: first.id,
          target: second.id,
          action: 'copy',
          source_chat_id: chat,
          target_chat_id: chat,
          condition_type: 'chat_id',
          condition_value: String(chat),
        },
      ],
      alert_channels: [{ bot: first.id, chat_id: chat }],
      keys: [{ name: 'agent', key: `brs_${'a'.repeat(43)}`, scope: 'send', read_chats: [chat, 7] }],
    });
    await apply(file(to));
    const { id = 0 } = (await app.store.bots.byToken(first.token)) ?? {};
    await app.store.engine.write(() =>
      raw(
        `insert into chats (bot_id, chat_id, type, migrated_to, updated_at)
         values ($1, $2, 'group', $3, 0)`,
        [id, from, to],
      ),
    );
    const { body } = await tryApply(file(from), { prune: false });
    expect(body.changes).toEqual([]);
    expect(body.notes).toMatchObject([
      { note_detail: { code: 'chat_moved', params: { from, to } } },
    ]);
    const { routes, alert_channels: channels } = file(from) as ConfigDocument;
    const [route, channel] = [routes?.[0], channels?.[0]];
    const twice = {
      routes: [route, (file(to) as ConfigDocument).routes?.[0]],
      alert_channels: [channel, (file(to) as ConfigDocument).alert_channels?.[0]],
    };
    expect(await apply(twice)).toEqual([]);
  });

  it('gives an app the token that the file names, and refuses others', async () => {
    const { app, first } = rig;
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

  it('refuses to leave no admin, in a dry run as well', async () => {
    const before = await exported();
    for (const dry_run of [true, false]) {
      const refused = await tryApply({ users: [], keys: [] }, { prune: true, dry_run });
      expect(refused).toMatchObject({ status: 409 });
      expect(refused.body.error).toMatch(/^This would leave no admin/);
    }
    expect(await exported()).toEqual(before);
  });

  it('compares again when another node applied a file meanwhile', async () => {
    const { app } = rig;
    const nodes = [app.otherConfig(), app.otherConfig(), app.otherConfig()];
    const applied = await Promise.all(
      nodes.map((node) => node.apply(localCaller, wanted(), { dryRun: false, prune: false })),
    );
    const changes = applied.map((one) => one.changes.length).sort((a, b) => a - b);
    // The model is the same in each test.
    expect(changes.slice(0, 2)).toEqual([0, 0]);
    expect(changes[2]).toBeGreaterThan(8);
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
    const { app, first } = rig;
    const manager = await app.user('manage');
    expect((await manager.get('/api/config')).status).toBe(403);
    expect((await tryApply({}, {}, manager)).status).toBe(403);
    const bot = await app.store.bots.insert({ token: first.token, source: 'web' }, 1);
    const limited = await app.user('admin', [bot.id]);
    expect((await limited.get('/api/config')).status).toBe(403);
    expect((await tryApply({}, {}, limited)).status).toBe(403);
  });
});
