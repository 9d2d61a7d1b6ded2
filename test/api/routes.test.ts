import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RouteRecord } from '../../src/store/routing/routes.ts';
import { type ApiUser, type DomainApp, startDomainApp } from '../support/rigs/domain-app.ts';
import { dialects } from '../support/database/engines.ts';

const defaults = {
  condition_type: 'all',
  condition_value: '',
  target_chat_id: 0,
  enabled: true,
  description: '',
  priority: 0,
  source_chat_id: 0,
  source_thread_id: 0,
  target_thread_id: 0,
  return_mode: 'reply',
};

describe.each(dialects)('routes over HTTP on %s', (dialect) => {
  let app: DomainApp;
  let manager: ApiUser;
  let source: number;
  let target: number;

  beforeAll(async () => {
    app = await startDomainApp(dialect);
    manager = await app.user('manage');
    source = (await app.talkingBot()).id;
    target = (await app.talkingBot()).id;
  });
  afterAll(() => app.close());

  const minimal = () => ({ source_bot_id: source, target_bot_id: target, action: 'forward' });
  const add = async (fields: Record<string, unknown> = {}) =>
    (await manager.post<RouteRecord>('/api/routes/add', { ...minimal(), ...fields })).body;

  it('adds a route with the defaults', async () => {
    const { status, body } = await manager.post<RouteRecord>('/api/routes/add', minimal());
    expect(status).toBe(200);
    expect(body).toEqual({
      id: body.id,
      ...minimal(),
      ...defaults,
    });
    expect(Object.keys(body).slice(0, 9)).toEqual([
      'id',
      'source_bot_id',
      'target_bot_id',
      'condition_type',
      'condition_value',
      'action',
      'target_chat_id',
      'enabled',
      'description',
    ]);
  });

  it('needs the chat of a topic', async () => {
    for (const end of ['source', 'target']) {
      const { status, body } = await manager.post<{ details: object[] }>('/api/routes/add', {
        ...minimal(),
        [`${end}_thread_id`]: 4,
      });
      expect(status).toBe(400);
      expect(body.details).toMatchObject([
        { field: `${end}_thread_id`, problem: expect.stringContaining(`needs ${end}_chat_id`) },
      ]);
      const topic = { [`${end}_thread_id`]: 4, [`${end}_chat_id`]: -100 };
      expect(await add(topic)).toMatchObject(topic);
    }
  });

  it('replaces a route: what is left out takes its default', async () => {
    const route = await add({
      condition_type: 'keyword',
      condition_value: 'help',
      target_chat_id: -100,
      enabled: false,
      description: 'd',
      priority: 3,
      source_chat_id: 5,
    });
    const { status, body } = await manager.post('/api/routes/update', {
      id: route.id,
      source_bot_id: target,
      target_bot_id: source,
      action: 'copy',
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: route.id,
      source_bot_id: target,
      target_bot_id: source,
      action: 'copy',
      ...defaults,
    });
  });

  it('takes a fetched route back as it is', async () => {
    const route = await add({ condition_type: 'chat_id', condition_value: '-100123' });
    const { status, body } = await manager.post('/api/routes/update', route);
    expect(status).toBe(200);
    expect(body).toEqual(route);
  });

  it.each([
    ['chat_id', '-1001234567890'],
    ['user_id', '5'],
    ['keyword', 'два слова'],
    ['all', ''],
    ['all', 'ignored'],
    ['', ''],
    ['regex', '^a(b|c)+$'],
    ['command', '/start'],
    ['command', 'start'],
    ['media', ''],
    ['media', 'photo, video_note'],
    ['llm', ''],
  ])('takes the condition %s %j', async (condition_type, condition_value) => {
    const route = await add({ condition_type, condition_value });
    expect(route).toMatchObject({ condition_type: condition_type || 'all', condition_value });
  });

  it.each([
    ['chat_id', ''],
    ['chat_id', 'abc'],
    ['chat_id', '0'],
    ['chat_id', '1.5'],
    ['chat_id', '9007199254740993'],
    ['user_id', '-5'],
    ['keyword', '  '],
    ['regex', ''],
    ['regex', '('],
    ['regex', '(?=look)'],
    ['regex', '(a)\\1'],
    ['command', '/two words'],
    ['media', 'hologram'],
  ])('refuses the condition %s %j', async (condition_type, condition_value) => {
    const { status, body } = await manager.post('/api/routes/add', {
      ...minimal(),
      condition_type,
      condition_value,
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ details: [{ field: 'condition_value' }] });
  });

  it.each([
    ['source_bot_id', { source_bot_id: undefined }],
    ['source_bot_id', { source_bot_id: 0 }],
    ['target_bot_id', { target_bot_id: 'two' }],
    ['action', { action: undefined }],
    ['action', { action: '' }],
    ['action', { action: 'explode' }],
    ['condition_type', { condition_type: 'weather' }],
    ['target_chat_id', { target_chat_id: 2 ** 52 }],
    ['enabled', { enabled: 1 }],
    ['description', { description: 'x'.repeat(4_097) }],
    ['priority', { priority: 0.5 }],
    ['prioritty', { prioritty: 1 }],
  ])('refuses a bad %s by name', async (field, fields) => {
    const { status, body } = await manager.post('/api/routes/add', { ...minimal(), ...fields });
    expect(status).toBe(400);
    expect(body).toMatchObject({ details: [{ field }] });
  });

  it('needs the id of the route it replaces', async () => {
    const { status, body } = await manager.post('/api/routes/update', minimal());
    expect(status).toBe(400);
    expect(body).toMatchObject({ details: [{ field: 'id' }] });
  });

  it('knows no route and no bot that is not there', async () => {
    const route = await add();
    const cases = [
      [{ id: 999_999 }, 'route_not_found', 'id'],
      [{ source_bot_id: 999_999 }, 'bot_not_found', 'source_bot_id'],
      [{ target_bot_id: 999_999 }, 'bot_not_found', 'target_bot_id'],
    ] as const;
    for (const [fields, code, field] of cases) {
      const { status, body } = await manager.post('/api/routes/update', {
        id: route.id,
        ...minimal(),
        ...fields,
      });
      expect(status).toBe(404);
      expect(body).toMatchObject({ code, details: [{ field }] });
    }
    expect((await manager.post('/api/routes/delete?id=999999')).status).toBe(404);
    expect((await manager.get('/api/routes?bot_id=999999')).status).toBe(404);
  });

  it('lists routes in the order in which they act, all or those of a bot', async () => {
    const hub = (await app.talkingBot()).id;
    const last = await add({ source_bot_id: hub, priority: 9 });
    const first = await add({ source_bot_id: hub, priority: -9 });
    const back = await add({ source_bot_id: target, target_bot_id: hub });
    const ids = async (query = '') =>
      (await manager.get<RouteRecord[]>(`/api/routes${query}`)).body.map((route) => route.id);
    expect(await ids(`?bot_id=${hub}`)).toEqual([back.id, first.id, last.id]);
    expect(await ids()).toEqual(expect.arrayContaining([first.id, last.id, back.id]));
    const lonely = (await app.talkingBot()).id;
    expect(await ids(`?bot_id=${lonely}`)).toEqual([]);
  });

  it('keeps what all patterns of one bot cost together within bounds', async () => {
    const crowded = (await app.talkingBot()).id;
    const heavy = (n: number) => ({
      ...minimal(),
      source_bot_id: crowded,
      condition_type: 'regex',
      condition_value: `[ab].{700}.{700}${n}`,
    });
    const post = (path: string, body: object) => manager.post<RouteRecord>(path, body);
    const answers = await Promise.all(
      Array.from({ length: 14 }, (_, n) => post('/api/routes/add', heavy(n))),
    );
    const taken = answers.filter(({ status }) => status === 200).map(({ body }) => body);
    expect(taken).toHaveLength(11);
    const tooMuch = { status: 400, body: { details: [{ field: 'condition_value' }] } };
    expect(answers.find(({ status }) => status !== 200)).toMatchObject(tooMuch);

    const waiting = await post('/api/routes/add', { ...heavy(20), enabled: false });
    expect(waiting.status).toBe(200);
    const enabled = { ...waiting.body, enabled: true };
    expect(await post('/api/routes/update', enabled)).toMatchObject(tooMuch);
    const [first] = taken;
    const renamed = { ...first, description: 'as before' };
    expect((await post('/api/routes/update', renamed)).status).toBe(200);
    const smaller = { ...first, condition_value: 'refund' };
    expect((await post('/api/routes/update', smaller)).status).toBe(200);
    expect((await post('/api/routes/update', enabled)).status).toBe(200);
    expect((await post('/api/routes/add', { ...heavy(1), source_bot_id: source })).status).toBe(
      200,
    );
  });

  it('deletes a route once', async () => {
    const route = await add();
    const { status, body } = await manager.post(`/api/routes/delete?id=${route.id}`);
    expect(status).toBe(200);
    expect(body).toEqual(route);
    expect((await manager.post(`/api/routes/delete?id=${route.id}`)).status).toBe(404);
  });

  it('keeps a limited key to routes between its bots', async () => {
    const mine = (await app.talkingBot()).id;
    const limited = await app.user('manage', [mine]);
    const out = await add({ source_bot_id: mine });
    const foreign = await add();
    expect((await limited.get<RouteRecord[]>('/api/routes')).body).toEqual([out]);
    const attempts = [
      limited.post('/api/routes/add', { ...minimal(), source_bot_id: mine }),
      limited.post('/api/routes/update', { ...foreign, source_bot_id: mine, target_bot_id: mine }),
      limited.post(`/api/routes/delete?id=${foreign.id}`),
      limited.post(`/api/routes/delete?id=${out.id}`),
      limited.get(`/api/routes?bot_id=${source}`),
    ];
    for (const { status, body } of await Promise.all(attempts)) {
      expect(status).toBe(403);
      expect(body).toMatchObject({ code: 'bot_not_allowed' });
    }
    const own = { source_bot_id: mine, target_bot_id: mine, action: 'drop' };
    expect((await limited.post('/api/routes/add', own)).status).toBe(200);
    const reader = await app.user('read');
    expect((await reader.post('/api/routes/add', minimal())).status).toBe(403);
  });
});
