import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type IncomingUpdate, readUpdate } from '../../../src/core/log/update-facts.ts';
import { createFollowingReader } from '../../../src/relay/log/following-reader.ts';
import { createUpdateLog } from '../../../src/relay/log/update-log.ts';
import { dialects } from '../../support/database/engines.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { openStore } from '../../support/database/store.ts';

describe.each(dialects)('several readers of one kind on %s', (dialect) => {
  async function open() {
    const store = await openStore(dialect);
    const clock = createManualClock();
    const log = createUpdateLog(store.log);
    const bot = await store.bots.insert({ token: '1:a', source: 'web' }, clock.now());
    const wanted = ['export', 'export:cold'];
    const handled: string[] = [];
    const held = new Set<string>();
    const busy = { until: Promise.resolve(), begins: () => {} };
    /** The positions after which was read. */
    const reads: number[] = [];
    const kind = createFollowingReader(
      {
        clock,
        engine: store.engine,
        requireEpoch: store.leases.requireEpoch,
        log: {
          ...log,
          read(botId, after, limit) {
            reads.push(after);
            return log.read(botId, after, limit);
          },
        },
        readers: { ...store.log, ...store.readers },
        bots: store.bots,
        onError: (error) => handled.push(String(error)),
      },
      {
        kind: 'export',
        isOn: true,
        readersOf: () => wanted,
        begin: (_botId, reader) => ({
          room: () => (held.has(reader) ? 0 : 10),
          async handle(_bot, entries) {
            const last = entries.at(-1);
            if (!last) return undefined;
            busy.begins();
            await busy.until;
            handled.push(`${reader} ${entries.map(({ position }) => position).join(',')}`);
            return { front: last.position, position: last.position, waitMs: 0 };
          },
        }),
      },
    );
    onTestFinished(() => kind.run?.stopAll());
    let updates = 0;
    const receive = async (by = log) => {
      const id = ++updates;
      const update = readUpdate(`{"update_id":${id}}`, { update_id: id }, 0) as IncomingUpdate;
      await by.append(bot.id, [update], { receivedAt: clock.now() });
    };
    const apply = async () => {
      await kind.prepare(bot);
      await kind.run?.apply(bot, 1);
    };
    const positions = async () =>
      Object.fromEntries(
        (await store.log.readers(bot.id)).map(({ name, position }) => [name, position]),
      );
    const reach = (expected: Record<string, number>) =>
      vi.waitFor(async () => expect(await positions()).toEqual(expected), {
        interval: 5,
      });
    /** The log as another node sees it. */
    const elsewhere = createUpdateLog(store.log);
    return {
      kind,
      bot,
      wanted,
      held,
      busy,
      handled,
      receive,
      apply,
      reach,
      reads,
      log,
      elsewhere,
    };
  }

  it('each have a position of their own, and none waits for another', async () => {
    const { kind, bot, held, handled, receive, apply, reach } = await open();
    await apply();
    await receive();
    await reach({ export: 1, 'export:cold': 1 });
    held.add('export');
    await kind.onMoved(bot.id, 'export');
    await receive();
    await reach({ export: 1, 'export:cold': 2 });
    held.clear();
    await kind.onMoved(bot.id, 'export');
    await reach({ export: 2, 'export:cold': 2 });
    expect(handled.toSorted()).toEqual(['export 1', 'export 2', 'export:cold 1', 'export:cold 2']);
  });

  it('read nothing again at the end of the log, however often they are told of it', async () => {
    const { bot, wanted, receive, apply, reach, reads, log } = await open();
    wanted.pop();
    await apply();
    await vi.waitFor(() => expect(reads).toEqual([0]));
    await receive();
    await reach({ export: 1 });
    await receive();
    await reach({ export: 2 });
    log.wake(bot.id, 1);
    expect(reads).toEqual([0, 0, 1]);
    // Nobody knows how far it goes.
    log.wake(bot.id, 0);
    await vi.waitFor(() => expect(reads).toEqual([0, 0, 1, 2]));
  });

  it('read at once what another node appended while they were busy', async () => {
    const { bot, wanted, busy, receive, apply, reach, log, elsewhere } = await open();
    wanted.pop();
    await apply();
    const begun = Promise.withResolvers<void>();
    const handling = Promise.withResolvers<void>();
    Object.assign(busy, { until: handling.promise, begins: begun.resolve });
    await receive();
    await begun.promise;
    // In memory here is only the first of them.
    await receive();
    await receive(elsewhere);
    log.wake(bot.id, 3);
    handling.resolve();
    await reach({ export: 3 });
  });

  it('begin and end with what the bot is set to, once each', async () => {
    const { kind, bot, wanted, receive, apply, reach, handled } = await open();
    await Promise.all([apply(), apply()]);
    wanted.pop();
    await apply();
    await receive();
    await reach({ export: 1, 'export:cold': 0 });
    wanted.push('export:cold');
    await apply();
    await reach({ export: 1, 'export:cold': 1 });
    await kind.run?.stop(bot.id);
    await receive();
    await reach({ export: 1, 'export:cold': 1 });
    await apply();
    await reach({ export: 2, 'export:cold': 2 });
    expect(handled.length).toBe(4);
  });
});
