import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { RelayEvent } from '../../src/core/ports.ts';
import type { BotHealth } from '../../src/manage/bots/bot-health.ts';
import type { RestoredWebhook } from '../../src/manage/bots/previous-webhook.ts';
import {
  type BotRuntimeRepository,
  type PreviousWebhook,
} from '../../src/store/cluster/bot-runtime.ts';
import {
  type ApiUser,
  type DomainApp,
  nowhere,
  startDomainApp,
} from '../support/rigs/domain-app.ts';
import { createSandbox } from '../../sandbox/src/index.ts';
import { createDatabase, dialects } from '../support/database/engines.ts';
import { startServiceProcess } from '../support/service-process.ts';

describe.each(dialects)('the webhook a bot had before, on %s', (dialect) => {
  let app: DomainApp;
  let manager: ApiUser;
  let runtime: BotRuntimeRepository;

  beforeAll(async () => {
    app = await startDomainApp(dialect);
    manager = await app.user('manage');
    runtime = app.store.runtime;
  });
  afterAll(() => app.close());
  afterEach(() => {
    app.movePlatform(app.platformUrl);
    app.sandbox.faults.clear();
  });

  const url = 'https://old.example.com/hook/secret-path';

  /** A bot whose webhook was removed when the relay began to poll it. */
  async function taken(webhook: Partial<PreviousWebhook> = {}) {
    const platform = app.sandbox.createBot();
    const { id } = await app.store.bots.insert(
      { token: platform.token, source: 'web' },
      app.clock.now(),
    );
    const removed_at = app.clock.now();
    await runtime.setPreviousWebhook(id, { url, max_connections: 7, removed_at, ...webhook });
    return { id, platform };
  }
  const restore = (id: number, body?: object, user = manager) =>
    user.post<RestoredWebhook & { code?: string }>(`/api/bots/restore-webhook?id=${id}`, body);
  const isDisabled = async (id: number) => (await app.store.bots.get(id))?.disabled;

  it('is shown, its address only to those who manage', async () => {
    const { id } = await taken({ allowed_updates: ['message', 'poll'] });
    const shown = {
      allowed_updates: ['message', 'poll'],
      max_connections: 7,
      has_custom_certificate: false,
      removed_at: new Date(app.clock.now()).toISOString(),
    };
    const health = async (user: ApiUser) =>
      (await user.get<BotHealth>(`/api/bots/health?id=${id}`)).body.previous_webhook;
    expect(await health(manager)).toEqual({ url, ...shown });
    expect(await health(await app.user('send'))).toEqual({ url: '', ...shown });
    const { token } = app.practiceBot();
    const other = (await manager.post<{ id: number }>('/api/bots/add', { token })).body;
    const { body } = await manager.get(`/api/bots/health?id=${other.id}`);
    expect(body).not.toHaveProperty('previous_webhook');
  });

  it('is set again once the bot has stopped, with nothing dropped', async () => {
    const { id, platform } = await taken();
    // As after polling: every kind is asked for, and something is pending.
    await app.sandbox.call(platform.token, 'getUpdates', { allowed_updates: ['chat_member'] });
    app.sandbox.say(app.sandbox.createUser().id, platform.id, 'pending');
    await app.sandbox.call(platform.token, 'getUpdates', { allowed_updates: ['message'] });
    app.sandbox.say(app.sandbox.createUser().id, platform.id, 'pending');
    const events: RelayEvent[] = [];
    const unsubscribe = app.events.subscribe((event) => events.push(event));
    const { status, body } = await restore(id);
    unsubscribe();
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      disabled: true,
      url,
      max_connections: 7,
      allowed_updates: [],
      pending_update_count: 1,
    });
    expect(body.warnings).toEqual([expect.stringContaining('secret_token')]);
    expect(body.warnings_detail).toEqual([{ code: 'webhook_secret_not_restored', params: {} }]);
    expect(platform.webhook?.url).toBe(url);
    expect(platform.webhook?.secretToken ?? '').toBe('');
    expect(await isDisabled(id)).toBe(true);
    expect(events).toEqual([{ type: 'bot', botId: id, data: { change: 'disabled' } }]);

    // Again, with the secret that only its owner knows.
    const again = await restore(id, { secret_token: 'known_to-me' });
    expect(again).toMatchObject({ status: 200, body: { warnings: [] } });
    expect(platform.webhook?.secretToken).toBe('known_to-me');
  });

  it('says what it cannot bring back', async () => {
    const { id } = await taken({ has_custom_certificate: true, allowed_updates: ['poll'] });
    const { body } = await restore(id, { secret_token: 'x' });
    expect(body.warnings).toEqual([expect.stringContaining('certificate')]);
    expect(body.allowed_updates).toEqual(['poll']);
  });

  it('leaves the bot as it was when the platform does not take it', async () => {
    const { id, platform } = await taken({ url: 'ftp://old.example.com/hook' });
    expect(await restore(id)).toMatchObject({
      status: 422,
      body: { code: 'platform_refused', platform: { error_code: 400 } },
    });
    expect(await isDisabled(id)).toBe(false);
    await app.store.bots.toggle(id, app.clock.now());
    expect((await restore(id)).status).toBe(422);
    expect(await isDisabled(id)).toBe(true);
    expect(platform.webhook).toBeUndefined();

    const unreached = await taken();
    app.movePlatform(nowhere);
    expect(await restore(unreached.id)).toMatchObject({
      status: 502,
      body: { code: 'platform_unreachable' },
    });
    expect(await isDisabled(unreached.id)).toBe(false);
  });

  it('is refused where there is none, and to those who may not', async () => {
    const { token } = app.practiceBot();
    const { id } = await app.store.bots.insert({ token, source: 'web' }, app.clock.now());
    expect(await restore(id)).toMatchObject({
      status: 409,
      body: { code: 'no_previous_webhook' },
    });
    expect(await isDisabled(id)).toBe(false);
    expect((await restore(999_999)).status).toBe(404);
    expect((await restore(id, { secret_token: 'a b' })).status).toBe(400);
    expect((await restore(id, { secret: 'a' })).status).toBe(400);
    expect((await restore(id, undefined, await app.user('send'))).status).toBe(403);
    expect(
      (await restore(id, undefined, await app.user('manage', [(await taken()).id]))).status,
    ).toBe(403);
  });
});

it('a previous webhook is given back by the service as shipped, which takes it over again when enabled', async () => {
  const database = await createDatabase('sqlite');
  onTestFinished(() => database.drop());
  const sandbox = createSandbox({ seed: 3 });
  const { url: platformUrl } = await sandbox.listen();
  onTestFinished(() => sandbox.close());
  const platform = sandbox.createBot();
  const { token } = platform;
  const url = `https://old.example.com/${token}`;
  await sandbox.call(token, 'setWebhook', { url, allowed_updates: ['message'] });

  const service = await startServiceProcess(database, { TELEGRAM_API_URL: platformUrl });
  const bot = await service.call<{ id: number }>('/api/bots/add', { token });
  const health = () => service.call<BotHealth>(`/api/bots/health?id=${bot.id}`);
  const taken = () =>
    vi.waitFor(async () => expect(await health()).toMatchObject({ running: true }));
  await taken();
  expect(platform.webhook).toBeUndefined();
  expect(await health()).toMatchObject({
    last_error: expect.stringContaining('https://old.example.com') as string,
    previous_webhook: { url, allowed_updates: ['message'] },
  });

  const restored = await service.call<RestoredWebhook>(
    `/api/bots/restore-webhook?id=${bot.id}`,
    {},
  );
  expect(restored).toMatchObject({ url, allowed_updates: ['message'], disabled: true });
  expect(platform.webhook?.url).toBe(url);
  expect(await health()).toMatchObject({ running: false, disabled: true });
  const audit = await service.request(`/api/adminlog?bot_id=${bot.id}`);
  const text = await audit.text();
  expect(text).toContain('bots.restore-webhook');
  expect(text).not.toContain(token.split(':')[1]);

  await service.call(`/api/bots/toggle-disabled?id=${bot.id}`, {});
  await taken();
  expect(platform.webhook).toBeUndefined();
  expect(await health()).toMatchObject({ previous_webhook: { url } });
});
