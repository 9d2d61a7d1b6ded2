import { describe, expect, it } from 'vitest';
import { failureState } from '../../../src/core/log/reader-failure.ts';
import { dialects } from '../../support/database/engines.ts';
import { alertRig, forwarding } from '../../support/rigs/alert-rig.ts';

describe.each(dialects)('readers that need attention (%s)', (dialect) => {
  const { clock, statuses, look, addBot, log, moved, reader, run, store } = alertRig(dialect);

  it('tells a backlog that grew old from one that is just being worked off', async () => {
    const bot = await addBot(forwarding);
    await log(bot, 2);
    await reader(bot, 'push', 1);
    statuses().set(bot, { pendingUpdates: 1 });
    expect(await look()).toEqual([]);
    await clock().advance(61_000);
    expect(await look()).toMatchObject([{ kind: 'backlog', count: 1 }]);
  });

  it('reports a consumer that no longer polls', async () => {
    const bot = await addBot({ long_poll_enabled: true });
    await log(bot, 5);
    await reader(bot, 'pull:', 2);
    await reader(bot, 'pull:audit', 5);
    await reader(bot, 'routing', 0);
    await clock().advance(1_000);
    await moved(bot, 'pull:');
    await clock().advance(5 * 60_000);
    expect(await look()).toEqual([]);
    await clock().advance(6 * 60_000);
    expect(await look()).toMatchObject([{ kind: 'polling_stopped', reader: 'pull', count: 3 }]);
  });

  it('reports the client without a name that polled once, also where others come by name', async () => {
    const bot = await addBot({ long_poll_enabled: true });
    await reader(bot, 'pull:', 0);
    await reader(bot, 'pull:audit', 5);
    await log(bot, 5);
    await clock().advance(11 * 60_000);
    expect(await look()).toEqual([]);
    await store().apps.recordActivity([{ botId: bot, appId: 0, at: clock().now(), sent: 0 }]);
    await clock().advance(11 * 60_000);
    expect(await look()).toMatchObject([{ kind: 'polling_stopped', reader: 'pull', count: 5 }]);
    // Of a bot that forwards, it may have been a delivery.
    await run('update bots set proxy_enabled = 1 where id = $1', [bot]);
    expect(await look()).toEqual([]);
  });

  it('counts a call as reading, and only updates that are for the reader', async () => {
    const bot = await addBot({ long_poll_enabled: true });
    await log(bot, 5);
    // Claims are decided when an update is stored.
    await run('update log set claimed_by = 99 where bot_id = $1 and position > 3', [bot]);
    await reader(bot, 'pull:', 2);
    const seen = (at: number) =>
      store().apps.recordActivity([{ botId: bot, appId: 0, at, sent: 0 }]);
    await clock().advance(11 * 60_000);
    await seen(clock().now() - 60_000);
    expect(await look()).toEqual([]);
    await clock().advance(11 * 60_000);
    expect(await look()).toMatchObject([{ kind: 'polling_stopped', reader: 'pull', count: 1 }]);
    await reader(bot, 'pull:', 3);
    expect(await look()).toEqual([]);
  });

  it('tells what keeps a reader from moving on', async () => {
    const bot = await addBot();
    await log(bot, 5);
    await reader(bot, 'export:cold', 2);
    expect(await look()).toEqual([]);
    const fail = (state: string) => run('update readers set state = $1', [state]);
    await fail(failureState('ENOSPC'));
    const since = clock().now();
    expect(await look()).toEqual([
      {
        kind: 'reader_failing',
        botId: bot,
        count: 3,
        since,
        text: 'ENOSPC',
        reader: 'export:cold',
      },
    ]);
    await fail('');
    expect(await look()).toEqual([]);
  });

  it('does not miss the unnamed consumer where all clients use names', async () => {
    const bot = await addBot({ long_poll_enabled: true });
    await log(bot, 5);
    await reader(bot, 'pull:', 0, 2);
    const lost = [{ kind: 'updates_dropped', reader: 'pull', count: 2 }];
    const asked = [{ kind: 'polling_stopped', reader: 'pull', count: 5 }, ...lost];
    const found = async () =>
      (await look()).toSorted((left, right) => left.kind.localeCompare(right.kind));
    await clock().advance(11 * 60_000);
    // A client that never polled did not stop.
    expect(await found()).toMatchObject(lost);
    await reader(bot, 'pull:audit', 5);
    expect(await look()).toEqual([]);
    // A client got updates, and never confirmed them.
    const state = { shown: { position: 1, updateId: 1 }, allowedUpdatesHistory: [] };
    const setState = 'update readers set state = $1 where bot_id = $2 and name = $3';
    await run(setState, [JSON.stringify(state), bot, 'pull:']);
    expect(await found()).toMatchObject(asked);
    await run(setState, ['', bot, 'pull:']);
    await moved(bot, 'pull:');
    await clock().advance(11 * 60_000);
    expect(await found()).toMatchObject(asked);
  });
});
