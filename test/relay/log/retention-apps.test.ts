import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AppSettings, defaultAppSettings } from '../../../src/core/apps/app.ts';
import { dialects } from '../../support/database/engines.ts';
import { createRetentionRig, dayMs, type RetentionRig } from '../../support/rigs/retention-rig.ts';

describe.each(dialects)('retention of a bot with apps on %s', (dialect) => {
  let rig: RetentionRig;
  beforeEach(async () => {
    rig = await createRetentionRig(dialect);
  });
  afterEach(() => rig.close());

  const add = (name: string, settings: Partial<AppSettings>) =>
    rig.store.apps.insert(
      {
        botId: rig.botId,
        name,
        token: `1:${name}`,
        settings: { ...defaultAppSettings, ...settings },
        patch: {},
      },
      rig.clock.now(),
    );
  const webhook = { mode: 'webhook', backend_url: 'http://127.0.0.1:9/' } as const;
  const switchOff = () =>
    rig.store.bots.update(
      rig.botId,
      { proxy_enabled: false, long_poll_enabled: false },
      rig.clock.now(),
    );

  it('waits for apps whatever the switches of the bot say, and counts what each lost', async () => {
    await add('hook', webhook);
    await add('poll', {});
    await rig.store.consumers.open(rig.botId, 'guest', rig.clock.now(), 100);
    await switchOff();
    await rig.append(4);
    await rig.write(`update readers set position = 2 where name = 'push:hook'`);
    await rig.clock.advance(8 * dayMs);
    expect(await rig.retention().run()).toEqual({ removed: 0, dropped: 0 });
    await rig.clock.advance(7 * dayMs);
    expect(await rig.retention().run()).toEqual({ removed: 4, dropped: 6 });
    // The one without a token polls as the bot does, which may not.
    expect(await rig.droppedFromReaders()).toEqual([
      { name: 'pull:guest', dropped: 0 },
      { name: 'pull:poll', dropped: 4 },
      { name: 'push:hook', dropped: 2 },
    ]);
  });

  it('counts for each only what was for it: claims, filter, types, and what it had not finished', async () => {
    const order = (id: number) => note(id, '/order');
    const note = (id: number, text: string, kind = 'message') => ({
      update_id: id,
      [kind]: { chat: { id: 5, type: 'private' }, date: 1, message_id: id, text },
    });
    await add('shop', { filter: { commands: ['order'] }, exclusive: true });
    await add('all', {});
    await add('hook', { ...webhook, filter: { keywords: ['tea'] } });
    await add('pattern', { filter: { regex: 'tea', chat_types: ['private'] } });
    await add('named', { filter: { kinds: ['message_reaction'] } });
    await add('late', { filter: { keywords: ['nothing'] } });
    await rig.store.consumers.open(rig.botId, '', rig.clock.now(), 100);
    await rig.appendUpdates([
      note(2_001, 'tea'),
      order(2_002),
      note(2_003, 'coffee'),
      note(2_004, 'tea', 'message_reaction'),
      note(2_005, 'tea'),
      order(2_006),
    ]);
    await rig.write(
      `update readers set state = '{"finished":[[5,5]],"allowedUpdatesHistory":[]}'
       where name in ('push:hook', 'pull:all')`,
    );
    await rig.clock.advance(15 * dayMs);
    const retention = rig.retention();
    expect(await retention.run()).toMatchObject({ removed: 6 });
    expect(await rig.droppedFromReaders()).toEqual([
      { name: 'pull:', dropped: 3 },
      { name: 'pull:all', dropped: 2 },
      { name: 'pull:late', dropped: 0 },
      { name: 'pull:named', dropped: 1 },
      { name: 'pull:pattern', dropped: 3 },
      { name: 'pull:shop', dropped: 2 },
      { name: 'push:hook', dropped: 2 },
    ]);
    expect(retention.totals()).toEqual({ removed: 6, dropped: 13 });
  });

  it('keeps nothing for apps that are disabled', async () => {
    const apps = [await add('hook', webhook), await add('poll', {})];
    for (const { id } of apps) await rig.store.apps.toggle(id, rig.clock.now());
    await rig.append(4);
    await rig.clock.advance(8 * dayMs);
    expect(await rig.retention().run()).toEqual({ removed: 4, dropped: 0 });
  });

  it('keeps what waits in retry queues of an app while the app is enabled', async () => {
    const app = await add('hook', webhook);
    await add('other', webhook);
    await switchOff();
    await rig.append(4);
    await rig.write(`update readers set position = 4`);
    for (const reader of ['push', 'push:hook', 'push:other']) {
      await rig.write(
        `insert into retry_positions (bot_id, reader, position, queue) values ($1, $2, $3, 'c5')`,
        [rig.botId, reader, reader === 'push:other' ? 4 : 2],
      );
    }
    await rig.clock.advance(8 * dayMs);
    expect(await rig.retention().run()).toEqual({ removed: 1, dropped: 0 });
    await rig.store.apps.toggle(app.id, rig.clock.now());
    await rig.clock.advance(dayMs);
    expect(await rig.retention().run()).toEqual({ removed: 2, dropped: 0 });
    expect(await rig.positions()).toEqual([4]);
    await rig.clock.advance(7 * dayMs);
    expect(await rig.retention().run()).toEqual({ removed: 1, dropped: 1 });
    expect(await rig.droppedFromReaders()).toEqual([
      { name: 'push:hook', dropped: 0 },
      { name: 'push:other', dropped: 1 },
    ]);
  });
});
