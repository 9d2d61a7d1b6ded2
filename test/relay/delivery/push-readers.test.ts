import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PushersOptions } from '../../../src/relay/delivery/pushers.ts';
import { raw } from '../../../src/store/engine.ts';
import { saveWebhook } from '../../../src/store/delivery/webhooks.ts';
import { dialects } from '../../support/database/engines.ts';
import {
  createPushRig,
  message,
  type PushRig,
  startBackend,
  type TestBackend,
} from '../../support/rigs/delivery-rig.ts';

const second = 'push:second';
const chats = [1, 2, 3, 4];

/** The backend of the reader `push` is the rig's own; the one of `push:second` is `other`. */
describe.each(dialects)('two push readers of one bot on %s', (dialect) => {
  let rig: PushRig;
  let other: TestBackend;
  const bots: PushersOptions['bots'] = {
    async get(id, reader) {
      const bot = await rig.store.bots.get(id);
      return bot && (reader === second ? { ...bot, backend_url: other.url } : bot);
    },
  };

  async function applyBoth(): Promise<void> {
    for (const reader of ['push', second]) {
      const bot = await bots.get(rig.bot, reader);
      if (bot) await rig.pushers.apply(bot, undefined, reader);
    }
  }
  async function restart(): Promise<void> {
    await rig.crash({ bots });
    await applyBoth();
  }
  const idsOf = ({ arrivals }: TestBackend, chatId: number) =>
    arrivals.filter((arrival) => arrival.chatId === chatId).map(({ updateId }) => updateId);
  const letters = (reader: string) => rig.dead.list({ botIds: [rig.bot], reader, limit: 100 });
  const queues = (reader: string) => rig.retryQueues.list(rig.bot, reader, 100);
  const cursor = async (reader: string) =>
    (await rig.store.log.readers(rig.bot)).find(({ name }) => name === reader);
  const health = () =>
    rig.engine.readRaw<{ refused: unknown }>(
      `select reader, refused like '%500%' as refused from backend_health order by reader`,
      [],
    );

  beforeEach(async () => {
    other = await startBackend();
    rig = await createPushRig(dialect, { giveUpAfterMs: 600_000 });
    await restart();
  });
  afterEach(async () => {
    await rig.close();
    await other.close();
  });

  it('fails, makes dead letters and replays for one reader without affecting the other, over restarts', async () => {
    other.answer = ({ chatId }) => (chatId === 1 ? { status: 500 } : {});
    await rig.receive(chats.flatMap((chat) => [message(chat, chat), message(chat + 4, chat)]));
    await rig.until(() => rig.backend.arrivals.length === 8 && other.arrivals.length >= 7, 10);
    await rig.until(async () => (await queues(second)).length === 1, 10);
    await rig.until(async () => (await cursor('push'))?.position === 8, 10);
    for (const chat of chats) {
      expect(idsOf(rig.backend, chat)).toEqual([chat, chat + 4]);
      if (chat !== 1) expect(idsOf(other, chat)).toEqual([chat, chat + 4]);
    }
    expect(await queues('push')).toEqual([]);
    expect(rig.pushers.statusHere(rig.bot)).toBe('ok');
    expect(rig.pushers.statusHere(rig.bot, second)).toBe('failing');
    const failed = { botIds: null, outcome: 'failed', limit: 9 } as const;
    expect(await rig.deliveries.attempts({ ...failed, reader: 'push' })).toEqual([]);
    expect((await rig.deliveries.attempts({ ...failed, reader: second })).length).toBeGreaterThan(
      0,
    );

    await restart();
    await rig.receive([message(9, 1), message(10, 2)]);
    await rig.until(() => rig.backend.arrivals.length === 10, 10);
    await rig.until(async () => (await letters(second)).length === 3, 5_000);
    expect(await queues(second)).toEqual([]);
    expect(idsOf(other, 2)).toEqual([2, 6, 10]);
    expect((await letters(second)).map(({ update_id }) => update_id)).toEqual([9, 5, 1]);
    expect(await letters('push')).toEqual([]);
    expect((await health()).map(({ refused }) => Boolean(refused))).toEqual([false, true]);

    other.answer = () => ({});
    other.arrivals.length = 0;
    const ids = (await letters(second)).map(({ id }) => id);
    expect(await rig.dead.count(rig.bot, 'push', ids)).toBe(0);
    expect(await rig.dead.replay(rig.bot, 'push', ids, rig.clock.now())).toBe(0);
    expect(await rig.dead.discard(rig.bot, 'push', ids)).toBe(0);
    expect(await rig.dead.replay(rig.bot, second, undefined, rig.clock.now())).toBe(3);
    await restart();
    await rig.until(async () => (await letters(second)).length === 0, 10);
    expect(idsOf(other, 1)).toEqual([1, 5, 9]);
    expect(other.arrivals.every(({ headers }) => headers['x-bot-relay-replay'] === 'true')).toBe(
      true,
    );
    expect(rig.backend.arrivals).toHaveLength(10);
  });

  it('opens the circuit breaker of one reader only, and keeps it open over a restart', async () => {
    other.answer = () => ({ status: 503 });
    const many = Array.from({ length: 20 }, (_, index) => message(index + 1, index + 1));
    await rig.receive(many);
    await rig.until(() => rig.backend.arrivals.length === 20, 10);
    await rig.until(() => rig.pushers.statusHere(rig.bot, second) === 'paused', 10);
    await rig.until(async () => (await cursor(second))?.state.includes('paused') ?? false, 10);
    await restart();
    expect(rig.pushers.statusHere(rig.bot, second)).toBe('paused');
    expect(rig.pushers.statusHere(rig.bot)).toBe('ok');
    expect((await cursor('push'))?.state).toBe('');
    await rig.receive([message(21, 1)]);
    await rig.until(() => rig.backend.arrivals.length === 21, 10);

    other.answer = () => ({});
    other.arrivals.length = 0;
    await rig.until(() => other.arrivals.length >= 21, 1_000);
    expect(idsOf(other, 1)).toEqual([1, 21]);
    await rig.until(async () => (await queues(second)).length === 0, 1_000);
    expect(rig.backend.arrivals).toHaveLength(21);
  });

  it('replays, drops and rewinds each without the other', async () => {
    other.answer = ({ chatId }) => (chatId === 1 ? { status: 500 } : {});
    await rig.receive([message(1, 1), message(2, 2), message(3, 3)]);
    await rig.until(async () => (await cursor(second))?.position === 3, 10);
    await rig.until(async () => (await cursor('push'))?.position === 3, 10);
    expect(await queues(second)).toHaveLength(1);

    await rig.deliveries.replayRange(rig.bot, 'push', { from: 1, to: 2 }, rig.clock.now());
    await rig.pushers.wake(rig.bot);
    await rig.until(() => rig.backend.arrivals.length === 5, 10);
    await rig.until(async () => (await queues('push')).length === 0, 10);
    expect(idsOf(other, 2)).toEqual([2]);

    await rig.pushers.dropPending(rig.bot);
    expect(await queues(second)).toMatchObject([{ queue: 'c1', waiting: 1 }]);
    await rig.store.readers.rewind(rig.bot, 'push', 0, rig.clock.now());
    await rig.pushers.onRemoteChange(rig.bot);
    await rig.until(() => rig.backend.arrivals.length === 8, 10);
    expect(await queues(second)).toMatchObject([{ queue: 'c1', waiting: 1 }]);

    other.answer = () => ({});
    await rig.store.readers.rewind(rig.bot, second, 1, rig.clock.now());
    await rig.pushers.onRemoteChange(rig.bot);
    await rig.until(() => idsOf(other, 3).length === 2 && idsOf(other, 1).length > 1, 1_000);
    await rig.until(async () => (await queues(second)).length === 0, 1_000);
    expect(rig.backend.arrivals).toHaveLength(8);
  });

  it('keeps what each asked for by setWebhook, and takes the method calls of both', async () => {
    const context = { reader: second, dialect, wasForwarding: true, nowMs: rig.clock.now() };
    await rig.engine.write(() =>
      saveWebhook(rig.bot, { maxConnections: 3, allowedUpdates: ['callback_query'] }, context),
    );
    await applyBoth();
    await rig.receive([message(1, 1)]);
    await rig.until(async () => (await cursor(second))?.position === 1, 10);
    await rig.until(() => rig.backend.arrivals.length === 1, 10);
    expect(other.arrivals).toEqual([]);
    expect(await rig.store.webhooks.get(rig.bot, 'push')).toBeUndefined();
    expect(await rig.store.webhooks.get(rig.bot, second)).toMatchObject({ maxConnections: 3 });

    await rig.engine.write(() => raw('delete from webhooks'));
    await rig.engine.write(() =>
      raw('insert into apps (bot_id, name, created_at, updated_at) values ($1, $2, 1, 1)', [
        rig.bot,
        'second',
      ]),
    );
    await applyBoth();
    const calling = (text: string) => ({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ method: 'sendMessage', chat_id: 1, text }),
    });
    rig.backend.answer = () => calling('one');
    other.answer = () => calling('two');
    await rig.receive([message(2, 1)]);
    const sends = () => rig.engine.readRaw<{ params: string }>('select params from outbox', []);
    await rig.until(async () => (await sends()).length === 2, 10);
    expect((await sends()).map(({ params }) => JSON.parse(params).text).sort()).toEqual([
      'one',
      'two',
    ]);
  });
});
