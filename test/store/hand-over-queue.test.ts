import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type IncomingUpdate, readUpdate } from '../../src/core/log/update-facts.ts';
import type { BotPatch } from '../../src/store/bots/bots.ts';
import { raw } from '../../src/store/engine.ts';
import { inRanges, type Range } from '../../src/core/log/ranges.ts';
import { dialects } from '../support/database/engines.ts';
import { createTestStore, type TestStore } from '../support/database/store.ts';

const backend = { backend_url: 'https://backend.example/', proxy_enabled: true };
const none = { backend_url: '', proxy_enabled: false };
const webhook = { maxConnections: 0 };

describe.each(dialects)('the queue that push and long polls share, on %s', (dialect) => {
  let test: TestStore;
  let botId: number;

  beforeEach(async () => {
    test = await createTestStore(dialect);
    const bot = { token: '1:a', source: 'web', long_poll_enabled: true } as const;
    botId = (await test.store.bots.insert(bot, 1)).id;
  });
  afterEach(() => test.close());

  const write = (sql: string, parameters: unknown[] = []) =>
    test.store.engine.write(() => raw(sql, parameters));
  const update = (patch: BotPatch, options?: typeof webhook | { isRemoved: true }) =>
    test.store.bots.update(botId, patch, 5, options);
  const rewind = (name: string, position: number) =>
    test.store.readers.rewind(botId, name, position, 5);

  async function append(...ids: number[]): Promise<void> {
    const updates = ids.map(
      (id) => readUpdate(`{"update_id":${id}}`, { update_id: id }, 0) as IncomingUpdate,
    );
    await test.store.log.append(() => [{ botId, updates, receivedAt: 1 }]);
  }
  /** As the pusher and the pollers write it. */
  async function reach(name: string, position: number): Promise<void> {
    await write('update readers set position = $1 where name = $2', [position, name]);
  }
  async function putInRetry(position: number): Promise<void> {
    await write(
      `insert into retry_queues (bot_id, queue, attempts, first_failed_at, next_attempt_at, last_error)
       values ($1, 'c1', 1, 1, 1, '')`,
      [botId],
    );
    await write('insert into retry_positions (bot_id, position, queue) values ($1, $2, $3)', [
      botId,
      position,
      'c1',
    ]);
  }
  /** The positions that a reader has before it; undefined where there is no such reader. */
  async function waitingFor(name: string): Promise<number[] | undefined> {
    const [reader] = await test.store.engine.readRaw<{ position: number; state: string }>(
      'select position, state from readers where name = $1',
      [name],
    );
    if (!reader) return undefined;
    const { finished = [] } = JSON.parse(reader.state || '{}') as { finished?: Range[] };
    const { lastPosition } = await test.store.log.head(botId);
    const positions = Array.from({ length: lastPosition }, (_, index) => index + 1);
    return positions.filter((at) => at > reader.position && !inRanges(finished, at));
  }

  it('keeps what failed after push was set back to before its begin', async () => {
    await append(1, 2, 3, 4);
    await reach('pull:', 4);
    await update(backend, webhook);
    await rewind('push', 1);
    await append(5, 6);
    await reach('push', 6);
    await putInRetry(3);
    await update(none, { isRemoved: true });
    expect(await waitingFor('pull:')).toEqual([3]);
    expect(await waitingFor('push')).toEqual([]);
  });

  it('keeps what failed before the begin that is written down', async () => {
    await append(1, 2, 3, 4, 5, 6);
    await reach('pull:', 6);
    await update(backend, webhook);
    await putInRetry(3);
    await update(none, { isRemoved: true });
    expect(await waitingFor('pull:')).toEqual([3]);
  });

  it('does not push what was polled after the consumer was set back to before its begin', async () => {
    await append(1, 2, 3, 4);
    await write(`delete from readers`);
    await test.store.log.openReader(botId, 'push', 1, 1);
    const consumers = test.store.consumers;
    const opened = await consumers.open(botId, '', 1, 9);
    expect(opened?.position).toBe(4);
    const at = { position: 4, state: '' };
    const back = { position: 1, state: '{"shown":null,"allowedUpdatesHistory":[]}' };
    expect(await consumers.move(botId, '', { from: at, to: back }, 2)).toBe(true);
    expect(await consumers.move(botId, '', { from: back, to: { ...back, position: 3 } }, 2)).toBe(
      true,
    );
    await update(backend, webhook);
    expect(await waitingFor('push')).toEqual([4]);
  });

  it.each([
    ['is cleared', none],
    ['is replaced by one that is switched off', { ...backend, backend_url: 'https://b.example/' }],
  ])('leaves to polling what waits when the backend %s', async (_name, patch) => {
    await update(backend, webhook);
    expect(await waitingFor('pull:')).toBeUndefined();
    await append(1, 2, 3);
    await reach('push', 2);
    await putInRetry(1);
    await update({ ...patch, proxy_enabled: false });
    expect(await waitingFor('pull:')).toEqual([1, 3]);
    expect(await waitingFor('push')).toEqual([]);
    await update(backend, webhook);
    expect(await waitingFor('push')).toEqual([1, 3]);
  });

  it('leaves both readers where they are when a backend of the API is cleared', async () => {
    await update(backend);
    await append(1, 2);
    await reach('push', 1);
    await update(none);
    expect([await waitingFor('pull:'), await waitingFor('push')]).toEqual([[1, 2], [2]]);
  });

  it.each([
    ['a backend is set', [backend]],
    ['forwarding is switched on', [{ ...backend, proxy_enabled: false }, { proxy_enabled: true }]],
  ] as [string, BotPatch[]][])(
    'misses nothing from the moment on that %s',
    async (_name, steps) => {
      await append(1);
      for (const patch of steps) {
        expect(await waitingFor('push')).toBeUndefined();
        await update(patch);
      }
      await append(2);
      expect(await waitingFor('push')).toEqual([2]);
    },
  );

  it('misses nothing from the moment on that a bot is switched on', async () => {
    await update({ ...backend, disabled: true });
    await append(1);
    await test.store.bots.toggle(botId, 5);
    await append(2);
    expect(await waitingFor('push')).toEqual([2]);
  });
});
