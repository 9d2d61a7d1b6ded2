import { describe, expect, it } from 'vitest';
import {
  type AppRecord,
  type AppSettings,
  defaultAppSettings,
} from '../../../src/core/apps/app.ts';
import { createConsumerRepository } from '../../../src/store/apps/consumers.ts';
import { dialects } from '../../support/database/engines.ts';
import { storeOn } from '../../support/database/store.ts';
import { pullsForEachTest, range, update } from '../../support/rigs/pull-rig.ts';

describe.each(dialects)('apps that poll on %s', (dialect) => {
  const rig = pullsForEachTest(dialect);
  const { append, appendIds, poll } = rig;
  const apps = () => storeOn(rig.engine()).apps;
  const readers = async () =>
    (await storeOn(rig.engine()).log.readers(1)).map(({ name, position }) => [name, position]);

  const add = (name: string, settings: Partial<AppSettings> = {}) =>
    apps().insert(
      {
        botId: 1,
        name,
        token: `1:${name}`,
        settings: { ...defaultAppSettings, ...settings },
        patch: {},
      },
      5,
    );
  async function change(id: number, patch: Partial<AppSettings>): Promise<void> {
    await apps().update(id, { patch }, rig.clock().now());
    rig.pullers().recall(1);
  }
  const order = (id: number) => update(id, 'message', `/order ${id}`);

  it('receive what their filters let through, and confirm it by offset', async () => {
    await add('shop', { filter: { commands: ['order'] } });
    await add('all');
    await append(update(1), order(2), update(3), order(5), update(6), order(7));
    expect(await poll({ consumer: 'all' })).toEqual([1, 2, 3, 5, 6, 7]);
    expect(await poll({ consumer: 'shop', limit: 2 })).toEqual([2, 5]);
    expect(await rig.pullers().pending(1, 'shop')).toBe(3);
    expect(await poll({ consumer: 'shop', offset: 3 })).toEqual([5, 7]);
    expect(await poll({ consumer: 'shop', offset: 6 })).toEqual([7]);
    expect(await poll({ consumer: 'shop', offset: -1 })).toEqual([7]);
    expect(await poll({ consumer: 'shop', offset: 8 })).toEqual([]);
    expect(await rig.pullers().pending(1, 'shop')).toBe(0);
    await rig.restart();
    await append(update(8), order(9));
    expect(await poll({ consumer: 'shop', offset: 8 })).toEqual([9]);
    expect(await poll({ consumer: 'all', offset: 8 })).toEqual([8, 9]);
  });

  it('keep the last ones of a long log by a negative offset', async () => {
    await add('shop', { filter: { commands: ['order'] } });
    await append(order(1), order(2), ...range(3, 250).map((id) => update(id)));
    expect(await poll({ consumer: 'shop', offset: -1 })).toEqual([2]);
    expect(await poll({ consumer: 'shop' })).toEqual([2]);
  });

  it('receive alone what they claimed; the bot itself and the others do not', async () => {
    const shop = await add('shop', { exclusive: true, filter: { commands: ['order'] } });
    await add('all');
    await append(update(1), order(2), update(3));
    expect(await poll()).toEqual([1, 3]);
    expect(await poll({ consumer: 'default' })).toEqual([1, 3]);
    expect(await poll({ consumer: 'all' })).toEqual([1, 3]);
    expect(await poll({ consumer: 'shop' })).toEqual([2]);
    expect(await rig.pullers().pending(1)).toBe(2);
    await change(shop.id, { exclusive: false, filter: {} });
    await append(order(4));
    expect(await poll()).toEqual([1, 3, 4]);
    expect(await poll({ consumer: 'shop' })).toEqual([1, 2, 3, 4]);
    expect(await poll({ offset: 4 })).toEqual([4]);
  });

  it('receive the types that their filter names without asking for them, and no others', async () => {
    await add('named', { filter: { kinds: ['message', 'message_reaction'] } });
    await add('others');
    await append(update(1), update(2, 'message_reaction'), update(3, 'chat_member'));
    const named = { consumer: 'named' };
    expect(await poll({ consumer: 'others' })).toEqual([1]);
    expect(await rig.pullers().pending(1, 'named')).toBe(2);
    expect((await storeOn(rig.engine()).unread.of(1)).get('pull:named')).toEqual({
      count: 2,
      claimed: 0,
    });
    expect(await poll(named)).toEqual([1, 2]);
    expect(await poll({ ...named, offset: -1 })).toEqual([2]);
    expect(await poll({ ...named, offset: 3, allowedUpdates: ['message'] })).toEqual([]);
    await append(update(4, 'message_reaction'), update(5));
    expect(await poll(named)).toEqual([5]);
    // An empty list is the default.
    expect(await poll({ ...named, offset: 6, allowedUpdates: [] })).toEqual([]);
    const waiting = poll({ ...named, timeoutSeconds: 50 });
    await rig.waiting(1);
    await append(update(6, 'message_reaction'));
    expect(await waiting).toEqual([6]);
  });

  it('wait until something comes that is for them', async () => {
    await add('shop', { filter: { commands: ['order'] } });
    const waiting = poll({ consumer: 'shop', timeoutSeconds: 50 });
    await rig.waiting(1);
    await append(update(1));
    await append(update(2));
    await append(order(3));
    expect(await waiting).toEqual([3]);
    expect(await poll({ consumer: 'shop', offset: 4 })).toEqual([]);
  });

  it('put behind them what is not for them when a poll ends with nothing', async () => {
    await add('shop', { filter: { commands: ['order'] } });
    const waiting = poll({ consumer: 'shop', timeoutSeconds: 50 });
    await rig.waiting(1);
    await appendIds(1, 2, 3);
    await rig.clock().advance(50_000);
    expect(await waiting).toEqual([]);
    expect(await readers()).toContainEqual(['pull:shop', 3]);
  });

  it('are called back when their settings change, and read by the new ones', async () => {
    const shop = await add('shop', { filter: { commands: ['order'] } });
    await append(update(1));
    const waiting = poll({ consumer: 'shop', timeoutSeconds: 50 });
    await rig.waiting(1);
    await change(shop.id, { filter: {} });
    expect(await waiting).toEqual([]);
    await append(update(2));
    expect(await poll({ consumer: 'shop' })).toEqual([1, 2]);
  });

  it('miss nothing that arrives after a change and before they are called back', async () => {
    const fresh = poll({ consumer: 'fresh', timeoutSeconds: 50 });
    await rig.waiting(1);
    const { id } = (await apps().byName(1, 'fresh')) as AppRecord;
    await apps().update(id, { patch: { exclusive: true } }, 6);
    await appendIds(1);
    rig.pullers().recall(1);
    expect(await fresh).toEqual([]);
    expect(await poll({ consumer: 'fresh' })).toEqual([1]);
    await apps().update(id, { patch: { exclusive: false } }, 7);

    const shop = await add('shop', { filter: { commands: ['order'] } });
    for (const sent of [[update(2)], [update(3), order(4)]]) {
      const waiting = poll({ consumer: 'shop', timeoutSeconds: 50 });
      await rig.waiting(1);
      await apps().update(shop.id, { patch: { filter: {} } }, 8);
      await append(...sent);
      rig.pullers().recall(1);
      expect(await waiting).toEqual([]);
      await change(shop.id, { filter: { commands: ['order'] } });
    }
    await change(shop.id, { filter: {} });
    expect(await poll({ consumer: 'shop' })).toEqual([2, 3, 4]);
  });

  it('do not receive again what they confirmed after their filter was narrowed', async () => {
    const shop = await add('shop');
    await append(order(11), ...range(12, 30).map((id) => update(id)));
    expect(await poll({ consumer: 'shop' })).toEqual(range(11, 30));
    await change(shop.id, { filter: { commands: ['order'] } });
    expect(await poll({ consumer: 'shop', offset: 31 })).toEqual([]);
    await append(update(31), order(32));
    expect(await poll({ consumer: 'shop', offset: 31 })).toEqual([32]);
  });

  it('do not come back with a poll of one that was deleted', async () => {
    const shop = await add('shop');
    await apps().remove(shop.id, 6);
    const asks = () => poll({ consumer: 'shop', appId: shop.id });
    const removed = { code: 'conflict', reason: { code: 'consumer_removed' } };
    await expect(asks()).rejects.toMatchObject(removed);
    expect(await apps().byName(1, 'shop')).toBeUndefined();
    // Another app of the name is another one.
    await add('shop');
    await expect(asks()).rejects.toMatchObject(removed);
  });

  it('move on where ids fall among updates that are not for them', async () => {
    const shop = await add('shop', { filter: { commands: ['order'] } });
    await append(order(1000), update(1090), order(1050), order(1100));
    expect(await poll({ consumer: 'shop' })).toEqual([1000, 1050, 1100]);
    expect(await poll({ consumer: 'shop', offset: 1001 })).toEqual([1050, 1100]);
    expect(await poll({ consumer: 'shop', offset: 1101 })).toEqual([]);
    // Also when the filter was changed after they came.
    await append(update(1290), order(1250), order(1300));
    await change(shop.id, { filter: { commands: ['order', 'pay'] } });
    expect(await poll({ consumer: 'shop', offset: 1101 })).toEqual([1250, 1300]);
    expect(await poll({ consumer: 'shop', offset: 1301 })).toEqual([]);
  });

  it('refuse polls of one that is disabled, has a webhook or only sends', async () => {
    const shop = await add('shop');
    const asks = () => poll({ consumer: 'shop' });
    await apps().toggle(shop.id, 6);
    await expect(asks()).rejects.toMatchObject({
      code: 'app_forbidden',
      reason: { code: 'app_disabled' },
    });
    await apps().toggle(shop.id, 7);
    await append(update(1));
    expect(await asks()).toEqual([1]);
    await change(shop.id, { mode: 'webhook', backend_url: 'http://a.test/' });
    await expect(asks()).rejects.toThrow(
      "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    );
    await change(shop.id, { mode: 'poll' });
    expect(await asks()).toEqual([1]);
    await change(shop.id, { mode: 'send' });
    await expect(asks()).rejects.toMatchObject({
      code: 'app_forbidden',
      reason: { code: 'app_sends' },
    });
    expect((await readers()).map(([name]) => name)).toEqual(['pull:']);
  });

  it('are added without a token by their first poll, and go with the consumer', async () => {
    await appendIds(1);
    expect(await poll({ consumer: 'new' })).toEqual([]);
    expect(await apps().byName(1, 'new')).toMatchObject({ hasToken: false, mode: 'poll' });
    await appendIds(2);
    expect(await poll({ consumer: 'new' })).toEqual([2]);
    expect(await rig.pullers().remove(1, 'new')).toBe(1);
    expect(await apps().byName(1, 'new')).toBeUndefined();
    // Its token is in use.
    const shop = await add('shop', { exclusive: true });
    await expect(rig.pullers().remove(1, 'shop')).rejects.toMatchObject({
      code: 'conflict',
      reason: { code: 'app_has_token', params: { bot_id: 1, app: 'shop' } },
    });
    expect(await apps().byToken('1:shop')).toBeDefined();
    await apps().remove(shop.id, 1);
    await appendIds(3);
    expect(await poll()).toEqual([1, 2, 3]);
    // The consumer called default is the bot's own, unless it has a reader from before.
    expect(await poll({ consumer: 'default' })).toEqual([1, 2, 3]);
    expect(await rig.pullers().remove(1, 'default')).toBeUndefined();
    await createConsumerRepository(rig.engine()).open(1, 'default', 1, 100);
    expect(await poll({ consumer: 'default' })).toEqual([]);
    expect(await rig.pullers().remove(1, 'default')).toBe(3);
    expect(await poll({ consumer: 'default' })).toEqual([1, 2, 3]);
  });

  it('are counted together with those that were added otherwise', async () => {
    for (const index of range(1, 50)) await add(`a${index}`);
    for (const index of range(1, 50)) await poll({ consumer: `c${index}` });
    await expect(poll({ consumer: 'one-more' })).rejects.toThrow('100 consumers');
    await expect(add('one-more')).rejects.toMatchObject({ code: 'too_many_apps' });
  });

  it('two polls that make the same app make one', async () => {
    const both = range(1, 4).map(() => poll({ consumer: 'twin' }));
    expect(await Promise.all(both)).toEqual([[], [], [], []]);
    expect((await apps().list(1)).filter(({ name }) => name === 'twin')).toHaveLength(1);
  });
});
