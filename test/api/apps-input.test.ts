import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AppView } from '../../src/manage/apps/app-view.ts';
import { dialects } from '../support/database/engines.ts';
import { type ApiUser, type DomainApp, startDomainApp } from '../support/rigs/domain-app.ts';

describe.each(dialects)('what is wrong with an app, on %s', (dialect) => {
  let app: DomainApp;
  let manager: ApiUser;
  let botId: number;
  beforeAll(async () => {
    app = await startDomainApp(dialect);
    manager = await app.user('manage');
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    const { token } = app.practiceBot();
    botId = (await app.store.bots.insert({ token, source: 'web' }, app.clock.now())).id;
  });

  const call = <T = AppView>(action: string, body: object) =>
    manager.post<T>(`/api/bots/apps/${action}`, body);
  const list = async () => (await manager.get<AppView[]>(`/api/bots/apps?bot_id=${botId}`)).body;

  it.each<[string, object, string]>([
    ['no name', { name: '' }, 'name'],
    ['a name with a space', { name: 'a b' }, 'name'],
    ['a name of 65 characters', { name: 'a'.repeat(65) }, 'name'],
    ['the name default', { name: 'default' }, 'name'],
    ['an unknown mode', { mode: 'push' }, 'mode'],
    ['a webhook without an address', { mode: 'webhook' }, 'backend_url'],
    ['an address that is none', { backend_url: 'orders' }, 'backend_url'],
    ['a masked address', { backend_url: 'https://a.example/***' }, 'backend_url'],
    ['a link-local address', { backend_url: 'http://169.254.169.254/x' }, 'backend_url'],
    ['a secret with a space', { secret_token: 'a b' }, 'secret_token'],
    ['too many connections', { max_connections: 101 }, 'max_connections'],
    ['connections without a webhook', { max_connections: 5 }, 'max_connections'],
    ['kinds without a webhook', { allowed_updates: ['message'] }, 'allowed_updates'],
    ['a filter that is a list', { filter: [] }, 'filter'],
    ['an unknown field of the filter', { filter: { chats: [1] } }, 'filter.chats'],
    ['a field of the filter that is no list', { filter: { commands: '/a' } }, 'filter.commands'],
    ['a pattern that does not compile', { filter: { regex: '(' } }, 'filter.regex'],
    ['a pattern that is a list', { filter: { regex: ['a'] } }, 'filter.regex'],
    ['a command with a space', { filter: { commands: ['a b'] } }, 'filter.commands'],
    ['an unknown type of chat', { filter: { chat_types: ['room'] } }, 'filter.chat_types[0]'],
    ['a chat 0', { filter: { chat_ids: [0] } }, 'filter.chat_ids[0]'],
    ['a method that is none', { methods: ['send message'] }, 'methods'],
    ['a kind that is none', { allowed_updates: ['a b'] }, 'allowed_updates'],
    ['a fraction as priority', { priority: 1.5 }, 'priority'],
    ['a field that there is not', { filtre: {} }, 'filtre'],
  ])('refuses %s', async (_, fields, field) => {
    const { status, body } = await call('add', { bot_id: botId, name: 'orders', ...fields });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_request', details: [{ field }] });
    expect(await list()).toHaveLength(1);
  });

  it('names every field of a filter that is wrong', async () => {
    const filter = { commands: ['a b'], keywords: ['!'], regex: '(' };
    const { body } = await call<{ details: object[] }>('preview', { bot_id: botId, filter });
    expect(body.details.map((detail) => ({ ...detail }))).toMatchObject([
      { field: 'filter.commands' },
      { field: 'filter.keywords' },
      { field: 'filter.regex' },
    ]);
  });
});
