import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localCaller } from '../../../src/core/access/access.ts';
import { defaultAppSettings } from '../../../src/core/apps/app.ts';
import { type IncomingUpdate, readUpdate } from '../../../src/core/log/update-facts.ts';
import { createAppReaders } from '../../../src/relay/apps/app-readers.ts';
import { createPullers } from '../../../src/relay/pull/pullers.ts';
import { createDeliveryStatuses } from '../../../src/relay/delivery/delivery-status.ts';
import { createLogReaders, type LogReader } from '../../../src/relay/log/log-readers.ts';
import { createPullReader } from '../../../src/relay/pull/pull-reader.ts';
import { createPushReader } from '../../../src/relay/delivery/push-reader.ts';
import type { Pushers } from '../../../src/relay/delivery/pushers.ts';
import type { Routers } from '../../../src/relay/routing/routers.ts';
import { createRoutingReader } from '../../../src/relay/routing/routing-reader.ts';
import { createReaderService, type ReaderService } from '../../../src/relay/log/reader-service.ts';
import { createUpdateLog } from '../../../src/relay/log/update-log.ts';
import { raw } from '../../../src/store/engine.ts';
import { dialects } from '../../support/database/engines.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { createTestStore, type TestStore } from '../../support/database/store.ts';

describe.each(dialects)('the readers of a log that was trimmed, on %s', (dialect) => {
  let test: TestStore;
  let clock: ManualClock;
  let service: ReaderService;
  let bot_id: number;
  const moved: string[] = [];

  beforeEach(async () => {
    test = await createTestStore(dialect);
    clock = createManualClock();
    moved.length = 0;
    const { store } = test;
    const pullers = createPullers({
      consumers: store.consumers,
      log: store.log,
      updateLog: createUpdateLog(store.log),
      clock,
      apps: createAppReaders(store),
    });
    const pushers = { onRemoteChange: async () => void moved.push('push') } as unknown as Pushers;
    const routers = { reload: async () => void moved.push('routing') } as unknown as Routers;
    service = createReaderService({
      bots: store.bots,
      log: store.log,
      readers: store.readers,
      unread: store.unread,
      apps: store.apps,
      logReaders: createLogReaders({
        kinds: {
          push: createPushReader({ pushers, apps: createAppReaders(store) }),
          routing: createRoutingReader({ routers, takesPart: async () => false }),
          pull: createPullReader({ pullers, webhooks: store.webhooks }),
          export: { isActive: () => true } as unknown as LogReader,
        },
        readers: store.readers,
        clock,
        apps: store.apps,
        publishMoved: () => {},
      }),
      pullers,
      clock,
    });
    const settings = { token: '1:a', source: 'web', long_poll_enabled: true } as const;
    bot_id = (await store.bots.insert(settings, clock.now())).id;
    await pullers.ensureDefaultReader(bot_id);
    await store.log.openReader(bot_id, 'push', clock.now());
    for (let id = 1; id <= 6; id++) {
      const update = readUpdate(`{"update_id":${id}}`, { update_id: id }, 0) as IncomingUpdate;
      await store.log.append(() => [{ botId: bot_id, updates: [update], receivedAt: clock.now() }]);
      await clock.advance(60_000);
    }
    await store.engine.write(() =>
      raw(`update readers set position = 3, state = '{"finished":[[5,5]]}' where name = 'push'`),
    );
    // The first two go, one of them unread by push's neighbour for too long.
    const before = clock.now() - 4 * 60_000;
    await store.retention.trimLog(
      bot_id,
      {
        nowMs: clock.now(),
        before,
        maxBytes: 1_000,
        neededBefore: before,
        neededMaxBytes: 1_000,
      },
      100,
    );
  });
  afterEach(() => test.close());

  it('tell what they lost, how far they are and since when something waits', async () => {
    expect(await service.list(localCaller, bot_id)).toEqual({
      logStart: 3,
      logEnd: 6,
      readers: [
        expect.objectContaining({
          reader: 'pull',
          position: 0,
          behind: 4,
          oldestWaitingSeconds: 240,
          dropped: 2,
          isActive: true,
        }),
        expect.objectContaining({
          reader: 'push',
          position: 3,
          // The fifth is finished before the fourth.
          behind: 2,
          oldestWaitingSeconds: 180,
          dropped: 0,
          isActive: false,
        }),
      ],
    });
  });

  it('count what waits behind a failure of push, as all do who tell what waits', async () => {
    const { store } = test;
    await store.bots.update(bot_id, { proxy_enabled: true }, clock.now());
    const write = (sql: string, parameters: unknown[] = []) =>
      store.engine.write(() => raw(sql, parameters));
    const push = async () => (await service.list(localCaller, bot_id)).readers.at(-1);
    await write(
      `insert into retry_queues (bot_id, queue, attempts, first_failed_at, next_attempt_at, last_error)
       values ($1, 'c1', 1, 1, 1, 'no')`,
      [bot_id],
    );
    for (const position of [3, 5]) {
      await write(`insert into retry_positions (bot_id, position, queue) values ($1, $2, 'c1')`, [
        bot_id,
        position,
      ]);
    }
    const agree = async (behind: number) => {
      expect(await push()).toMatchObject({ behind });
      const statuses = await createDeliveryStatuses({
        overview: store.pushOverview,
        retryQueues: store.retryQueues,
      })([bot_id]);
      expect(statuses.get(bot_id)?.pendingUpdates).toBe(behind);
      const totals = await store.readers.totals();
      expect(totals.find(({ kind }) => kind === 'push')?.behind).toBe(behind);
      const ofBots = await store.metricFacts.behind();
      expect(ofBots.find(({ kind }) => kind === 'push')?.behind ?? 0).toBe(behind);
      expect((await store.webhooks.situation(bot_id, 'push')).pending).toBe(behind);
    };
    // The fourth and the sixth after the position, the third and the fifth behind a failure.
    await agree(4);
    expect(await push()).toMatchObject({ inRetry: 2 });
    expect(await push()).toMatchObject({ oldestWaitingSeconds: 240 });
    await write(`update readers set position = 6, state = '' where name = 'push'`);
    await agree(2);
    expect(await push()).toMatchObject({ position: 6, oldestWaitingSeconds: 240 });
    await write('delete from retry_positions where position = 3');
    expect(await push()).toMatchObject({ behind: 1, oldestWaitingSeconds: 120 });
    // A replay of an update that was trimmed from the log.
    await write(
      'insert into retry_positions (bot_id, position, queue, replay) values ($1, 1, $2, 1)',
      [bot_id, 'c1'],
    );
    await write(
      `insert into dead_letters (bot_id, position, update_id, kind, queue, raw, reason, attempts, received_at, died_at)
       values ($1, 1, 1, 'message', 'c1', '{}', '', 1, $2, $2)`,
      [bot_id, clock.now() - 360_000],
    );
    await agree(2);
    expect(await push()).toMatchObject({ oldestWaitingSeconds: 360 });
    await write('delete from retry_positions');
    await agree(0);
    expect(await push()).toMatchObject({ oldestWaitingSeconds: 0 });
  });

  it('count nothing that waits for a backend while forwarding is off, or that is for an app alone', async () => {
    const { store } = test;
    const waiting = async () => {
      const statuses = await createDeliveryStatuses({
        overview: store.pushOverview,
        retryQueues: store.retryQueues,
      })([bot_id]);
      const totals = await store.readers.totals();
      return [
        statuses.get(bot_id)?.pendingUpdates,
        totals.find(({ kind }) => kind === 'push')?.behind,
        (await store.metricFacts.behind()).filter(({ kind }) => kind === 'push').length,
      ];
    };
    expect(await waiting()).toEqual([0, 0, 0]);
    await store.bots.update(bot_id, { proxy_enabled: true }, clock.now());
    expect(await waiting()).toEqual([2, 2, 1]);
    const app = { botId: bot_id, name: 'shop', token: '1:shop', patch: {} };
    const { id } = await store.apps.insert({ ...app, settings: defaultAppSettings }, clock.now());
    for (const position of [4, 5]) {
      await store.engine.write(() =>
        raw('update log set claimed_by = $1 where position = $2', [id, position]),
      );
    }
    const { readers } = await service.list(localCaller, bot_id);
    expect(readers.find(({ reader }) => reader === 'push')?.behind).toBe(1);
    expect((await waiting())[0]).toBe(1);
    const target = { bot_id, reader: 'push', to: 'end' } as const;
    expect(await service.rewind(localCaller, target)).toMatchObject({ skipped: 1 });
    const back = await service.rewind(localCaller, { bot_id, reader: 'push', position: 3 });
    expect(back).toMatchObject({ readAgain: 1 });
  });

  it('of one kind are told apart by their names', async () => {
    const { store } = test;
    await store.bots.update(
      bot_id,
      { proxy_enabled: true, backend_url: 'http://127.0.0.1:9/' },
      clock.now(),
    );
    await store.log.openReader(bot_id, 'push:shop', clock.now(), 4);
    await store.log.openReader(bot_id, 'export:cold', clock.now(), 5);
    // Of a version to come.
    await store.log.openReader(bot_id, 'bridge', clock.now(), 5);
    const { readers } = await service.list(localCaller, bot_id);
    expect(
      readers.map(({ reader, kind, name, behind, isActive, isRemovable }) => ({
        reader,
        kind,
        name,
        behind,
        isActive,
        isRemovable,
      })),
    ).toEqual([
      {
        reader: 'export:cold',
        kind: 'export',
        name: 'cold',
        behind: 1,
        isActive: true,
        isRemovable: false,
      },
      { reader: 'pull', kind: 'pull', name: '', behind: 4, isActive: true, isRemovable: false },
      { reader: 'push', kind: 'push', name: '', behind: 2, isActive: true, isRemovable: false },
      {
        reader: 'push:shop',
        kind: 'push',
        name: 'shop',
        behind: 2,
        isActive: false,
        isRemovable: false,
      },
    ]);
    const outcome = await service.rewind(localCaller, { bot_id, reader: 'push:shop', position: 3 });
    expect(outcome).toMatchObject({ previousPosition: 4, readAgain: 1 });
    expect((await store.log.readers(bot_id)).map(({ name, position }) => [name, position])).toEqual(
      [
        ['bridge', 5],
        ['export:cold', 5],
        ['pull:', 0],
        ['push', 3],
        ['push:shop', 3],
      ],
    );
    await expect(
      service.rewind(localCaller, { bot_id, reader: 'push:other', position: 3 }),
    ).rejects.toMatchObject({ code: 'not_found' });
    await expect(service.remove(localCaller, bot_id, 'push')).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('are set only to what is still there', async () => {
    const rewind = (reader: string, to: object) =>
      service.rewind(localCaller, { bot_id, reader, ...to });
    await expect(rewind('pull', { position: 1 })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('at least 2, where the log of bot'),
    });
    // Trimmed updates are not read again, so they are not counted.
    expect(await rewind('pull', { to: 'start' })).toEqual({
      position: 2,
      previousPosition: 0,
      readAgain: 0,
      skipped: 0,
    });
    expect(await rewind('push', { position: 2 })).toMatchObject({ readAgain: 1 });
    expect(moved).toEqual(['push']);
    const minutesAgo = (minutes: number) => ({
      since: Math.floor((clock.now() - minutes * 60_000) / 1000),
    });
    expect(await rewind('pull', minutesAgo(3))).toMatchObject({ position: 3, skipped: 1 });
    expect(await rewind('pull', minutesAgo(60))).toMatchObject({ position: 2, readAgain: 1 });
    expect(await rewind('pull', minutesAgo(0))).toMatchObject({ position: 6, skipped: 4 });
  });
});
