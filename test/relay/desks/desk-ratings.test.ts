import { beforeEach, describe, expect, it } from 'vitest';
import { raw } from '../../../src/store/engine.ts';
import { eitherDialect } from '../../support/database/engines.ts';
import { settleAsRestored } from '../../support/database/restored.ts';
import { type DeskWorld, openDeskWorld, type Shown } from '../../support/rigs/desk-world.ts';

const hourMs = 3_600_000;
const question = 'How did we do?';
const rating_questions = [
  { language: '', text: question },
  { language: 'ru', text: 'Как вам?' },
];

describe.each(eitherDialect)('ratings of customers on %s', (dialect) => {
  let world: DeskWorld;
  beforeEach(async () => {
    world = await openDeskWorld(dialect);
  });

  /** The message with the five buttons that the customer sees last. */
  const asked = (person = world.anna) =>
    world.sandbox
      .history(person.id, world.tea.platformId)
      .map(({ message }) => message as Shown)
      .findLast(({ reply_markup: markup }) => markup !== undefined);
  async function press(rating: number, messageId = asked()?.message_id ?? 0) {
    const { anna, rig, sandbox, tea } = world;
    const pressed = sandbox.press(anna.id, tea.platformId, messageId, `${rating} ⭐`);
    await rig.settle();
    return pressed.type === 'callback' ? sandbox.callbackAnswer(pressed.id)?.text : undefined;
  }
  const stats = () => {
    const { clock, store, tea } = world;
    return store.desks.ratings({ botId: tea.id, chatId: 0 }, [0, clock.now() + 1]);
  };
  const chat = async () => {
    const found = await world.store.chats.get(world.tea.id, world.anna.id);
    return { since: found?.unanswered_since, isDone: found?.is_done };
  };
  /** The customer was asked 13 hours ago. */
  async function later(): Promise<void> {
    const sql = `update desk_topics set rating_at = rating_at - ${13 * hourMs}`;
    await world.store.engine.write(() => raw(sql, []));
  }
  const inTopic = () => world.inForum().map(([, text]) => text);

  it('are asked for with five buttons once a conversation is done, stored with who had it, and shown in the topic', async () => {
    const { anna, answer, heardBy, inForum, rig, say, set, store, tea, topics } = world;
    await set({ rating_questions });
    await say('Where is my tea?');
    await answer('On its way');
    expect(asked()).toBeUndefined();
    await answer('/close');
    expect(heardBy()).toEqual(['On its way', question]);
    const buttons = asked()?.reply_markup?.inline_keyboard[0]?.map(({ text }) => text);
    expect(buttons).toEqual(['1 ⭐', '2 ⭐', '3 ⭐', '4 ⭐', '5 ⭐']);
    expect(await press(4)).toBe('🙏 ★★★★☆');
    expect(heardBy()).toEqual(['On its way', `${question}\n\n🙏 ★★★★☆`]);
    expect(asked()).toBeUndefined();
    expect(inForum().at(-1)).toEqual([0, 'ℹ️ Rated 4 of 5.']);
    expect(topics()).toHaveLength(1);
    const one = { rating: 4, assignee: `person:${rig.agent}`, name: 'Agent', count: 1 };
    expect(await stats()).toEqual([one]);
    // Neither the question nor the rating is an answer, and nobody waits because of them.
    expect(await chat()).toEqual({ since: 0, isDone: 1 });
    const [sent] = await store.engine.readRaw<{ author: string }>(
      `select author from messages where bot_id = $1 and text like $2`,
      [tea.id, `${question}%`],
    );
    expect(JSON.parse(sent?.author ?? '{}')).toMatchObject({ kind: 'relay', name: 'desk' });
    // The topic stays closed until the customer writes.
    expect(world.sandbox.topics(rig.agent, world.forum.id)[1]).toMatchObject({ isClosed: true });
    await say('Thanks', anna);
    expect(inTopic().at(-1)).toBe('Thanks');
  });

  it.each(['/close', 'Done', 'by hand'])(
    'are not asked for by %s while a message waits that the team did not see',
    async (how) => {
      const { forum, helper, inForum, rig, sandbox, say, set, topics } = world;
      await set({ rating_questions });
      await say('one');
      const topicId = topics()[0] as number;
      const shown = world.shown().find(({ reply_markup: markup }) => markup !== undefined);
      const hold = { kind: 'unauthorized', botId: helper.platformId, times: 1 } as const;
      sandbox.fault({ ...hold, method: 'sendMessage' });
      await say('two');
      const close = {
        '/close': () => sandbox.say(rig.agent, forum.id, '/close', { topicId }),
        Done: () => sandbox.press(rig.agent, forum.id, shown?.message_id ?? 0, 'Done'),
        'by hand': () => sandbox.changeTopic(rig.agent, forum.id, topicId, { isClosed: true }),
      }[how];
      close?.();
      await rig.settle();
      await world.lookAgain();
      const texts = inForum().map(([, text]) => text);
      expect(texts).toContain('two');
      expect(texts.at(-1)).toContain('Not done');
      expect(asked()).toBeUndefined();
      expect((await chat()).since).toBeGreaterThan(0);
      const topic = sandbox.topics(rig.agent, forum.id).find((one) => one.name === 'Anna');
      expect(topic).toMatchObject({ isClosed: false });
      await world.clock.advance(1_000);
      await world.answer('/close');
      expect([asked()?.text, (await chat()).since]).toEqual([question, 0]);
    },
  );

  it('are asked for if the desk bot is the bot of the customer, who wrote to its business account', async () => {
    const { anna, answer, clock, deskId, forum, rig, sandbox, set, store, tea } = world;
    const owner = sandbox.createUser({ first_name: 'Olga' });
    sandbox.connectBusiness(owner, tea.platformId);
    sandbox.promote(rig.agent, forum.id, tea.platformId);
    const desk = await store.desks.get(deskId);
    if (!desk) throw new Error('no desk');
    await store.engine.write(() =>
      store.desks.saveStep(deskId, { ...desk, desk_bot_id: tea.id }, clock.now()),
    );
    await set({ rating_questions });
    sandbox.say(anna.id, owner.id, 'to the account');
    await rig.settle();
    await answer('/close');
    expect(await chat()).toEqual({ since: 0, isDone: 1 });
    sandbox.say(anna.id, owner.id, 'one more thing');
    await rig.settle();
    const topicId = world.topics()[0] as number;
    sandbox.changeTopic(rig.agent, forum.id, topicId, { isClosed: true });
    await rig.settle();
    expect(await chat()).toEqual({ since: 0, isDone: 1 });
    expect(inTopic().filter((text) => text.includes('Not done'))).toEqual([]);
  });

  it('are asked for once in twelve hours, not if it was done before, off, the bot disabled, or the customer banned', async () => {
    const { answer, say, set, store, clock, tea, anna } = world;
    const key = () => ({ botId: tea.id, chatId: anna.id });
    const questions = () => world.heardBy().filter((text) => text === question).length;
    await say('one');
    await answer('/close');
    expect(questions()).toBe(0);
    await set({ rating_questions });
    expect(await store.desks.end(key(), clock.now())).toBe(0);
    await say('while the bot is on');
    await store.bots.update(tea.id, { disabled: true }, clock.now());
    expect(await store.desks.end(key(), clock.now())).toBe(0);
    await store.bots.update(tea.id, { disabled: false }, clock.now());
    await say('two');
    // Two nodes, or two people at once.
    const ends = [1, 2].map(() => store.desks.end(key(), clock.now()));
    expect((await Promise.all(ends)).toSorted()).toEqual([0, tea.id]);
    await world.rig.takeUp();
    await say('three');
    await answer('/close');
    expect(questions()).toBe(1);
    const first = asked()?.message_id;
    await later();
    await say('four');
    await answer('/close');
    expect(questions()).toBe(2);
    // The earlier question is over.
    expect(await press(1, first)).toBeUndefined();
    expect(await stats()).toEqual([]);
    await later();
    await say('five');
    await answer('/ban');
    await answer('/close');
    expect(questions()).toBe(2);
  });

  it('count once, for the buttons of that message and that person only', async () => {
    const { anna, answer, rig, sandbox, say, set, store, tea } = world;
    await set({ rating_questions });
    const boris = sandbox.createUser({ first_name: 'Boris', language_code: 'ru' });
    for (const person of [anna, boris]) {
      await say('hello', person);
      await answer('/close');
    }
    expect(asked(boris)?.text).toBe('Как вам?');
    const data = (person: { id: number }, rating: number) => {
      const button = asked(person)?.reply_markup?.inline_keyboard[0]?.[rating - 1];
      return (button as { callback_data?: string } | undefined)?.callback_data ?? '';
    };
    const from = (person: { id: number }) => ({ id: person.id, is_bot: false, first_name: 'X' });
    const message = (person: { id: number }, messageId: number) => ({
      message_id: messageId,
      date: 1,
      chat: { id: person.id, type: 'private' as const, first_name: 'X' },
    });
    let updates = 9_000;
    const forged = (who: { id: number }, where: { id: number }, messageId: number, words: string) =>
      rig.receive(tea, {
        update_id: ++updates,
        callback_query: {
          id: String(updates),
          from: from(who),
          message: message(where, messageId),
          chat_instance: '1',
          data: words,
        },
      } as never);
    const annas = asked(anna)?.message_id ?? 0;
    const good = data(anna, 5);
    await forged(boris, boris, asked(boris)?.message_id ?? 0, good);
    await forged(boris, anna, annas, good);
    await forged(anna, anna, annas + 1, good);
    await forged(anna, anna, annas, good.replace(/:[\w-]{16}:/, `:${'a'.repeat(16)}:`));
    await forged(anna, anna, annas, good.replace(/\d$/, '6'));
    expect(await stats()).toEqual([]);
    await press(5);
    await forged(anna, anna, annas, data(boris, 1));
    await forged(anna, anna, annas, good.replace(/\d$/, '1'));
    expect(await stats()).toMatchObject([{ rating: 5, count: 1 }]);
    expect(inTopic().filter((text) => text.includes('Rated'))).toHaveLength(1);
    const claims = await store.engine.readRaw<{ claimed_by: number }>(
      `select distinct claimed_by from log where bot_id = $1 and kind = 'callback_query'`,
      [tea.id],
    );
    expect(claims).toEqual([{ claimed_by: -1 }]);
  });

  it('survive a restart and the deletion of the desk, and go with the customer and the bot', async () => {
    const { anna, answer, clock, deskId, helper, rig, sandbox, say, set, store, tea } = world;
    await set({ rating_questions });
    const ben = sandbox.createUser({ first_name: 'Ben' });
    await say('hello', ben);
    await answer('/close');
    await say('hello');
    await answer('/close');
    await rig.rewind(tea);
    await rig.settle();
    await press(3);
    await rig.rewind(tea);
    await rig.settle();
    expect(await stats()).toMatchObject([{ rating: 3, count: 1 }]);
    expect(inTopic().filter((text) => text.includes('Rated'))).toHaveLength(1);
    expect(await store.desks.ratingsOfDesks(0)).toEqual(new Map([[deskId, { count: 1, sum: 3 }]]));
    await store.desks.release(deskId, [tea.id], clock.now());
    await store.engine.write(() => store.desks.removeStep(deskId, clock.now()));
    for (const bot of [tea, helper]) await rig.reload(bot);
    expect(await store.desks.ratingsOfDesks(0)).toEqual(new Map());
    expect(await stats()).toMatchObject([{ rating: 3, count: 1 }]);
    await store.chats.forget(tea.id, anna.id, 1_000);
    expect(await stats()).toEqual([]);
    expect(await store.metricFacts.ratings()).toEqual([]);
    const late = sandbox.press(ben.id, tea.platformId, asked(ben)?.message_id ?? 0, '5 ⭐');
    await rig.settle();
    expect(late.type === 'callback' && sandbox.callbackAnswer(late.id)).toMatchObject({
      text: '🙏 ★★★★★',
    });
  });

  it('are not asked for twice after the restore of a backup', async () => {
    const { answer, clock, database, heardBy, rig, say, set, tea, topics } = world;
    await set({ rating_questions });
    await say('hello');
    const sendMessage = { botId: tea.platformId, method: 'sendMessage' };
    const wait = { kind: 'too_many_requests', retryAfterSeconds: 120, times: 1 } as const;
    world.sandbox.fault({ ...wait, ...sendMessage });
    world.sandbox.say(rig.agent, world.forum.id, '/close', { topicId: topics()[0] as number });
    await world.until(async () => {
      const put = `select 1 from outbox where state = 'queued' and attempts > 0 and bot_id = $1`;
      return (await world.store.engine.readRaw(put, [tea.id])).length > 0;
    });
    await settleAsRestored(database);
    await clock.advance(120_000);
    await rig.takeUp();
    await say('me again');
    await answer('/close');
    expect(heardBy()).toEqual([]);
    await later();
    await say('and again');
    await answer('/close');
    expect(heardBy()).toEqual([question]);
  });
});
