import { beforeEach, describe, expect, it } from 'vitest';
import type { Desk } from '../../../src/core/desks/desk.ts';
import { raw } from '../../../src/store/engine.ts';
import { sendFinders } from '../../../src/relay/alerts/finders/sends.ts';
import type { FinderDeps, View } from '../../../src/relay/alerts/finders/view.ts';
import { alertText } from '../../../src/core/alerts/alerts.ts';
import { dialects } from '../../support/database/engines.ts';
import { type DeskWorld, openDeskWorld } from '../../support/rigs/desk-world.ts';

describe.each(dialects)('the customers of a desk on %s', (dialect) => {
  let world: DeskWorld;

  beforeEach(async () => {
    world = await openDeskWorld(dialect);
  });

  const texts = () => world.inForum().map(([, text]) => text);
  const customer = (name: string) => world.sandbox.createUser({ first_name: name });
  const fault = (more: Omit<Parameters<DeskWorld['sandbox']['fault']>[0], 'botId'>) =>
    world.sandbox.fault({ botId: world.helper.platformId, ...more });
  const queuedFor = async (botId: number) => {
    const open = `select 1 from outbox where state = 'queued' and bot_id = $1`;
    return (await world.store.engine.readRaw(open, [botId])).length;
  };

  it('who have a topic do not wait for the topics of others, for which Telegram asks to wait', async () => {
    const { clock, helper, rig, sandbox, say, tea } = world;
    await say('I was here before');
    fault({
      kind: 'too_many_requests',
      method: 'createForumTopic',
      retryAfterSeconds: 120,
      times: 1,
    });
    const ben = customer('Ben');
    sandbox.say(ben.id, tea.platformId, 'I am new');
    sandbox.say(world.anna.id, tea.platformId, 'and I am back');
    await world.until(() => texts().includes('and I am back'));
    expect(texts()).toEqual(['I was here before', 'and I am back']);
    await world.until(async () => (await queuedFor(helper.id)) === 1);
    expect(texts()).toHaveLength(2);
    await clock.advance(120_000);
    await rig.settle();
    expect(world.topics()).toHaveLength(2);
    expect(texts()).toContain('I am new');
  });

  it('wait while the token of the desk bot is revoked, and lose nothing', async () => {
    const { lookAgain, say, store } = world;
    await say('one');
    fault({ kind: 'unauthorized', method: 'sendMessage', times: 1 });
    await say('two');
    await say('three');
    expect(texts()).toEqual(['one']);
    expect(await store.desks.waiting()).toMatchObject([{ customers: 1 }]);
    const items = await store.engine.readRaw<{ key: string }>('select key from desk_items', []);
    const keys = items.map(({ key }) => key);
    expect(await store.desks.waitingAmong(['other', ...keys])).toEqual(new Set(keys));
    await lookAgain();
    expect(texts()).toEqual(['one', 'two', 'three']);
  });

  it('wait only for the right to topics, which the alert names', async () => {
    const { forum, helper, lookAgain, rig, sandbox, say, store } = world;
    const give = (rights: object) =>
      sandbox.promote(rig.agent, forum.id, helper.platformId, rights);
    give({ can_delete_messages: true, can_pin_messages: true });
    await say('one');
    const [found] = await sendFinders.desk_waiting({} as View, { store } as unknown as FinderDeps);
    const alert = { kind: 'desk_waiting', botId: helper.id, params: found?.params ?? {} } as const;
    expect(alertText(alert)).toMatch(
      /^What 1 customer wrote waits for the desk: .*can_manage_topics/,
    );
    give({ can_manage_topics: true });
    await lookAgain();
    expect(texts()).toEqual(['one']);
    expect(await store.desks.waiting()).toEqual([]);
  });

  it('do not wait because the token of their own bot is revoked', async () => {
    const { anna, clock, rig, sandbox, say, store, tea } = world;
    await say('one');
    sandbox.fault({ kind: 'unauthorized', botId: tea.platformId, method: 'getFile', times: 1 });
    sandbox.sendMedia(anna.id, tea.platformId, { kind: 'photo' });
    await say('two');
    await clock.advance(1_000);
    await rig.settle();
    expect(await store.desks.waiting()).toEqual([]);
    expect(texts()).toEqual(['one', expect.stringContaining('cannot be shown here'), 'two']);
  });

  it('cause one topic a minute if each is gone as soon as it was made', async () => {
    const { forum, helper, lookAgain, rig, sandbox, say, store } = world;
    let made = 0;
    const stop = sandbox.onChange((change) => {
      if (change.type !== 'message_added' || !change.message.forum_topic_created) return;
      made++;
      const topicId = change.message.message_thread_id as number;
      queueMicrotask(() => sandbox.removeTopic(rig.agent, forum.id, topicId));
    });
    await say('one');
    expect([made, (await store.desks.waiting()).length]).toEqual([1, 1]);
    stop();
    await lookAgain();
    expect(texts()).toEqual(['one']);
    const cards = world.shown().filter(({ text }) => text?.includes('Here since'));
    expect([cards.length, helper.name]).toEqual([1, 'helper']);
  });

  it('keep their topic while the desk bot is out of the group', async () => {
    const { forum, helper, lookAgain, rig, sandbox, say, store, topics } = world;
    await say('one');
    sandbox.removeMember(rig.agent, forum.id, helper.platformId);
    await say('two');
    expect(await store.desks.waiting()).toMatchObject([{ customers: 1 }]);
    sandbox.promote(rig.agent, forum.id, helper.platformId);
    await lookAgain();
    expect(texts()).toEqual(['one', 'two']);
    expect(topics()).toHaveLength(1);
  });

  it('are answered when the group was made a forum after the desk was added', async () => {
    const { clock, deskId, helper, lookAgain, rig, sandbox, store, tea } = world;
    const group = sandbox.createChat({ type: 'group', title: 'Small', owner: rig.agent });
    sandbox.addMember(rig.agent, group.id, helper.platformId);
    await store.engine.write(() => store.desks.removeStep(deskId, clock.now()));
    await rig.desk({ desk_bot_id: helper.id, chat_id: group.id, bot_ids: [tea.id] });
    // The desk bot hears of the new ID only from a refusal.
    await world.say('is anybody there?');
    sandbox.removeMember(rig.agent, group.id, helper.platformId);
    await rig.settle();
    const upgraded = sandbox.upgradeGroup(rig.agent, group.id);
    sandbox.enableTopics(rig.agent, upgraded.id);
    await lookAgain();
    expect((await store.desks.list()).map(({ chat_id }) => chat_id)).toEqual([upgraded.id]);
    sandbox.promote(rig.agent, upgraded.id, helper.platformId);
    await lookAgain();
    const there = sandbox.history(rig.agent, upgraded.id).map(({ message }) => message);
    const copy = there.find(({ text }) => text === 'is anybody there?');
    expect(copy).toBeDefined();
    sandbox.say(rig.agent, upgraded.id, 'yes', { topicId: copy?.message_thread_id as number });
    await rig.settle();
    expect(world.heardBy()).toEqual(['yes']);
    const [row] = await store.engine.readRaw<{ claimed_by: number }>(
      `select claimed_by from log where bot_id = $1 and raw like '%"yes"%'`,
      [helper.id],
    );
    expect(row?.claimed_by).toBe(-1);
  });

  it('are not answered in a topic whose creation was never confirmed, and who writes there is told', async () => {
    const { answer, forum, heardBy, rig, sandbox, say, topics } = world;
    fault({ kind: 'reset_after', method: 'createForumTopic', times: 1 });
    await say('hello');
    const stray = sandbox
      .topics(rig.agent, forum.id)
      .find(
        ({ message_thread_id: id }) =>
          id > 1 && !world.inForum().some(([at]) => topics()[at] === id),
      );
    await answer('is this the right one?', { topicId: stray?.message_thread_id as number });
    expect(texts().at(-1)).toContain('the desk uses another topic for Anna');
    await answer('here it is', { topicId: topics()[world.inForum()[0]?.[0] ?? 0] as number });
    expect(heardBy()).toEqual(['here it is']);
  });

  it('who block the bot are shown as gone in the topic, and so is an answer that they do not get', async () => {
    const { anna, answer, heardBy, rig, sandbox, say, tea } = world;
    await say('bye');
    sandbox.blockBot(anna.id, tea.platformId);
    await rig.settle();
    expect(texts().at(-1)).toContain('The customer blocked the bot');
    await answer('wait!');
    expect(heardBy()).toEqual([]);
    expect(texts().at(-1)).toContain('blocked by the user');
  });

  it('who are forgotten get a new topic, and the forum may be forgotten at any time', async () => {
    const { anna, answer, forum, heardBy, helper, say, store, tea, topics } = world;
    await say('remember me');
    await store.chats.forget(helper.id, forum.id, 1_000);
    await answer('we do');
    expect(heardBy()).toEqual(['we do']);
    await store.chats.forget(tea.id, anna.id, 1_000);
    await answer('are you there?');
    expect(texts().at(-1)).toContain('data of this customer was deleted');
    await say('who am I?');
    expect(topics()).toHaveLength(2);
    await answer('a new customer');
    expect(heardBy()).toEqual(['we do', 'a new customer']);
    const kept = await store.engine.readRaw<{ name: string }>(
      'select name from desk_topics where chat_id < 0',
      [],
    );
    expect(kept).toEqual([{ name: '' }]);
  });

  it('are told nothing when bots go: those of a deleted bot leave the desk, and without its bot the desk ends', async () => {
    const { answer, helper, rig, sandbox, say, store, tea } = world;
    const coffee = await rig.addBot('coffee', { manage_enabled: true });
    const [desk] = (await store.desks.list()) as [Desk];
    await store.engine.write(() =>
      store.desks.saveStep(desk.id, { ...desk, bot_ids: [tea.id, coffee.id] }, 1),
    );
    await rig.reload(coffee);
    await say('tea, please');
    const ben = customer('Ben');
    sandbox.say(ben.id, coffee.platformId, 'coffee, please');
    await rig.settle();
    expect(texts()).toEqual(['tea, please', 'coffee, please']);
    rig.leave(coffee.id);
    expect(await store.bots.remove(coffee.id)).toBe(true);
    expect((await store.desks.list())[0]?.bot_ids).toEqual([tea.id]);
    await answer('here it is', { topicId: world.topics()[0] as number });
    expect(world.heardBy()).toEqual(['here it is']);
    rig.leave(helper.id);
    expect(await store.bots.remove(helper.id)).toBe(true);
    expect(await store.desks.list()).toEqual([]);
    for (const table of ['desk_bots', 'desk_topics', 'desk_items']) {
      expect(await store.engine.readRaw(`select 1 from ${table}`, [])).toEqual([]);
    }
  });

  it('cause a note in the topic if an answer does not reach them because their bot is disabled', async () => {
    const { answer, clock, heardBy, say, store, tea } = world;
    const disable = (id: number, isDisabled: boolean) =>
      store.bots.update(id, { disabled: isDisabled }, clock.now());
    await say('one');
    await disable(tea.id, true);
    await answer('can you read this?');
    expect(texts().at(-1)).toContain(`bot ${tea.id} is disabled`);
    await disable(tea.id, false);
    await answer('and this?');
    expect(heardBy()).toEqual(['and this?']);
  });

  it('get what waited in a backup, after it is restored', async () => {
    const { clock, helper, lookAgain, sandbox, say, store, tea, until } = world;
    await say('one');
    await store.bots.update(helper.id, { disabled: true }, clock.now());
    sandbox.say(world.anna.id, tea.platformId, 'two');
    await until(async () => (await queuedFor(helper.id)) === 1);
    // As a restore does, see src/store/sqlite/database-file.ts.
    await store.engine.write(() =>
      raw(`update outbox set state = 'unknown' where state = 'queued'`, []),
    );
    await store.bots.update(helper.id, { disabled: false }, clock.now());
    await lookAgain();
    expect(texts()).toEqual(['one', 'two', expect.stringContaining('may be here twice')]);
  });

  it('go on through another desk bot, also what is queued for the former one', async () => {
    const { clock, deskId, forum, helper, rig, sandbox, say, store, tea } = world;
    await say('one');
    const other = await rig.addBot('other', { manage_enabled: true });
    sandbox.promote(rig.agent, forum.id, other.platformId);
    await store.bots.update(helper.id, { disabled: true }, clock.now());
    sandbox.say(world.anna.id, tea.platformId, 'two');
    await world.until(async () => (await queuedFor(helper.id)) === 1);
    const [desk] = (await store.desks.list()) as [Desk];
    await store.engine.write(() =>
      store.desks.saveStep(deskId, { ...desk, desk_bot_id: other.id }, clock.now()),
    );
    await rig.reload(other);
    await rig.settle();
    expect(texts()).toEqual(['one', 'two']);
  });
});
