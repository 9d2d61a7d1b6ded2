import { beforeEach, describe, expect, it } from 'vitest';
import type { Desk } from '../../../src/core/desks/desk.ts';
import { eitherDialect } from '../../support/database/engines.ts';
import { settleAsRestored } from '../../support/database/restored.ts';
import { type DeskWorld, openDeskWorld } from '../../support/rigs/desk-world.ts';

describe.each(eitherDialect)('the topics of a desk on %s', (dialect) => {
  let world: DeskWorld;

  beforeEach(async () => {
    world = await openDeskWorld(dialect);
  });

  const texts = () => world.inForum().map(([, text]) => text);
  const customer = (name: string) => world.sandbox.createUser({ first_name: name });
  /** All topics but General, also those in which nothing was written. */
  const names = () =>
    world.sandbox
      .topics(world.rig.agent, world.forum.id)
      .flatMap(({ message_thread_id: id, name }) => (id > 1 ? [name] : []))
      .toSorted();
  const waitFor120s = (botId: number, method: string) =>
    world.sandbox.fault({
      kind: 'too_many_requests',
      botId,
      method,
      retryAfterSeconds: 120,
      times: 1,
    });
  const rows = async (condition: string, parameters: unknown[]) =>
    await world.store.engine.readRaw(
      `select 1 from outbox where state = 'queued' and ${condition}`,
      parameters,
    );
  /** Telegram asked to wait with a call. */
  const isPutOff = async (botId: number, method: string) =>
    (await rows('attempts > 0 and bot_id = $1 and method = $2', [botId, method])).length > 0;
  async function later(): Promise<void> {
    await world.clock.advance(120_000);
    await world.rig.takeUp();
  }
  async function saveDesk(change: Partial<Desk>): Promise<void> {
    const { store, clock, deskId, helper, rig, tea } = world;
    const desk = (await store.desks.get(deskId)) as Desk;
    await store.engine.write(() =>
      store.desks.saveStep(deskId, { ...desk, ...change }, clock.now()),
    );
    for (const bot of [helper, tea]) await rig.reload(bot);
  }

  it('stay when the desk is deleted, with their history, and nothing new comes into them', async () => {
    const { answer, clock, deskId, forum, heardBy, helper, rig, sandbox, say, store, tea } = world;
    await say('one');
    waitFor120s(helper.platformId, 'createForumTopic');
    sandbox.say(customer('Ben').id, tea.platformId, 'I am new');
    await world.until(() => isPutOff(helper.id, 'createForumTopic'));
    await store.desks.release(deskId, [tea.id], clock.now());
    await store.engine.write(() => store.desks.removeStep(deskId, clock.now()));
    for (const bot of [helper, tea]) await rig.reload(bot);
    await later();
    await say('two');
    await answer('nobody gets this');
    expect(names()).toEqual(['Anna']);
    expect(texts()).toEqual(['one', 'nobody gets this']);
    expect(heardBy()).toEqual([]);
    const [stored] = await store.engine.readRaw<{ count: number }>(
      'select count(*) as count from messages where bot_id = $1 or chat_id = $2',
      [tea.id, forum.id],
    );
    expect(Number(stored?.count)).toBeGreaterThanOrEqual(5);
  });

  it('get nothing from a bot that left the desk, or was deleted while something waited', async () => {
    const { answer, clock, heardBy, helper, rig, sandbox, say, store, tea } = world;
    await say('one');
    waitFor120s(helper.platformId, 'createForumTopic');
    sandbox.say(customer('Ben').id, tea.platformId, 'I am new');
    await world.until(() => isPutOff(helper.id, 'createForumTopic'));
    await store.desks.release(world.deskId, [tea.id], clock.now());
    await saveDesk({ bot_ids: [] });
    await later();
    await say('two');
    await answer('nobody gets this');
    expect(names()).toEqual(['Anna']);
    expect(texts()).toEqual(['one', 'nobody gets this']);
    expect(heardBy()).toEqual([]);
    // In the desk again, customers start again.
    await saveDesk({ bot_ids: [tea.id] });
    await say('three');
    expect(world.inForum().at(-1)).toEqual([1, 'three']);
    waitFor120s(helper.platformId, 'sendMessage');
    sandbox.say(world.anna.id, tea.platformId, 'four');
    await world.until(() => isPutOff(helper.id, 'sendMessage'));
    rig.leave(tea.id);
    expect(await store.bots.remove(tea.id)).toBe(true);
    await clock.advance(120_000);
    await rig.takeUp();
    await answer('and now?');
    expect(names()).toEqual(['Anna', 'Anna']);
    expect(await store.desks.waiting()).toEqual([]);
  });

  it('get in order what waited while the desk bot was disabled', async () => {
    const { clock, helper, lookAgain, sandbox, store, tea } = world;
    const disable = (disabled: boolean) => store.bots.update(helper.id, { disabled }, clock.now());
    await disable(true);
    const ben = customer('Ben');
    for (const text of ['one', 'two', 'three']) {
      sandbox.say(world.anna.id, tea.platformId, text);
      sandbox.say(ben.id, tea.platformId, `${text}, too`);
      await world.rig.takeIn();
    }
    await world.until(async () => (await rows('bot_id = $1', [helper.id])).length > 0);
    await disable(false);
    await lookAgain();
    expect(names()).toEqual(['Anna', 'Ben']);
    expect(texts().filter((text) => !text.includes('too'))).toEqual(['one', 'two', 'three']);
    expect(texts().filter((text) => text.includes('too'))).toEqual([
      'one, too',
      'two, too',
      'three, too',
    ]);
  });

  it('that Telegram does not yet allow hold up nothing else of the desk bot', async () => {
    const { answer, heardBy, helper, say, sandbox, store, tea } = world;
    await say('one');
    waitFor120s(helper.platformId, 'createForumTopic');
    sandbox.say(customer('Ben').id, tea.platformId, 'I am new');
    await world.until(() => isPutOff(helper.id, 'createForumTopic'));
    const boss = customer('Boss');
    sandbox.say(boss.id, helper.platformId, '/start');
    const startedAt = world.clock.now();
    await store.outbox.enqueue(
      {
        botId: helper.id,
        chatId: boss.id,
        method: 'sendMessage',
        params: { chat_id: boss.id, text: 'good morning' },
        origin: 'sent',
        intentKey: 'boss',
        priority: 'bulk',
        author: undefined,
      },
      startedAt,
    );
    sandbox.say(world.anna.id, tea.platformId, 'two');
    const topicId = world.topics()[0] as number;
    sandbox.say(world.rig.agent, world.forum.id, 'three', { topicId });
    await world.until(
      () =>
        texts().includes('two') &&
        heardBy().includes('three') &&
        heardBy(boss, helper).includes('good morning'),
    );
    expect(world.clock.now() - startedAt).toBeLessThan(60_000);
    expect(names()).toEqual(['Anna']);
    await later();
    await answer('welcome', { topicId: world.topics()[1] as number });
    expect(names()).toEqual(['Anna', 'Ben']);
  });

  it('are made again once if they were deleted while the right to topics was missing', async () => {
    const { forum, helper, lookAgain, rig, sandbox, say, sendFromPage, store } = world;
    await say('one');
    sandbox.removeTopic(rig.agent, forum.id, world.topics()[0] as number);
    sandbox.promote(rig.agent, forum.id, helper.platformId, { can_pin_messages: true });
    await say('two');
    await sendFromPage('from the page');
    expect(names()).toEqual([]);
    expect(await store.desks.waiting()).toMatchObject([{ customers: 1 }]);
    sandbox.promote(rig.agent, forum.id, helper.platformId);
    await lookAgain();
    expect(texts()).toEqual(['two', '↩️ Olga\nfrom the page']);
    expect(names()).toEqual(['Anna']);
  });

  it('get nothing of a customer who was forgotten while it waited', async () => {
    const { anna, answer, clock, heardBy, helper, sandbox, say, store, tea } = world;
    await say('one');
    waitFor120s(helper.platformId, 'sendMessage');
    sandbox.say(anna.id, tea.platformId, 'my secret');
    await world.until(() => isPutOff(helper.id, 'sendMessage'));
    const ben = customer('Ben');
    sandbox.say(ben.id, tea.platformId, 'mine, too');
    // Telegram's wait holds for the whole forum, so this is not attempted.
    const isMaking = `method = 'createForumTopic' and bot_id = $1`;
    await world.until(async () => (await rows(isMaking, [helper.id])).length > 0);
    for (const { id } of [anna, ben]) await store.chats.forget(tea.id, id, clock.now());
    await later();
    expect(texts()).toEqual(['one']);
    expect(names()).toEqual(['Anna']);
    await say('who am I?');
    expect(texts()).toEqual(['one', 'who am I?']);
    await answer('a new customer');
    expect(heardBy()).toEqual(['a new customer']);
  });

  it('survive a backup: no second topic, no answer twice, and what waited is shown and marked', async () => {
    const { anna, answer, database, forum, heardBy, helper, rig, sandbox, say, store, tea } = world;
    await say('one');
    await answer('received');
    waitFor120s(helper.platformId, 'sendMessage');
    waitFor120s(tea.platformId, 'sendMessage');
    sandbox.say(anna.id, tea.platformId, 'two');
    const topicId = world.topics()[0] as number;
    sandbox.say(rig.agent, forum.id, 'an answer on its way', { topicId });
    await world.until(
      async () =>
        (await isPutOff(helper.id, 'sendMessage')) && (await isPutOff(tea.id, 'sendMessage')),
    );
    await settleAsRestored(database);
    await store.desks.tellRestored(world.clock.now());
    await store.desks.tellRestored(world.clock.now());
    await later();
    expect(names()).toEqual(['Anna']);
    expect(heardBy()).toEqual(['received']);
    expect(texts()).toEqual([
      'one',
      'received',
      'an answer on its way',
      'two',
      expect.stringContaining('may be here twice'),
      expect.stringContaining('Nobody knows whether the customer got this'),
    ]);
    await later();
    await say('three');
    await answer('still here');
    expect(texts().slice(6)).toEqual(['three', 'still here']);
    expect(heardBy()).toEqual(['received', 'still here']);
  });
});
