import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localCaller } from '../../../src/core/access/access.ts';
import { defaultAppSettings } from '../../../src/core/apps/app.ts';
import { createDeliveryService } from '../../../src/relay/delivery/delivery-service.ts';
import { createPushReader } from '../../../src/relay/delivery/push-reader.ts';
import { dialects } from '../../support/database/engines.ts';
import {
  createPushRig,
  message,
  openConnection,
  type PushRig,
} from '../../support/rigs/delivery-rig.ts';

const inTopic = (updateId: number, topic: number, text?: string) => {
  const update = message(updateId, 7, text);
  const topical = { message_thread_id: topic, is_topic_message: true };
  return { ...update, message: { ...update.message, ...topical } };
};
const press = (updateId: number, topic: number) => ({
  update_id: updateId,
  callback_query: { id: 'p', from: { id: 7 }, data: 'd', message: inTopic(1, topic).message },
});

const stop = (updateId: number, topic: number) => ({
  update_id: updateId,
  stopped_message_generation: { chat: { id: 7 }, draft_id: 1, message_thread_id: topic },
});

describe.each(dialects)('queues of a push reader on %s', (dialect) => {
  let rig: PushRig;
  let release: PromiseWithResolvers<void>;

  beforeEach(async () => {
    rig = await createPushRig(dialect);
    release = Promise.withResolvers();
  });
  afterEach(() => rig.close());

  /** The backend is still answering these updates until `release`. */
  function hang(...updateIds: number[]): void {
    rig.backend.answer = async ({ updateId }) => {
      if (updateIds.includes(updateId)) await release.promise;
      return {};
    };
  }
  const arrived = (...ids: number[]) =>
    rig.until(() => ids.every((id) => rig.arrivedIds().includes(id)));
  const finished = (position: number) =>
    rig.until(async () => (await rig.cursor())?.position === position, 10);

  it('are those of the chats, so a topic waits for another', async () => {
    hang(1);
    await rig.apply();
    await rig.receive([inTopic(1, 3), inTopic(2, 4), message(3, 8)]);
    await arrived(1, 3);
    expect(rig.arrivedIds()).not.toContain(2);
    release.resolve();
    await finished(3);
    expect(rig.arrivedOf(7)).toEqual([1, 2]);
  });

  it('are those of the topics with per_topic, so no topic waits for another', async () => {
    hang(1, 5, 8);
    await rig.apply({ per_topic: true });
    const before = rig.clock.now();
    await rig.receive([inTopic(1, 3), inTopic(2, 4), inTopic(3, 3), message(4, 7)]);
    await rig.receive([press(5, 3), press(6, 4), press(7, 3)]);
    await rig.receive([stop(8, 3), stop(9, 4)]);
    await arrived(1, 2, 4, 5, 6, 8, 9);
    expect(rig.clock.now()).toBe(before);
    expect(rig.arrivedIds()).not.toContain(3);
    expect(rig.arrivedIds()).not.toContain(7);
    release.resolve();
    await finished(9);
  });

  it('change for what follows a switch, and nothing overtakes within a topic', async () => {
    hang(1);
    await rig.apply();
    await rig.receive([inTopic(1, 3), inTopic(2, 4)]);
    await arrived(1);
    await rig.apply({ per_topic: true });
    await rig.apply({ urgent: ['/stop'] });
    await rig.apply({ secret_token: 'another' });
    // Topic 4 still has an update behind the one that hangs.
    await rig.receive([inTopic(3, 4), message(4, 9)]);
    await arrived(4);
    expect(rig.arrivedOf(7)).toEqual([1]);
    release.resolve();
    await finished(4);
    expect(rig.arrivedOf(7)).toEqual([1, 2, 3]);
    release = Promise.withResolvers();
    hang(5);
    await rig.receive([inTopic(5, 3), inTopic(6, 4)]);
    await arrived(5, 6);
    release.resolve();
    await finished(6);
  });

  it('that retry end under their former names after a switch, also after a restart', async () => {
    rig.backend.answer = ({ updateId }) => ({ status: updateId < 3 ? 500 : 200 });
    await rig.apply();
    await rig.receive([inTopic(1, 3), inTopic(2, 4)]);
    const names = async () =>
      (await rig.retryQueues.list(rig.bot, 'push', 9)).map(({ queue, waiting }) => [
        queue,
        waiting,
      ]);
    await rig.until(async () => (await names()).length > 0, 10);
    await rig.apply({ per_topic: true });
    await rig.receive([inTopic(3, 4)]);
    await arrived(3);
    expect(await names()).toEqual([['c7', 2]]);
    await rig.crash();
    await rig.apply();
    rig.backend.answer = () => ({});
    await finished(3);
    await rig.until(async () => (await names()).length === 0, 50);
    expect(rig.arrivedIds().slice(-2)).toEqual([1, 2]);
  });

  it('of topics hold replays of dead letters and of the log', async () => {
    const service = createDeliveryService({
      store: rig.store,
      pushers: rig.pushers,
      apps: rig.apps,
      openConnection,
      clock: rig.clock,
    });
    rig.backend.answer = ({ updateId }) => ({ status: updateId === 1 ? 500 : 200 });
    await rig.apply({ per_topic: true });
    await rig.receive([inTopic(1, 3), inTopic(2, 4)]);
    const dead = () => rig.dead.count(rig.bot, 'push');
    await rig.until(async () => (await dead()) === 1, 3_600_000);
    const [letter] = await rig.dead.list({ botIds: null, limit: 1 });
    expect(letter).toMatchObject({ queue: 'c7t3', update_id: 1 });
    hang(1);
    expect(await service.replay(localCaller, { bot_id: rig.bot, all_dead: true })).toMatchObject({
      queued: 1,
    });
    expect(await service.replay(localCaller, { bot_id: rig.bot, from_position: 2 })).toMatchObject({
      queued: 1,
    });
    await rig.until(() => rig.arrivedIds().filter((id) => id === 2).length === 2);
    expect(await dead()).toBe(1);
    release.resolve();
    await rig.until(async () => (await dead()) === 0, 10);
  });

  it('let an urgent command overtake what is still being answered', async () => {
    hang(1, 10);
    await rig.apply({ username: 'agent_bot' });
    await rig.pushers.stop(rig.bot);
    const webhook = { maxConnections: 1, allowedUpdates: null };
    const settings = { urgent: ['stop', '/cancel'], backend_url: rig.backend.url };
    await rig.store.bots.update(rig.bot, settings, rig.clock.now(), webhook);
    await rig.apply();
    await rig.receive([message(1, 7), message(2, 7, '/start')]);
    await arrived(1);
    const before = rig.clock.now();
    await rig.receive([message(3, 7, '/stop now')]);
    await arrived(3);
    await rig.receive([message(4, 7, '/stop@other_bot'), message(5, 7, 'stop')]);
    await rig.receive([message(6, 7, '/Cancel@Agent_bot'), message(7, 8, '/cancel')]);
    await arrived(6, 7);
    expect(rig.clock.now()).toBe(before);
    // It has its own connection, and needs the one of no other.
    expect(rig.arrivedIds().toSorted()).toEqual([1, 3, 6, 7]);
    release.resolve();
    await finished(7);
    expect(rig.arrivedOf(7)).toEqual([1, 3, 6, 2, 4, 5]);
  });

  it('retry an urgent command without delaying the chat', async () => {
    rig.backend.answer = ({ updateId }) => ({ status: updateId === 1 ? 500 : 200 });
    await rig.apply({ urgent: ['/stop'], per_topic: true });
    await rig.receive([inTopic(1, 3, '/stop'), inTopic(2, 3), inTopic(3, 4, '/stop')]);
    await arrived(2, 3);
    const names = async () =>
      (await rig.retryQueues.list(rig.bot, 'push', 9)).map(({ queue }) => queue);
    await rig.until(async () => (await names()).length > 0, 10);
    expect(await names()).toEqual(['s7t3']);
    rig.backend.answer = () => ({});
    await rig.until(async () => (await names()).length === 0, 50);
  });

  it('are a setting of each app', async () => {
    const settings = { ...defaultAppSettings, mode: 'webhook' as const, per_topic: true };
    const url = `${rig.backend.url}/agent`;
    const app = { botId: rig.bot, name: 'agent', token: '1:agent', patch: {} };
    await rig.store.apps.insert({ ...app, settings: { ...settings, backend_url: url } }, 1);
    const bot = await rig.store.bots.get(rig.bot);
    if (!bot) throw new Error('the bot is gone');
    // Without leases there is no epoch to commit under.
    const noEpoch = undefined as unknown as number;
    await createPushReader({ pushers: rig.pushers, apps: rig.apps }).run?.apply(bot, noEpoch);
    hang(1);
    await rig.receive([inTopic(1, 3), inTopic(2, 4)]);
    const paths = () =>
      rig.backend.arrivals.map(({ path, updateId }) => `${path} ${updateId}`).toSorted();
    await rig.until(() => paths().length === 3);
    expect(paths()).toEqual(['/updates 1', '/updates/agent 1', '/updates/agent 2']);
    release.resolve();
    await finished(2);
  });
});
