import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SavedReplyView } from '../../src/manage/messages/saved-replies.ts';
import { type ApiUser, type DomainApp, startDomainApp } from '../support/rigs/domain-app.ts';
import { dialects } from '../support/database/engines.ts';

describe.each(dialects)('saved replies on %s', (dialect) => {
  let app: DomainApp;
  let agent: ApiUser;
  let count = 0;
  beforeAll(async () => {
    app = await startDomainApp(dialect);
    agent = await app.user('send');
  });
  afterAll(() => app.close());

  /** A name that no other test uses. */
  const newName = () => `reply-${++count}`;
  const add = async (by: ApiUser, fields: object = {}) =>
    await by.post<SavedReplyView>('/api/replies/add', {
      name: newName(),
      text: 'Hello {first_name}',
      ...fields,
    });

  it('are added, changed, counted and deleted', async () => {
    const { status, body: added } = await add(agent);
    expect(status).toBe(200);
    const now = new Date(app.clock.now()).toISOString();
    expect(added).toEqual({
      id: added.id,
      bot_id: 0,
      name: added.name,
      text: 'Hello {first_name}',
      uses: 0,
      last_used_at: '',
      created_at: now,
      updated_at: now,
    });
    const changed = { id: added.id, text: 'Good evening' };
    expect((await agent.post('/api/replies/update', changed)).body).toEqual({
      ...added,
      ...changed,
    });
    const { body: used } = await agent.post(`/api/replies/used?id=${added.id}`);
    expect(used).toEqual({ ...added, ...changed, uses: 1, last_used_at: now });
    expect((await agent.get<SavedReplyView[]>('/api/replies')).body).toContainEqual(used);
    expect((await agent.post(`/api/replies/delete?id=${added.id}`)).body).toEqual(used);
    expect(await agent.post(`/api/replies/used?id=${added.id}`)).toMatchObject({
      status: 404,
      body: { code: 'not_found', details: [{ field: 'id' }] },
    });
  });

  it.each([
    ['name', { name: '' }],
    ['name', { name: '  ' }],
    ['name', { name: 'a\nb' }],
    ['name', { name: 'x'.repeat(65) }],
    ['text', { text: '' }],
    ['text', { text: ' \n' }],
    ['text', { text: 'x'.repeat(4_097) }],
    ['bot_id', { bot_id: -1 }],
    ['uses_', { uses_: 1 }],
  ])('refuse a bad %s by name', async (field, fields) => {
    expect(await add(agent, fields)).toMatchObject({ status: 400, body: { details: [{ field }] } });
  });

  it('have one name for each bot', async () => {
    const bot_id = (await app.talkingBot()).id;
    const { body: first } = await add(agent);
    const { name } = first;
    expect(await add(agent, { name })).toMatchObject({
      status: 409,
      body: { code: 'conflict', details: [{ field: 'name' }] },
    });
    const ofBot = await add(agent, { name, bot_id });
    expect(ofBot.status).toBe(200);
    const toAll = { id: ofBot.body.id, bot_id: 0 };
    expect((await agent.post('/api/replies/update', toAll)).status).toBe(409);
    expect((await agent.post('/api/replies/update', { ...toAll, name: newName() })).status).toBe(
      200,
    );
  });

  it('of other bots are hidden from a limited key, and those for all bots stay as they are', async () => {
    const mine = (await app.talkingBot()).id;
    const other = (await app.talkingBot()).id;
    const limited = await app.user('send', [mine]);
    const [{ body: all }, { body: hidden }, { body: own }] = [
      await add(agent),
      await add(agent, { bot_id: other }),
      await add(limited, { bot_id: mine }),
    ];
    const { body: seen } = await limited.get<SavedReplyView[]>('/api/replies');
    expect(seen).toEqual(expect.arrayContaining([all, own]));
    expect(seen).not.toContainEqual(hidden);
    const { body: ofMine } = await agent.get<SavedReplyView[]>(`/api/replies?bot_id=${mine}`);
    expect(ofMine).toEqual(seen);
    expect(await limited.get(`/api/replies?bot_id=${other}`)).toMatchObject({ status: 403 });
    expect(await add(limited)).toMatchObject({ status: 403 });
    expect(await add(limited, { bot_id: other })).toMatchObject({ status: 403 });
    const change = { text: 'Mine now' };
    const update = (fields: object) => limited.post('/api/replies/update', fields);
    expect(await update({ id: all.id, ...change })).toMatchObject({ status: 403 });
    expect(await update({ id: hidden.id, ...change })).toMatchObject({ status: 404 });
    expect(await update({ id: own.id, bot_id: 0 })).toMatchObject({ status: 403 });
    expect((await limited.post(`/api/replies/used?id=${all.id}`)).status).toBe(200);
    expect((await limited.post(`/api/replies/delete?id=${all.id}`)).status).toBe(403);
    expect((await limited.post(`/api/replies/delete?id=${own.id}`)).status).toBe(200);
  });

  it('of a bot are deleted with it', async () => {
    const bot = await app.talkingBot();
    const { body: reply } = await add(agent, { bot_id: bot.id });
    await (await app.user('manage')).post(`/api/bots/delete?id=${bot.id}`);
    const { body: left } = await agent.get<SavedReplyView[]>('/api/replies');
    expect(left).not.toContainEqual(expect.objectContaining({ id: reply.id }));
    expect((await agent.post(`/api/replies/used?id=${reply.id}`)).status).toBe(404);
  });

  it('need the scope send to be changed', async () => {
    const reader = await app.user('read');
    expect((await add(reader)).status).toBe(403);
    expect((await reader.get('/api/replies')).status).toBe(200);
  });
});
