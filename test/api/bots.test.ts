import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { BotView } from '../../src/manage/bots/bot-view.ts';
import {
  type ApiUser,
  type DomainApp,
  nowhere,
  startDomainApp,
  startSilentServer,
} from '../support/rigs/domain-app.ts';
import { dialects } from '../support/database/engines.ts';

const contractFields = [
  'id',
  'token',
  'name',
  'source',
  'manage_enabled',
  'proxy_enabled',
  'backend_url',
  'secret_token',
  'long_poll_enabled',
  'description',
  'running',
  'webhook_mode',
  'disabled',
];

describe.each(dialects)('bots over HTTP on %s', (dialect) => {
  let app: DomainApp;
  let manager: ApiUser;

  beforeAll(async () => {
    app = await startDomainApp(dialect);
    manager = await app.user('manage');
  });
  afterAll(() => app.close());
  afterEach(() => app.movePlatform(app.platformUrl));

  const add = async (fields: Record<string, unknown> = {}) =>
    (await manager.post<BotView>('/api/bots/add', { token: app.practiceBot().token, ...fields }))
      .body;

  it('takes a short secret, and warns in the log without naming it', async () => {
    const bot = await add({ secret_token: 'hush-hush' });
    await manager.post('/api/bots/update', { id: bot.id, secret_token: 'whisper' });
    await manager.post('/api/bots/update', { id: bot.id, secret_token: 'w'.repeat(16) });
    const warnings = app.logLines.filter(
      (line) => line.includes('secret_token has fewer') && line.includes(`"bot_id":${bot.id},`),
    );
    expect(warnings.map((line) => JSON.parse(line))).toMatchObject([{ level: 40 }, { level: 40 }]);
    expect(warnings.join('')).not.toMatch(/hush|whisper/);
  });

  it('adds a bot with the defaults of the contract', async () => {
    const practice = app.practiceBot();
    const { status, body } = await manager.post<BotView>('/api/bots/add', {
      token: practice.token,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      token: practice.token,
      name: '',
      source: 'web',
      manage_enabled: false,
      proxy_enabled: false,
      backend_url: '',
      secret_token: '',
      long_poll_enabled: false,
      description: '',
      running: false,
      webhook_mode: false,
      disabled: false,
      platform_id: practice.id,
      llm_routing_enabled: false,
    });
    expect(body.username).toMatch(/_bot$/);
    expect(Object.keys(body).slice(0, contractFields.length)).toEqual(contractFields);
    const listed = (await manager.get<BotView[]>('/api/bots')).body;
    expect(listed.find((bot) => bot.id === body.id)).toEqual(body);
  });

  it('keeps every field that add takes', async () => {
    const fields = {
      name: 'Desk',
      manage_enabled: true,
      proxy_enabled: true,
      backend_url: 'http://127.0.0.1:3000/hook',
      secret_token: 'A-z_0',
      long_poll_enabled: true,
      description: 'answers',
    };
    expect(await add(fields)).toMatchObject(fields);
  });

  it('knows the command from the web', async () => {
    const { token } = app.practiceBot();
    const headers = { 'user-agent': 'bot-relay-cli' };
    const { body } = await manager.post('/api/bots/add', { token }, headers);
    expect(body['source']).toBe('cli');
  });

  it('refuses a token the platform refuses, and stores nothing', async () => {
    const before = (await manager.get<BotView[]>('/api/bots')).body.length;
    const { status, body } = await manager.post('/api/bots/add', { token: '42:no-such-bot' });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'token_refused', details: [{ field: 'token' }] });
    expect(JSON.stringify(body)).not.toContain('no-such-bot');
    expect((await manager.get<BotView[]>('/api/bots')).body).toHaveLength(before);
  });

  it('refuses the token of an app without asking the platform', async () => {
    const bot = await add();
    const { token } = (
      await manager.post<{ token: string }>('/api/bots/apps/add', {
        bot_id: bot.id,
        name: 'report',
      })
    ).body;
    const message = `This is the token of app report of bot ${bot.id}. Use the bot's token from @BotFather.`;
    const refused = { status: 409, body: { code: 'token_taken', error: message } };
    expect(await manager.post('/api/bots/add', { token })).toMatchObject(refused);
    expect(await manager.post('/api/bots/update', { id: bot.id, token })).toMatchObject(refused);
    expect(await manager.post('/api/bots/validate', { token })).toMatchObject({
      body: { valid: false, error: message },
    });
  });

  it('says what a token looks like', async () => {
    expect((await manager.post('/api/bots/add', { token: 'x' })).body).toMatchObject({
      error: 'token must be a bot token, such as 123456:ABC-DEF.',
    });
  });

  it('refuses a token twice with the id of its bot', async () => {
    const bot = await add();
    const { status, body } = await manager.post('/api/bots/add', { token: bot.token });
    expect(status).toBe(409);
    expect(body).toMatchObject({ code: 'token_taken', details: [{ field: 'token', id: bot.id }] });
  });

  it('refuses a second bot of a Telegram ID, and names the one whose token to replace', async () => {
    const bot = await add();
    app.movePlatform(nowhere);
    const next = (token: string) => manager.post('/api/bots/add', { token });
    const refused = await next(`${bot.platform_id}:next`);
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'bot_exists', details: [{ field: 'token', id: bot.id }] },
    });
    expect(refused.body['error']).toContain(`{"id": ${bot.id}, "token"`);
    const id = bot.platform_id + 500_000;
    const both = await Promise.all(['one', 'two'].map((secret) => next(`${id}:${secret}`)));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('stores a bot whose platform cannot be reached, and says why it does not run', async () => {
    app.movePlatform(nowhere);
    const { status, body } = await manager.post<BotView>('/api/bots/add', {
      token: '77:unreached',
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ running: false, platform_id: 77, username: '' });
    expect(body.last_error).toContain('cannot be reached');
  });

  it('waits for the platform no longer than 3 seconds', async () => {
    const silent = await startSilentServer();
    app.movePlatform(silent.url);
    const adding = manager.post<BotView>('/api/bots/add', { token: '78:silent' });
    await silent.asked;
    await app.clock.advance(3_000);
    expect((await adding).body.last_error).toContain('3 s');
  });

  it.each([
    ['token', { token: 'no-colon' }],
    ['token', { token: '' }],
    ['token', {}],
    ['name', { name: 'x'.repeat(257) }],
    ['name', { name: '😀'.repeat(257) }],
    ['description', { description: 'x'.repeat(4_097) }],
    ['secret_token', { secret_token: 'with space' }],
    ['secret_token', { secret_token: 'x'.repeat(257) }],
    ['backend_url', { backend_url: 'ftp://example.com' }],
    ['backend_url', { backend_url: `http://e.com/${'x'.repeat(2_048)}` }],
    ['backend_url', { backend_url: 'http://169.254.169.254/' }],
    ['backend_url', { proxy_enabled: true }],
    ['webhook_mode', { webhook_mode: true }],
    ['manage_enabled', { manage_enabled: 'yes' }],
    ['urgent', { urgent: ['/stop now'] }],
    ['urgent', { urgent: Array<string>(11).fill('/stop') }],
    ['tokn', { tokn: 'typo' }],
  ])('refuses a bad %s by name', async (field, fields: Record<string, unknown>) => {
    const token = field === 'token' ? {} : { token: app.practiceBot().token };
    const { status, body } = await manager.post('/api/bots/add', { ...token, ...fields });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_request' });
    expect((body['details'] as { field: string }[]).map((detail) => detail.field)).toContain(field);
  });

  it('counts the characters of a text, whatever they take', async () => {
    const { token } = app.practiceBot();
    const long = { name: '😀'.repeat(256), description: `${'😀'.repeat(4_095)}x` };
    const { status, body } = await manager.post<BotView>('/api/bots/add', { token, ...long });
    expect(status).toBe(200);
    expect(body).toMatchObject(long);
  });

  it('takes webhook mode where the platform can reach it', async () => {
    const reachable = await startDomainApp(dialect, { publicUrl: 'https://relay.example.com' });
    onTestFinished(() => reachable.close());
    const user = await reachable.user('manage');
    const { token } = reachable.practiceBot();
    const { body } = await user.post('/api/bots/add', { token, webhook_mode: true });
    expect(body['webhook_mode']).toBe(true);
  });

  it('changes what an update names and keeps the rest', async () => {
    const bot = await add({ name: 'before', secret_token: 'kept' });
    const fields = { name: 'after', long_poll_enabled: true, llm_routing_enabled: true };
    const { status, body } = await manager.post('/api/bots/update', { id: bot.id, ...fields });
    expect(status).toBe(200);
    expect(body).toEqual({ ...bot, ...fields });
  });

  it('takes a fetched bot back, changed, and ignores what is not for it to change', async () => {
    const bot = await add({ name: 'before' });
    const edited = { ...bot, name: 'after', running: true, disabled: true, source: 'cli' };
    const { status, body } = await manager.post('/api/bots/update', edited);
    expect(status).toBe(200);
    expect(body).toEqual({ ...bot, name: 'after' });
  });

  it('takes "" as unset', async () => {
    const bot = await add({ name: 'x', secret_token: 'y', backend_url: 'http://e.com/' });
    const { body } = await manager.post('/api/bots/update', {
      id: bot.id,
      name: '',
      secret_token: '',
      backend_url: '',
      description: '',
      token: '',
    });
    expect(body).toMatchObject({ name: '', secret_token: '', backend_url: '', token: bot.token });
  });

  it('does not forward to nowhere', async () => {
    const bot = await add({ proxy_enabled: true, backend_url: 'http://e.com/' });
    const { status, body } = await manager.post('/api/bots/update', {
      id: bot.id,
      backend_url: '',
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ details: [{ field: 'backend_url' }] });
    const turnedOff = await manager.post('/api/bots/update', {
      id: bot.id,
      backend_url: '',
      proxy_enabled: false,
    });
    expect(turnedOff.status).toBe(200);
  });

  it('replaces a token only by one of the same bot', async () => {
    const bot = await add();
    const other = app.practiceBot();
    const wrong = await manager.post('/api/bots/update', { id: bot.id, token: other.token });
    expect(wrong.status).toBe(400);
    expect(wrong.body).toMatchObject({ details: [{ field: 'token' }] });
    const refused = await manager.post('/api/bots/update', {
      id: bot.id,
      token: `${bot.platform_id}:revoked`,
    });
    expect(refused).toMatchObject({ status: 400, body: { code: 'token_refused' } });
    app.movePlatform(nowhere);
    const fresh = `${bot.platform_id}:fresh`;
    const replaced = await manager.post('/api/bots/update', { id: bot.id, token: fresh });
    expect(replaced).toMatchObject({ status: 200, body: { token: fresh, id: bot.id } });
  });

  it('flips disabled there and back', async () => {
    const bot = await add();
    const flip = () => manager.post<BotView>(`/api/bots/toggle-disabled?id=${bot.id}`);
    expect((await flip()).body).toEqual({ ...bot, disabled: true });
    expect((await flip()).body).toEqual(bot);
  });

  it('deletes a bot once', async () => {
    const bot = await add();
    const { status, body } = await manager.post(`/api/bots/delete?id=${bot.id}`);
    expect(status).toBe(200);
    expect(body).toEqual(bot);
    expect((await manager.post(`/api/bots/delete?id=${bot.id}`)).status).toBe(404);
  });

  it('tells whether a token is good without keeping it', async () => {
    const { token, id } = app.practiceBot();
    const good = await manager.post('/api/bots/validate', { token });
    expect(good.body).toMatchObject({ valid: true, platform_id: id, error: '' });
    const bad = await manager.post('/api/bots/validate', { token: '42:no' });
    expect(bad).toMatchObject({ status: 200, body: { valid: false, error: 'Unauthorized' } });
    expect(await app.store.bots.byToken(token)).toBeUndefined();
    app.movePlatform(nowhere);
    expect(await manager.post('/api/bots/validate', { token })).toMatchObject({
      status: 502,
      body: { code: 'platform_unreachable' },
    });
  });

  it('tells how a bot is doing', async () => {
    const bot = await add();
    const { body } = await manager.get(`/api/bots/health?id=${bot.id}`);
    expect(body).toMatchObject({ id: bot.id, running: false, healthy: false, platform_ok: true });
    app.movePlatform(nowhere);
    const lost = await manager.get(`/api/bots/health?id=${bot.id}`);
    expect(lost).toMatchObject({ status: 200, body: { platform_ok: false } });
  });

  it('knows no bot that is not there', async () => {
    const calls = [
      manager.post('/api/bots/update', { id: 999_999, name: 'x' }),
      manager.post('/api/bots/toggle-disabled?id=999999'),
      manager.post('/api/bots/delete?id=999999'),
      manager.get('/api/bots/health?id=999999'),
    ];
    for (const { status, body } of await Promise.all(calls)) {
      expect(status).toBe(404);
      expect(body).toMatchObject({ code: 'bot_not_found' });
    }
  });

  it.each(['0', '-1', '1.5', '9007199254740993', 'abc', ''])('refuses the id %j', async (id) => {
    const { status, body } = await manager.post(`/api/bots/toggle-disabled?id=${id}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ details: [{ field: 'id' }] });
  });

  it('shows secrets only to those who manage', async () => {
    const bot = await add({ secret_token: 'hush' });
    for (const scope of ['read', 'send'] as const) {
      const reader = await app.user(scope);
      const seen = (await reader.get<BotView[]>('/api/bots')).body.find(({ id }) => id === bot.id);
      expect(seen).toEqual({ ...bot, token: `${bot.platform_id}:***`, secret_token: '***' });
      expect((await reader.post('/api/bots/add', { token: '1:a' })).status).toBe(403);
    }
  });

  it('shows only the host of a backend address to those who do not manage', async () => {
    const { token } = app.practiceBot();
    const bot = await add({ token });
    const reader = await app.user('read');
    const addresses = [
      [`https://backend.example.com/bot${token}?to=all`, 'https://backend.example.com/***?***'],
      ['http://127.0.0.1:9000/hooks/s3cret', 'http://127.0.0.1:9000/***'],
      ['https://backend.example.com?key=s3cret', 'https://backend.example.com/?***'],
      ['https://backend.example.com/#s3cret', 'https://backend.example.com/#***'],
      ['https://backend.example.com/', 'https://backend.example.com/'],
    ];
    for (const [backend_url, masked] of addresses) {
      const kept = await manager.post<BotView>('/api/bots/update', { id: bot.id, backend_url });
      expect(kept.body.backend_url).toBe(backend_url);
      const { body } = await reader.get<BotView[]>('/api/bots');
      expect(body.find(({ id }) => id === bot.id)?.backend_url).toBe(masked);
    }
    const masked = 'https://backend.example.com/***';
    const sentBack = await manager.post('/api/bots/update', { id: bot.id, backend_url: masked });
    expect(sentBack).toMatchObject({ status: 400, body: { details: [{ field: 'backend_url' }] } });
  });

  it('shows a limited key only its bots', async () => {
    const mine = await add();
    const other = await add();
    const limited = await app.user('manage', [mine.id]);
    expect((await limited.get<BotView[]>('/api/bots')).body).toEqual([mine]);
    const calls = [
      limited.post('/api/bots/update', { id: other.id, name: 'x' }),
      limited.post(`/api/bots/toggle-disabled?id=${other.id}`),
      limited.post(`/api/bots/delete?id=${other.id}`),
      limited.get(`/api/bots/health?id=${other.id}`),
      limited.get('/api/bots/health?id=999999'),
      limited.post('/api/bots/add', { token: app.practiceBot().token }),
      // The model may choose among all bots.
      limited.post('/api/bots/update', { id: mine.id, llm_routing_enabled: true }),
    ];
    for (const { status, body } of await Promise.all(calls)) {
      expect(status).toBe(403);
      expect(body).toMatchObject({ code: 'bot_not_allowed' });
    }
  });
});
