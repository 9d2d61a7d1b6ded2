import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type IncomingUpdate, readUpdate } from '../../../src/core/log/update-facts.ts';
import { watchAppends } from '../../../src/relay/log/append-watch.ts';
import { createUpdateLog } from '../../../src/relay/log/update-log.ts';
import type { Notifications } from '../../../src/store/cluster/notifications.ts';
import { listenForNotifications, payloads } from '../../../src/store/postgres/notifications.ts';
import { behindProxy } from '../../support/database/cuttable-proxy.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { createTestStore, type TestStore } from '../../support/database/store.ts';

const until = <T>(check: () => Promise<T> | T) => vi.waitFor(check, { interval: 5 });

describe('hints between nodes', () => {
  let test: TestStore;
  let clock: ManualClock;
  const open = new Set<Notifications>();

  beforeEach(async () => {
    test = await createTestStore('postgres');
    clock = createManualClock();
  });
  afterEach(async () => {
    for (const one of open) await one.close();
    open.clear();
    await test.close();
  });

  async function listen(url = test.database.databaseUrl): Promise<Notifications> {
    const hints = await listenForNotifications({ url, clock, random: () => 0.5 });
    open.add(hints);
    return hints;
  }

  it('reach the other nodes, newest only, and not oneself', async () => {
    const one = await listen();
    const two = await listen();
    const received: unknown[] = [];
    two.subscribe('appended', (hint) => received.push(hint));
    two.subscribe('bot', (hint) => received.push(hint));
    const own: unknown[] = [];
    one.subscribe('appended', (hint) => own.push(hint));
    for (let position = 1; position <= 50; position++) {
      one.publish('appended', { botId: 7, lastPosition: position });
    }
    one.publish('bot', { botId: 7, retire: true });
    await until(() =>
      expect(received).toEqual([
        { botId: 7, lastPosition: 50 },
        { botId: 7, retire: true },
      ]),
    );
    expect(own).toEqual([]);
  });

  it('come again after the connection was lost, and tell of the gap', async () => {
    const { proxy, behind } = await behindProxy(test.database);
    const one = await listen();
    const two = await listen(behind.databaseUrl);
    const witness = await listen();
    const received: string[] = [];
    let gaps = 0;
    two.subscribe('settings', ({ name }) => received.push(name));
    two.onGap(() => gaps++);
    proxy.cut();
    const passed = new Promise<void>((resolve) => {
      witness.subscribe('settings', () => resolve());
    });
    one.publish('settings', { name: 'unheard' });
    await passed;
    proxy.mend();
    await until(async () => {
      await clock.advance(1_000);
      expect(gaps).toBe(1);
    });
    one.publish('settings', { name: 'heard' });
    await until(() => expect(received).toEqual(['heard']));
  });

  it('survive whatever else is said on their channel, and listeners that fail', async () => {
    const one = await listen();
    const two = await listen();
    const received: string[] = [];
    two.subscribe('settings', () => {
      throw new Error('a listener failed');
    });
    two.subscribe('settings', ({ name }) => received.push(name));
    const stranger = new pg.Client({ connectionString: test.database.databaseUrl });
    await stranger.connect();
    const foreign = ['', 'x', '[]', 'null', '{}', '["a",1]', '["a",["settings"]]', '["a",[1,2]]'];
    for (const text of foreign)
      await stranger.query('select pg_notify($1, $2)', ['bot_relay', text]);
    await stranger.query('notify bot_relay');
    await stranger.end();
    one.publish('settings', { name: 'after' });
    await until(() => expect(received).toEqual(['after']));
  });

  it('are not lost among many that say little', async () => {
    const one = await listen();
    const two = await listen();
    const received: number[] = [];
    two.subscribe('outbox', ({ botId }) => received.push(botId));
    for (let index = 0; index < 10_000; index++) one.publish('event', { event: index });
    one.publish('outbox', { botId: 7 });
    await until(() => expect(received).toEqual([7]));
  });

  it('are split below the limit of one message, leaving out what never fits', () => {
    const items = Array.from(
      { length: 400 },
      (_, index) => ['event', { event: 'é'.repeat(index % 50) }] as ['event', unknown],
    );
    const texts = payloads('me', [...items, ['event', { event: 'x'.repeat(9_000) }]]);
    expect(texts.length).toBeGreaterThan(1);
    for (const text of texts) expect(Buffer.byteLength(text)).toBeLessThan(8_000);
    expect(texts.flatMap((text) => (JSON.parse(text) as unknown[]).slice(1))).toEqual(items);
  });

  it('are not needed to notice within a second that a log grew elsewhere', async () => {
    const bot = await test.store.bots.insert({ token: '1:a', source: 'web' }, clock.now());
    const here = createUpdateLog(test.store.log);
    const woken: number[] = [];
    here.onAppend(bot.id, (position) => woken.push(position));
    const shutdown = new AbortController();
    const watching = watchAppends(
      { heads: test.store.logHeads, log: here, clock },
      shutdown.signal,
    );
    let nextId = 1;
    const append = async (id: number) => {
      const update = { update_id: id };
      const read = readUpdate(JSON.stringify(update), update, 1) as IncomingUpdate;
      await test.store.log.append(() => [{ botId: bot.id, updates: [read], receivedAt: 1 }]);
    };
    await until(async () => {
      await clock.advance(1_000);
      await append(nextId++);
      expect(woken.length).toBeGreaterThan(0);
    });
    shutdown.abort(new Error('done'));
    await watching;
  });
});
