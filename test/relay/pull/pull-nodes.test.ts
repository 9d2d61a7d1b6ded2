import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { type IncomingUpdate, readUpdate } from '../../../src/core/log/update-facts.ts';
import { publishPolls } from '../../../src/main/readers.ts';
import { createAppReaders } from '../../../src/relay/apps/app-readers.ts';
import { createPullers, type Pullers } from '../../../src/relay/pull/pullers.ts';
import { createUpdateLog, type UpdateLog } from '../../../src/relay/log/update-log.ts';
import { createConsumerRepository } from '../../../src/store/apps/consumers.ts';
import type { Notifications } from '../../../src/store/cluster/notifications.ts';
import { listenForNotifications } from '../../../src/store/postgres/notifications.ts';
import { createTestStore, type TestStore } from '../../support/database/store.ts';

const terminated =
  'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running';

interface Node {
  pullers: Pullers;
  log: UpdateLog;
  hints: Notifications;
}

describe('polls of one consumer on several nodes', () => {
  let test: TestStore;
  let botId: number;
  let nodes: [Node, Node];

  beforeEach(async () => {
    test = await createTestStore('postgres');
    botId = (await test.store.bots.insert({ token: '1:a', source: 'web' }, 1)).id;
    nodes = [await startNode('one'), await startNode('two')];
    await nodes[0].pullers.ensureDefaultReader(botId);
  });
  afterEach(async () => {
    for (const { pullers, hints } of nodes) {
      pullers.close();
      await hints.close();
    }
    await test.close();
  });

  async function startNode(nodeId: string): Promise<Node> {
    const { engine, log: repository } = test.store;
    const hints = await listenForNotifications({
      url: test.database.databaseUrl,
      clock: systemClock,
      random: () => 0.5,
    });
    const log = createUpdateLog(repository);
    const pullers = createPullers({
      consumers: createConsumerRepository(engine),
      log: repository,
      updateLog: log,
      clock: systemClock,
      apps: createAppReaders(test.store),
      nodeId,
      ...publishPolls(hints),
    });
    hints.subscribe('poll', (hint) =>
      pullers.onPollAnnounced(hint.botId, hint.consumer, hint.pollId),
    );
    hints.subscribe('reader', ({ reader }) => pullers.moved(botId, reader.slice('pull:'.length)));
    return { pullers, log, hints };
  }
  const poll = ({ pullers }: Node, consumer = '', offset = 0) =>
    pullers
      .poll({ botId, consumer, offset, limit: 100, timeoutSeconds: 50 })
      .then((updates) => updates.map((raw) => (JSON.parse(raw) as { update_id: number }).update_id))
      .catch((error: Error) => error.message);
  async function append({ log }: Node, ...ids: number[]): Promise<void> {
    const updates = ids.map(
      (id) => readUpdate(`{"update_id":${id}}`, { update_id: id }, 0) as IncomingUpdate,
    );
    await log.append(botId, updates, { receivedAt: 1 });
  }
  const until = (check: () => void) => vi.waitFor(check, { interval: 2 });
  const waiting = (first: number, second: number) =>
    until(() => expect(nodes.map(({ pullers }) => pullers.waiting)).toEqual([first, second]));

  it('end the older with 409 when the newer has to wait, and not otherwise', async () => {
    const [one, two] = nodes;
    const older = poll(one);
    await waiting(1, 0);
    const other = poll(two, 'other');
    await waiting(1, 1);
    const newer = poll(two);
    expect(await older).toBe(terminated);
    await waiting(0, 2);
    const newest = poll(one);
    expect(await newer).toBe(terminated);
    await append(one, 1);
    expect(await newest).toEqual([1]);
    // One that is answered at once ends none.
    await append(two, 2);
    expect(await other).toEqual([1, 2]);
  });

  it('leave exactly one when both begin at the same time', async () => {
    for (let round = 0; round < 25; round++) {
      const order = round % 2 === 0 ? nodes : nodes.toReversed();
      const ends = order.map((node) => poll(node));
      const ended = await Promise.race(
        ends.map((end, index) => end.then((answer) => [index, answer])),
      );
      expect(ended[1]).toBe(terminated);
      const left = ends[1 - (ended[0] as number)] as Promise<unknown>;
      // Notifications arrive in order: once this one is here, all earlier ones are, too.
      for (const { hints } of nodes) await echo(hints);
      const survivor = order[1 - (ended[0] as number)] as Node;
      expect(survivor.pullers.waiting).toBe(1);
      survivor.pullers.onPollAnnounced(botId, '', 'a later one');
      expect(await left).toBe(terminated);
    }
  });

  function echo(hints: Notifications): Promise<void> {
    return new Promise((resolve) => {
      const stop = hints.subscribe('poll', ({ consumer }) => {
        if (consumer !== 'echo') return;
        stop();
        resolve();
      });
      hints.publish('poll', { botId, consumer: 'echo', pollId: 'echo' });
    });
  }

  it('end when their consumer is set elsewhere or removed on another node', async () => {
    const [one, two] = nodes;
    await append(one, 1, 2, 3);
    const library = poll(one, '', 4);
    const named = poll(one, 'named');
    await until(() => expect(one.pullers.waiting).toBe(2));
    expect(await two.pullers.rewind(botId, '', 1)).toBe(3);
    expect(await library).toEqual([]);
    expect(await poll(one, '', 4)).toEqual([2]);
    expect(await two.pullers.remove(botId, 'named')).toBe(3);
    expect(await named).toMatch('consumer named was removed');
  });
});
