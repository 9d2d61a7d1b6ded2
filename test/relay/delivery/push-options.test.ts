import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDeliveryService } from '../../../src/relay/delivery/delivery-service.ts';
import { localCaller } from '../../../src/core/access/access.ts';
import type { WebhookOptions } from '../../../src/store/delivery/webhooks.ts';
import { createWebhookRepository } from '../../../src/store/delivery/webhooks.ts';
import { eitherDialect } from '../../support/database/engines.ts';
import { storeOn } from '../../support/database/store.ts';
import { createPushRig, message, type PushRig } from '../../support/rigs/delivery-rig.ts';

const ann = { id: 7, is_bot: false, first_name: 'Ann' };
const group = { id: -5, type: 'group', title: 'Group' };
const press = (id: number) => ({
  update_id: id,
  callback_query: { id: String(id), from: ann, chat_instance: 'x', data: 'd' },
});
const reaction = (id: number) => ({
  update_id: id,
  message_reaction: { chat: group, message_id: 1, user: ann, date: 1, new_reaction: [] },
});
const joined = (id: number) => ({
  update_id: id,
  chat_member: { chat: group, from: ann, date: 1 },
});

describe.each(eitherDialect)('what setWebhook asks for, on %s', (dialect) => {
  let rig: PushRig;
  beforeEach(async () => {
    rig = await createPushRig(dialect);
  });
  afterEach(() => rig.close());

  /** As the gateway does it: stored with the bot, then applied. */
  async function setWebhook(options: Partial<WebhookOptions>, url = rig.backend.url) {
    const webhook = { maxConnections: 0, allowedUpdates: null, ...options };
    const patch = { backend_url: url, proxy_enabled: true };
    const bot = await rig.store.bots.update(rig.bot, patch, rig.clock.now(), webhook);
    if (!bot) throw new Error('the bot is gone');
    await rig.pushers.apply(bot);
  }
  const webhook = () => createWebhookRepository(rig.engine).get(rig.bot, 'push');
  const passed = (position: number) =>
    rig.until(async () => (await rig.cursor())?.position === position, 10);
  const chats = (first: number, count: number) =>
    Array.from({ length: count }, (_, index) => message(first + index, first + index));

  it('limits deliveries in flight, and follows a changed limit', async () => {
    const open: (() => void)[] = [];
    rig.backend.answer = () => new Promise((resolve) => open.push(() => resolve({})));
    await setWebhook({ maxConnections: 2 });
    await rig.receive(chats(1, 60));
    await rig.until(() => open.length === 2);
    await setWebhook({ maxConnections: 5 });
    await rig.until(() => open.length === 5);
    await setWebhook({ maxConnections: 1 });
    for (const answer of open.splice(0)) answer();
    await rig.until(() => open.length === 1);
    expect(rig.backend.arrivals.length).toBe(6);
    expect(rig.backend.most.all).toBe(5);
    // Without a number, the relay's default applies.
    await setWebhook({});
    await rig.until(() => open.length === 40);
    expect(rig.backend.most.all).toBe(40);
    rig.backend.answer = () => ({});
    for (const answer of open) answer();
    await passed(60);
  });

  it('keeps what was not asked for from the backend, without an attempt', async () => {
    await setWebhook({ allowedUpdates: ['message'] });
    await rig.receive([press(1), message(2, 1), reaction(3), joined(4), message(5, 2), press(6)]);
    await passed(6);
    expect(rig.arrivedIds().toSorted()).toEqual([2, 5]);
    expect(await rig.deliveries.attempts({ botIds: null, reader: 'push', limit: 9 })).toHaveLength(
      2,
    );
    expect((await rig.cursor())?.state).toBe('');

    // Nothing named: all but the three that have to be named.
    await setWebhook({ allowedUpdates: null });
    await rig.receive([press(7), reaction(8), joined(9), message(10, 1)]);
    await passed(10);
    expect(
      rig
        .arrivedIds()
        .slice(2)
        .toSorted((a, b) => a - b),
    ).toEqual([7, 10]);
    await setWebhook({ allowedUpdates: ['chat_member', 'message_reaction'] });
    await rig.receive([press(11), reaction(12), joined(13)]);
    await passed(13);
    expect(rig.arrivedIds().slice(4).toSorted()).toEqual([12, 13]);
  });

  it('does not block other readers while it skips a long range', async () => {
    await rig.apply();
    await rig.apply({ backend_url: '', proxy_enabled: false });
    for (let n = 0; n < 6; n++) {
      await rig.receive(Array.from({ length: 1_000 }, (_, index) => press(n * 1_000 + index + 1)));
    }
    let reads = 0;
    let most = 0;
    const { log } = rig;
    await rig.crash({
      log: {
        ...log,
        read(...range) {
          most = Math.max(most, ++reads);
          setImmediate(() => {
            reads = 0;
          });
          return log.read(...range);
        },
      },
    });
    await setWebhook({ allowedUpdates: ['message'] });
    await passed(6_000);
    expect(most).toBeLessThan(4);
  });

  it('gives a backend that never asked every kind', async () => {
    await rig.apply();
    await rig.receive([press(1), reaction(2), joined(3), message(4, 1)]);
    await passed(4);
    expect(rig.arrivedIds().toSorted()).toEqual([1, 2, 3, 4]);
  });

  it('holds for what comes after it was asked, also over a crash', async () => {
    await rig.apply();
    let isUp = false;
    rig.backend.answer = () => ({ status: isUp ? 200 : 500 });
    // The backend fails until its breaker opens; the rest waits in the log.
    await rig.receive(chats(1, 12));
    await rig.until(() => rig.pushers.statusHere(rig.bot) === 'paused', 10);
    await rig.receive([reaction(101), press(102)]);
    await setWebhook({ allowedUpdates: ['message'] });
    await rig.receive([press(201), message(202, 1)]);
    await setWebhook({ allowedUpdates: ['callback_query'] });
    await rig.receive([press(301), message(302, 1)]);
    expect((await webhook())?.allowedUpdatesHistory).toEqual([
      { after: 14, kinds: ['message'] },
      { after: 16, kinds: ['callback_query'] },
    ]);
    await rig.crash();
    await rig.apply();
    isUp = true;
    await rig.until(
      async () =>
        (await rig.cursor())?.position === 18 &&
        !(await rig.retryQueues.list(rig.bot, 'push', 1))[0],
      500,
    );
    const arrived = new Set(rig.arrivedIds());
    expect([101, 102, 202, 301].every((id) => arrived.has(id))).toBe(true);
    expect([201, 302].some((id) => arrived.has(id))).toBe(false);
    // Lists that no update needs are removed with the next change.
    await setWebhook({ allowedUpdates: null });
    expect((await webhook())?.allowedUpdatesHistory).toEqual([{ after: 18, kinds: null }]);
  });

  it('holds as it is today for what is read again', async () => {
    await rig.apply();
    await rig.receive([press(1), reaction(2), message(3, 1)]);
    await passed(3);
    await setWebhook({ allowedUpdates: ['message'] });
    await setWebhook({ allowedUpdates: ['message_reaction'] });
    await storeOn(rig.engine).readers.rewind(rig.bot, 'push', 0, rig.clock.now());
    await rig.pushers.onRemoteChange(rig.bot);
    await passed(3);
    expect(rig.arrivedIds().slice(3)).toEqual([2]);
  });

  it('holds for all that a backend is to get where there was none', async () => {
    await rig.apply();
    await rig.apply({ backend_url: '', proxy_enabled: false });
    await rig.receive([reaction(1), message(2, 1)]);
    await setWebhook({});
    await passed(2);
    expect(rig.arrivedIds()).toEqual([2]);
  });

  it('forgets what waits before the first delivery when asked to', async () => {
    await rig.apply();
    await rig.apply({ backend_url: '', proxy_enabled: false });
    await rig.receive(chats(1, 50));
    await setWebhook({ dropsPending: true });
    await rig.receive([message(51, 51)]);
    await passed(51);
    expect(rig.arrivedIds()).toEqual([51]);

    // One under way and one that failed, both of the former backend.
    const open = Promise.withResolvers<void>();
    rig.backend.answer = async ({ chatId }) => {
      if (chatId === 1) return { status: 500 };
      await open.promise;
      return {};
    };
    rig.seen.held = 1;
    await rig.receive([message(61, 1), message(62, 2), message(63, 2)]);
    await rig.until(async () => (await rig.retryQueues.list(rig.bot, 'push', 9)).length === 1, 10);
    let isSet = false;
    void setWebhook({ dropsPending: true }, `${rig.backend.url}/new`).then(() => {
      isSet = true;
    });
    await rig.until(() => isSet, 50);
    rig.backend.answer = () => ({});
    rig.seen.held = 0;
    open.resolve();
    await rig.receive([message(64, 2)]);
    await passed(55);
    await rig.clock.advance(120_000);
    const late = rig.backend.arrivals.filter(({ path }) => path.endsWith('/new'));
    expect(late.map(({ updateId }) => updateId)).toEqual([64]);
  });

  it('goes with the backend: another address, or none, knows nothing of it', async () => {
    await setWebhook({ maxConnections: 3, allowedUpdates: ['message'] });
    // The same bot sent back, and forwarding switched off and on, change nothing.
    await rig.apply({ backend_url: rig.backend.url, secret_token: 'other' });
    await rig.apply({ proxy_enabled: false });
    await rig.apply({ proxy_enabled: true });
    expect(await webhook()).toMatchObject({ maxConnections: 3, allowedUpdates: ['message'] });
    await rig.apply({ backend_url: `${rig.backend.url}/other` });
    expect(await webhook()).toBeUndefined();
    await rig.receive([reaction(1)]);
    await passed(1);
    expect(rig.arrivedIds()).toEqual([1]);
    await setWebhook({ maxConnections: 3 });
    await rig.apply({ backend_url: '', proxy_enabled: false });
    expect(await webhook()).toBeUndefined();
  });

  it('replays of a stretch what the backend asks for today', async () => {
    await rig.apply();
    await rig.receive([press(1), reaction(2), message(3, 1)]);
    await passed(3);
    await setWebhook({ allowedUpdates: ['message_reaction'] });
    const service = createDeliveryService({
      ...rig,
      openConnection: () => {
        throw new Error('nothing is checked here');
      },
    });
    const request = { bot_id: rig.bot, from_position: 1 };
    expect(await service.replay(localCaller, request)).toMatchObject({ queued: 1 });
    await rig.until(() => rig.arrivedIds().length === 4, 10);
    expect(rig.arrivedIds().at(-1)).toBe(2);
  });
});
