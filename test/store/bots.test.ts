import { beforeEach, describe, expect, it } from 'vitest';
import { createBotRepository } from '../../src/store/bots/bots.ts';
import { raw } from '../../src/store/engine.ts';
import type { Store } from '../../src/store/store.ts';
import { dialects } from '../support/database/engines.ts';
import { archived, openStore, plainRoute } from '../support/database/store.ts';

const token = '123456:AAbb_cc-dd';

describe.each(dialects)('bots on %s', (dialect) => {
  let store: Store;

  beforeEach(async () => {
    store = await openStore(dialect);
  });

  it('gives a new bot an id, the defaults and what its token tells', async () => {
    const bot = await store.bots.insert({ token, source: 'web' }, 1_000);
    expect(bot).toMatchObject({
      id: 1,
      platform_id: 123456,
      token,
      name: '',
      username: '',
      source: 'web',
      manage_enabled: false,
      proxy_enabled: false,
      backend_url: '',
      secret_token: '',
      long_poll_enabled: false,
      description: '',
      webhook_mode: false,
      disabled: false,
      llm_routing_enabled: false,
      automatic_answers: 'count',
      handoff: [],
      created_at: 1_000,
      updated_at: 1_000,
    });
    expect(await store.bots.get(bot.id)).toEqual(bot);
  });

  it('clears what was counted in portions before management is switched on', async () => {
    const { engine, vault } = store;
    const bot = await store.bots.insert({ token, source: 'web' }, 1);
    const rows = Array.from({ length: 4_500 }, (_, user) => `(${bot.id}, 0, 2, 0, ${user}, 1)`);
    await engine.write(() =>
      raw(`insert into stats_people (bot_id, chat_id, grain, bucket, user_id, messages)
        values ${rows.join(', ')}`),
    );
    const counted = async () =>
      (await engine.readRaw<{ n: number }>('select count(*) as n from stats_people', []))[0]?.n;
    const left: unknown[] = [];
    const watched = createBotRepository(
      {
        ...engine,
        async write(job, options) {
          left.push(await counted());
          return engine.write(job, options);
        },
      },
      vault,
    );
    await watched.update(bot.id, { manage_enabled: true }, 2);
    expect(new Set(left)).toEqual(new Set([4_500, 2_500, 500, 0]));
    await engine.write(() => raw('insert into stats_people values ($1, 0, 2, 0, 7, 1)', [bot.id]));
    // Of a bot that is managed already, everything stays.
    await watched.update(bot.id, { manage_enabled: true }, 3);
    expect(await counted()).toBe(1);
    await store.bots.remove(bot.id);
    expect(await counted()).toBe(0);
  });

  it('opens the readers of a new bot together with it', async () => {
    const readers = async (more: Parameters<typeof store.bots.insert>[0]) => {
      const bot = await store.bots.insert(more, 1);
      return (await store.log.readers(bot.id)).map(({ name, position }) => `${name} ${position}`);
    };
    const forwards = { proxy_enabled: true, backend_url: 'http://127.0.0.1:9/' };
    expect(await readers({ token, source: 'web', ...forwards })).toEqual(['push 0']);
    expect(await readers({ token: '2:b', source: 'web', long_poll_enabled: true })).toEqual([
      'pull: 0',
    ]);
    expect(await readers({ token: '3:c', source: 'web', llm_routing_enabled: true })).toEqual([
      'routing 0',
    ]);
    expect(await readers({ token: '4:d', source: 'web' })).toEqual([]);
  });

  it('keeps neither the token nor the secret in the clear', async () => {
    const bot = await store.bots.insert({ token, source: 'web', secret_token: 'hush-hush' }, 1);
    const rows = await store.engine.readRaw('select * from bots', []);
    const text = JSON.stringify(rows);
    expect(text).not.toContain('AAbb_cc-dd');
    expect(text).not.toContain('hush-hush');
    expect(bot.secret_token).toBe('hush-hush');
  });

  it('does not open a secret that was moved to another row', async () => {
    await store.bots.insert({ token, source: 'web' }, 1);
    await store.bots.insert({ token: '2:b', source: 'web' }, 1);
    await store.engine.write(function* () {
      yield {
        sql: 'update bots set token_sealed = (select token_sealed from bots where id = 1) where id = 2',
        parameters: [],
      };
    });
    await expect(store.bots.get(2)).rejects.toThrow();
  });

  it('finds a bot by its token and by no other', async () => {
    const bot = await store.bots.insert({ token, source: 'web' }, 1);
    expect((await store.bots.byToken(token))?.id).toBe(bot.id);
    expect(await store.bots.byToken(`${token}x`)).toBeUndefined();
  });

  it('refuses a token twice and names the bot that has it', async () => {
    const bot = await store.bots.insert({ token, source: 'web' }, 1);
    await expect(store.bots.insert({ token, source: 'cli' }, 1)).rejects.toMatchObject({
      code: 'token_taken',
      details: [{ field: 'token', id: bot.id }],
    });
    const other = await store.bots.insert({ token: '7:other', source: 'web' }, 1);
    await expect(store.bots.update(other.id, { token }, 1)).rejects.toMatchObject({
      code: 'token_taken',
      details: [{ field: 'token', id: bot.id }],
    });
  });

  it('lets one of many that register the same token at once win', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, () => store.bots.insert({ token, source: 'web' }, 1)),
    );
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason.code).toBe('token_taken');
    }
  });

  it('lists by id, all or the named ones', async () => {
    for (const name of ['a', 'b', 'c']) {
      await store.bots.insert({ token: `${name.charCodeAt(0)}:x`, name, source: 'web' }, 1);
    }
    const names = async (ids?: number[]) => (await store.bots.list(ids)).map((bot) => bot.name);
    expect(await names()).toEqual(['a', 'b', 'c']);
    expect(await names([3, 1, 99])).toEqual(['a', 'c']);
    expect(await names([])).toEqual([]);
  });

  it('changes only what a patch names', async () => {
    const bot = await store.bots.insert(
      { token, source: 'web', name: 'before', secret_token: 'kept', manage_enabled: true },
      1,
    );
    const changed = await store.bots.update(bot.id, { name: 'after', proxy_enabled: true }, 2);
    expect(changed).toEqual({ ...bot, name: 'after', proxy_enabled: true, updated_at: 2 });
    expect(await store.bots.get(bot.id)).toEqual(changed);
    expect(await store.bots.update(99, { name: 'x' }, 2)).toBeUndefined();
  });

  it('is found by a replaced token and no longer by the old one', async () => {
    const bot = await store.bots.insert({ token, source: 'web' }, 1);
    await store.bots.update(bot.id, { token: '123456:new', secret_token: '' }, 2);
    expect(await store.bots.byToken(token)).toBeUndefined();
    expect((await store.bots.byToken('123456:new'))?.token).toBe('123456:new');
  });

  it('flips disabled, also when flips come together', async () => {
    const bot = await store.bots.insert({ token, source: 'web' }, 1);
    const flips = await Promise.all([1, 2, 3].map((now) => store.bots.toggle(bot.id, now)));
    expect(flips.map((flip) => flip?.disabled).sort()).toEqual([false, true, true]);
    expect((await store.bots.get(bot.id))?.disabled).toBe(true);
    expect(await store.bots.toggle(99, 1)).toBeUndefined();
  });

  it('takes routes, messages and chats along, and leaves tags and other bots', async () => {
    const bot = await store.bots.insert({ token, source: 'web' }, 1);
    const other = await store.bots.insert({ token: '7:other', source: 'web' }, 1);
    await store.routes.insert({ ...plainRoute, source_bot_id: bot.id, target_bot_id: other.id }, 1);
    await store.routes.insert({ ...plainRoute, source_bot_id: other.id, target_bot_id: bot.id }, 1);
    const message = { message_id: 1, date: 5, chat: { id: -5, type: 'group' }, text: 'hi' };
    await store.messages.archive([archived(bot.id, message), archived(other.id, message)], 1);
    await store.tags.add(
      { chat_id: -5, user_id: 1, username: '', tag: 'x', color: '' },
      [1],
      'red',
      1,
    );

    expect(await store.bots.remove(bot.id)).toBe(true);
    expect(await store.bots.remove(bot.id)).toBe(false);
    expect(await store.bots.get(bot.id)).toBeUndefined();
    expect(await store.routes.list()).toEqual([]);
    expect(await store.messages.get(bot.id, -5, 1)).toBeUndefined();
    expect(await store.chats.holdsAnyOf(-5, [bot.id])).toBe(false);
    expect(await store.messages.get(other.id, -5, 1)).toBeDefined();
    expect(await store.tags.ofChat(-5, null)).toHaveLength(1);
  });

  it('removes more messages than one portion holds', async () => {
    const bot = await store.bots.insert({ token, source: 'web' }, 1);
    const entries = Array.from({ length: 4_001 }, (_, index) =>
      archived(bot.id, { message_id: index + 1, date: 5, chat: { id: 9, type: 'private' } }),
    );
    await store.messages.archive(entries, 1);
    expect(await store.bots.remove(bot.id)).toBe(true);
    const [left] = await store.engine.readRaw<{ n: number }>(
      'select count(*) as n from messages',
      [],
    );
    expect(left?.n).toBe(0);
  });
});
