import { beforeEach, describe, expect, it } from 'vitest';
import { raw } from '../../../src/store/engine.ts';
import { eitherDialect } from '../../support/database/engines.ts';
import { type DeskWorld, openDeskWorld } from '../../support/rigs/desk-world.ts';

const hourMs = 3_600_000;

describe.each(eitherDialect)('a desk with settings on %s', (dialect) => {
  let world: DeskWorld;
  beforeEach(async () => {
    world = await openDeskWorld(dialect);
  });

  const waiting = async () => {
    const chat = await world.store.chats.get(world.tea.id, world.anna.id);
    return (chat as { unanswered_since?: number } | undefined)?.unanswered_since ?? 0;
  };

  it('tells a customer once per absence that nobody is there, in their language', async () => {
    const { clock, heardBy, sandbox, say, set } = world;
    // Only the hour that begins in half an hour is a working hour.
    const clockAt = (ms: number) => new Date(clock.now() + ms).toISOString().slice(11, 16);
    const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
    const times = [{ days, start: clockAt(hourMs / 2), end: clockAt(1.5 * hourMs) }];
    const away_replies = [
      { language: '', text: 'We are away.' },
      { language: 'de', text: 'Wir sind nicht da.' },
    ];
    await set({ working_hours: { timezone: 'UTC', times }, away_replies });
    const karl = sandbox.createUser({ first_name: 'Karl', language_code: 'de-AT' });
    await say('hello');
    await say('hello?');
    await say('Hallo', karl);
    expect([heardBy(), heardBy(karl)]).toEqual([['We are away.'], ['Wir sind nicht da.']]);
    expect(await waiting()).toBeGreaterThan(0);
    await clock.advance(hourMs);
    await say('and now?');
    expect(heardBy()).toHaveLength(1);
    await clock.advance(hourMs);
    await say('too late?');
    await say('hello?');
    expect(heardBy()).toEqual(['We are away.', 'We are away.']);
  });

  it('obeys a listed person, and tells a banned customer once', async () => {
    const { answer, forum, heardBy, inForum, rig, sandbox, say, set, topics } = world;
    const ben = sandbox.createUser({ first_name: 'Ben' });
    sandbox.addMember(rig.agent, forum.id, ben.id);
    const ban_replies = [{ language: '', text: 'You cannot write here any more.' }];
    await set({ person_ids: [ben.id], ban_replies });
    await say('buy now');
    sandbox.say(ben.id, forum.id, '/ban', { topicId: topics().at(-1) as number });
    await rig.settle();
    await answer('/ban');
    await say('really, buy now');
    expect(heardBy()).toEqual(['You cannot write here any more.']);
    expect(inForum().map(([, text]) => text)).not.toContain('really, buy now');
    await answer('/unban');
    await say('sorry');
    expect(inForum().at(-1)?.[1]).toBe('sorry');
  });

  it('does not count banned customers as waiting, whatever they send', async () => {
    const { anna, answer, clock, inForum, rig, sandbox, say, store, tea } = world;
    await store.bots.update(tea.id, { handoff: ['buy'] }, clock.now());
    await say('buy');
    expect(await waiting()).toBeGreaterThan(0);
    await answer('/ban');
    expect(await waiting()).toBe(0);
    await world.callFromPage('sendMessage', {
      text: 'Menu',
      reply_markup: { inline_keyboard: [[{ text: 'Talk to a person', callback_data: 'human' }]] },
    });
    const menu = sandbox.history(anna.id, tea.platformId).at(-1)?.message.message_id as number;
    const shown = inForum().length;
    for (const act of [
      () => sandbox.say(anna.id, tea.platformId, 'buy'),
      () => sandbox.press(anna.id, tea.platformId, menu, 'Talk to a person'),
    ]) {
      rig.changedChats.length = 0;
      act();
      await rig.settle();
      expect(await waiting()).toBe(0);
      expect(rig.changedChats).toEqual([{ botId: tea.id, chatId: anna.id }]);
    }
    expect(inForum()).toHaveLength(shown);
    const [row] = await store.engine.readRaw('select needs_person from chats where bot_id = $1', [
      tea.id,
    ]);
    expect(row).toEqual({ needs_person: 0 });
    await answer('/unban');
    sandbox.press(anna.id, tea.platformId, menu, 'Talk to a person');
    await rig.settle();
    expect(await waiting()).toBeGreaterThan(0);
    expect(inForum().at(-1)?.[1]).toContain('pressed “Talk to a person”');
  });

  it('knows who waits for an answer, and since when', async () => {
    const { answer, clock, deskId, say, store, tea, anna } = world;
    await say('hello?');
    const since = await waiting();
    const unanswered = (before: number) => store.desks.unanswered(deskId, before, clock.now());
    expect(await unanswered(since - 1)).toEqual({ count: 0, chats: [] });
    const chat = { bot_id: tea.id, chat_id: anna.id, name: 'Anna', since };
    expect(await unanswered(since)).toEqual({ count: 1, chats: [chat] });
    await answer('hello!');
    expect(await unanswered(since)).toEqual({ count: 0, chats: [] });
    // Who waits in two topics is one customer, and waits since the first.
    await store.engine.write(() =>
      raw(
        `insert into topics (bot_id, chat_id, thread_id, last_message_at, unanswered_since)
         values ($1, $2, 3, 1, $3), ($1, $2, 4, 1, $4)`,
        [tea.id, anna.id, since - 1, since],
      ),
    );
    expect(await unanswered(since)).toEqual({ count: 1, chats: [{ ...chat, since: since - 1 }] });
  });
});
