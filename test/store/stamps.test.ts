import { beforeEach, describe, expect, it } from 'vitest';
import { raw } from '../../src/store/engine.ts';
import type { Store } from '../../src/store/store.ts';
import { dialects } from '../support/database/engines.ts';
import { archived, openStore } from '../support/database/store.ts';

/** Whatever is cached, no caller may see an outdated answer. */
describe.each(dialects)('what is kept in memory on %s', (dialect) => {
  let store: Store;
  let botId: number;

  beforeEach(async () => {
    store = await openStore(dialect);
    botId = (await store.bots.insert({ token: '1:a', source: 'web' }, 1)).id;
  });

  const page = () => store.messages.list({ botId, chatId: 9, limit: 50, offset: 0 });
  const keep = (id: number, more: object = {}) =>
    store.messages.archive(
      [archived(botId, { message_id: id, date: id, chat: { id: 9, type: 'private' }, ...more })],
      1,
    );
  const ids = async () => (await page()).map((message) => message.id);

  it('is never older than the last message, edit or deletion', async () => {
    expect(await ids()).toEqual([]);
    await keep(1);
    expect(await ids()).toEqual([1]);
    await Promise.all([keep(2), keep(3)]);
    expect(await ids()).toEqual([3, 2, 1]);
    await keep(3, { text: 'edited', edit_date: 5 });
    expect((await page())[0]?.text).toBe('edited');
    await store.engine.write(() => raw('delete from messages where id = 2'));
    expect(await ids()).toEqual([3, 1]);
    await store.engine.write(() => raw("update messages set text = 'by hand' where id = 1"));
    expect((await page())[1]?.text).toBe('by hand');
    await store.bots.remove(botId);
    expect(await ids()).toEqual([]);
  });

  it('is never older than the last change of a bot', async () => {
    const names = async () => (await store.bots.list()).map((bot) => bot.name);
    expect(await names()).toEqual(['']);
    await store.bots.update(botId, { name: 'new' }, 2);
    expect(await names()).toEqual(['new']);
    await store.engine.write(() => raw("update bots set name = 'by hand'"));
    expect(await names()).toEqual(['by hand']);
    await store.bots.insert({ token: '2:b', source: 'web', name: 'second' }, 3);
    expect(await names()).toEqual(['by hand', 'second']);
    await store.bots.remove(botId);
    expect(await names()).toEqual(['second']);
  });

  it('sees what one transaction of many parts did', async () => {
    await ids();
    await store.engine.write(function* () {
      yield* raw("insert into settings (name, value) values ('a', 'b')");
      yield* raw(
        `with new_one (id) as (select 7)
         insert into messages (bot_id, chat_id, id, date, origin)
         select ${botId}, 9, id, 1, 'received' from new_one`,
      );
    });
    expect(await ids()).toEqual([7]);
  });

  it('is the same list while nothing changed, where only this process writes', async () => {
    await keep(1);
    const before = await page();
    await store.engine.write(() => raw("insert into settings (name, value) values ('x', 'y')"));
    expect((await page()) === before).toBe(dialect === 'sqlite');
    expect((await store.bots.list()) === (await store.bots.list())).toBe(dialect === 'sqlite');
    await keep(2);
    expect(await page()).not.toBe(before);
  });

  it('sees what went along with a deleted bot', async () => {
    await keep(1);
    expect(await ids()).toEqual([1]);
    await store.bots.remove(botId);
    expect(await ids()).toEqual([]);
  });

  it('leaves a change that was rolled back out', async () => {
    await keep(1);
    await page();
    const failing = store.engine.write(function* () {
      yield* raw('delete from messages');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await ids()).toEqual([1]);
  });
});
