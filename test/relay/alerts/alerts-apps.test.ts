import { beforeEach, describe, expect, it } from 'vitest';
import { type AppSettings, defaultAppSettings } from '../../../src/core/apps/app.ts';
import { reason } from '../../../src/core/reasons/reason.ts';
import { packReason } from '../../../src/core/reasons/stored.ts';
import { dialects } from '../../support/database/engines.ts';
import { alertRig, forwarding } from '../../support/rigs/alert-rig.ts';

describe.each(dialects)('apps that need attention (%s)', (dialect) => {
  const { store, clock, statuses, look, addBot, log, reader, run } = alertRig(dialect);
  const url = 'http://127.0.0.1:9/shop';
  let bot: number;
  beforeEach(async () => {
    bot = await addBot();
  });

  const add = (name: string, settings: Partial<AppSettings> = {}) =>
    store().apps.insert(
      {
        botId: bot,
        name,
        token: `1:${name}`,
        settings: { ...defaultAppSettings, ...settings },
        patch: {},
      },
      clock().now(),
    );
  const failing = (name: string, status: number) => {
    const why =
      status > 0
        ? reason('backend_answered', { status })
        : reason('connection_refused', { address: '127.0.0.1:9' });
    return run(
      `insert into retry_queues
         (bot_id, reader, queue, attempts, first_failed_at, next_attempt_at, last_error)
       values ($1, $2, 'c1', 1, $3, $3, $4)`,
      [bot, name, clock().now(), packReason(why)],
    );
  };

  it('names the app whose backend is down, and not one that is well', async () => {
    await add('shop', { mode: 'webhook', backend_url: url });
    await add('stats', { mode: 'webhook', backend_url: url });
    await log(bot, 3);
    await reader(bot, 'push:shop', 1);
    await reader(bot, 'push:stats', 3);
    await run(`update readers set state = '{"paused":true}' where name = 'push:shop'`);
    expect(await look()).toMatchObject([
      { kind: 'backend_down', botId: bot, app: 'shop', reader: 'push:shop', count: 2, text: url },
    ]);
  });

  it('names the app whose backend refuses some chats, beside the one of the bot', async () => {
    await store().bots.update(bot, forwarding, clock().now());
    statuses().set(bot, { backendStatus: 'failing', pendingUpdates: 1 });
    await add('shop', { mode: 'webhook', backend_url: url });
    await failing('push', 0);
    await failing('push:shop', 500);
    expect(await look()).toMatchObject([
      { kind: 'backend_down', botId: bot, text: forwarding.backend_url },
      { kind: 'chats_in_retry', botId: bot, app: 'shop', count: 1, text: url },
    ]);
    expect((await look())[0]?.app).toBeUndefined();
  });

  it('says nothing of one that is disabled or polls by now', async () => {
    const app = await add('shop', { mode: 'webhook', backend_url: url });
    await failing('push:shop', 500);
    await log(bot, 3);
    await reader(bot, 'push:shop', 1);
    await clock().advance(120_000);
    expect((await look()).map(({ kind }) => kind)).toEqual(['chats_in_retry', 'backlog']);
    await store().apps.toggle(app.id, clock().now());
    expect(await look()).toEqual([]);
  });

  it('counts the dead letters of each app', async () => {
    await add('shop', { mode: 'webhook', backend_url: url });
    for (const [index, name] of ['push', 'push:shop', 'push:shop'].entries()) {
      await run(
        `insert into dead_letters (bot_id, reader, position, update_id, kind, queue, raw, reason,
           attempts, received_at, died_at, replayed_at)
         values ($1, $2, $3, $3, 'message', 'c1', '{}', '', 1, 1, 1, 0)`,
        [bot, name, index + 1],
      );
    }
    expect(await look()).toEqual([
      {
        kind: 'dead_letters',
        botId: bot,
        app: 'shop',
        reader: 'push:shop',
        count: 2,
        since: 1,
        text: '',
      },
      { kind: 'dead_letters', botId: bot, count: 1, since: 1, text: '' },
    ]);
  });

  it('names apps that stopped polling, whatever the switch of the bot says, and what they lost', async () => {
    await add('shop');
    await add('off');
    await log(bot, 5);
    await reader(bot, 'pull:shop', 2, 7);
    await reader(bot, 'pull:off', 2);
    const off = await store().apps.byName(bot, 'off');
    await store().apps.toggle(off?.id ?? 0, clock().now());
    for (const name of ['shop', 'off']) {
      const app = await store().apps.byName(bot, name);
      const call = { botId: bot, appId: app?.id ?? 0, at: clock().now(), sent: 0 };
      await store().apps.recordActivity([call]);
    }
    await clock().advance(11 * 60_000);
    expect(await look()).toMatchObject([
      { kind: 'polling_stopped', app: 'shop', reader: 'pull:shop', count: 3 },
      { kind: 'updates_dropped', app: 'shop', reader: 'pull:shop', count: 7 },
    ]);
  });
});
