import { beforeEach, describe, expect, it } from 'vitest';
import { raw } from '../../../src/store/engine.ts';
import { eitherDialect } from '../../support/database/engines.ts';
import { type DeskWorld, openDeskWorld } from '../../support/rigs/desk-world.ts';

describe.each(eitherDialect)('the pinned card of a topic on %s', (dialect) => {
  let world: DeskWorld;
  beforeEach(async () => {
    world = await openDeskWorld(dialect);
  });

  const cards = () => world.shown().filter(({ text }) => text?.includes('Here since'));
  const card = () => cards().at(-1);
  const labels = (of = card()) =>
    of?.reply_markup?.inline_keyboard.map((row) => row.map(({ text }) => text));
  const notes = () => world.inForum().map(([, text]) => text);
  /** Returns what Telegram shows to the person who presses. */
  async function press(button: string, who = world.rig.agent, messageId = card()?.message_id) {
    const { forum, rig, sandbox } = world;
    const pressed = sandbox.press(who, forum.id, messageId ?? 0, button);
    await rig.settle();
    return pressed.type === 'callback' ? sandbox.callbackAnswer(pressed.id) : undefined;
  }
  const chat = () => world.store.chats.get(world.tea.id, world.anna.id);
  async function tag(label: string, userId = world.anna.id) {
    const { clock, store } = world;
    const added = { chat_id: userId, user_id: userId, username: '', tag: label, color: '' };
    return store.tags.add(added, [0], '#000000', clock.now());
  }
  const edits = async () => {
    const sql = `select count(*) as count from outbox where method = 'editMessageText'`;
    const [row] = await world.store.engine.readRaw<{ count: number }>(sql, []);
    return Number(row?.count);
  };

  it('has buttons that do what the commands do, and follows what they change', async () => {
    const { answer, rig, sandbox, say, topics, forum } = world;
    await say('hello');
    expect(labels()).toEqual([['Done', 'Assign to me'], ['Ban']]);
    await press('Assign to me');
    expect(await chat()).toMatchObject({ assignee: `person:${rig.agent}` });
    expect(card()?.text).toContain('Assigned to Agent.');
    await press('Ban');
    expect([labels()?.[1], card()?.text?.includes('Banned.')]).toEqual([['Unban'], true]);
    await say('buy now');
    expect(notes()).not.toContain('buy now');
    await press('Unban');
    await say('sorry');
    expect(notes().at(-1)).toBe('sorry');
    await rig.takeUp();
    expect(labels()?.[1]).toEqual(['Ban']);
    await press('Done');
    expect(await chat()).toMatchObject({ is_done: 1, unanswered_since: 0 });
    expect(labels()?.[0]).toEqual(['Assign to me']);
    const topic = sandbox.topics(rig.agent, forum.id).find((one) => one.message_thread_id > 1);
    expect(topic).toMatchObject({ isClosed: true });
    await say('one more thing');
    await rig.takeUp();
    expect(labels()?.[0]).toEqual(['Done', 'Assign to me']);
    await answer('/close');
    expect(labels()?.[0]).toEqual(['Assign to me']);
    expect([cards(), topics()].map(({ length }) => length)).toEqual([1, 1]);
    expect(
      notes()
        .filter((text) => text.startsWith('ℹ️'))
        .slice(0, 4),
    ).toEqual([
      'ℹ️ Assigned to Agent.',
      expect.stringContaining('Banned'),
      expect.stringContaining('No longer banned'),
      expect.stringContaining('Done'),
    ]);
  });

  it('obeys administrators and listed persons, on that card and with its own buttons only', async () => {
    const { anna, forum, helper, rig, sandbox, say, set } = world;
    const ben = sandbox.createUser({ first_name: 'Ben' });
    sandbox.addMember(rig.agent, forum.id, ben.id);
    await say('hello');
    const refused = await press('Ban', ben.id);
    expect(refused).toMatchObject({ showAlert: true, text: expect.stringContaining('/ban') });
    await set({ person_ids: [ben.id], language: 'ru' });
    const first = card();
    const rows = first?.reply_markup?.inline_keyboard as { callback_data: string }[][];
    const data = rows[1]?.[0]?.callback_data ?? '';
    let updates = 9_000;
    const forged = (words: string, messageId: number, chatId = forum.id) =>
      rig.receive(helper, {
        update_id: ++updates,
        callback_query: {
          id: String(updates),
          from: { id: ben.id, is_bot: false, first_name: 'Ben' },
          message: { message_id: messageId, date: 1, chat: { id: chatId, type: 'supergroup' } },
          chat_instance: '1',
          data: words,
        },
      } as never);
    const messageId = first?.message_id ?? 0;
    await forged(data, messageId + 1);
    await forged(data.replace(/:[\w-]{16}:/, `:${'a'.repeat(16)}:`), messageId);
    await forged(data.replace('desk:1:', 'desk:2:'), messageId);
    await forged(data, messageId, -100777);
    expect(notes()).toEqual(['hello']);
    expect(await press('Ban', ben.id)).not.toHaveProperty('text');
    expect(notes().at(-1)).toContain('Заблокирован');
    expect(world.shown().some(({ text }) => text?.includes('Заблокирован.'))).toBe(true);
    await world.store.chats.forget(world.tea.id, anna.id, 1_000);
    const before = notes();
    await forged(data, messageId);
    expect(notes()).toEqual(before);
  });

  it('is edited once for all that changed, some cards of a desk at a time', async () => {
    const { anna, answer, rig, sandbox, say, store, tea, clock } = world;
    const others = ['Ben', 'Carl', 'Dora', 'Emil'].map((name) =>
      sandbox.createUser({ first_name: name }),
    );
    for (const person of [anna, ...others]) await say('hello', person);
    await rig.takeUp();
    expect(await edits()).toBe(0);
    const vip = await tag('vip');
    await tag('paid');
    await store.notes.add({
      bot_id: tea.id,
      user_id: anna.id,
      text: 'likes green tea',
      author: 'Olga',
      created_at: clock.now(),
    });
    // Two nodes look at once.
    await Promise.all([1, 2].map(() => rig.takeUp()));
    expect(await edits()).toBe(1);
    expect(cards()[0]?.text).toMatch(/Tags: vip, paid\.[^]*Note: likes green tea\./);
    await store.tags.remove(vip.id, null);
    await rig.takeUp();
    await rig.takeUp();
    expect([await edits(), cards()[0]?.text?.includes('vip')]).toEqual([2, false]);
    for (const { id } of [anna, ...others]) await tag('all', id);
    await rig.takeUp();
    expect(cards().filter(({ text }) => text?.includes('all'))).toHaveLength(3);
    await rig.takeUp();
    expect(cards().filter(({ text }) => text?.includes('all'))).toHaveLength(5);
    // The first answer assigns the conversation.
    await answer('I am on it');
    await rig.takeUp();
    expect(cards().at(-1)?.text).toContain('Assigned to Agent.');
  });

  it('is made for an imported topic by /info, and edits of one that somebody deleted hold up nothing', async () => {
    const { anna, deskId, forum, helper, rig, sandbox, say, store, tea, clock } = world;
    const made = (await world.telegram.call(helper.token, 'createForumTopic', {
      chat_id: forum.id,
      name: 'Anna',
    })) as { message_thread_id: number };
    const topic = { userId: anna.id, threadId: made.message_thread_id, name: 'Anna' };
    await store.engine.write(() =>
      store.desks.importTopics(deskId, tea.id, [{ ...topic, banned: false, closed: false }], {
        dryRun: false,
        nowMs: clock.now(),
      }),
    );
    await say('hello');
    expect(cards()).toEqual([]);
    sandbox.say(rig.agent, forum.id, '/info', { topicId: made.message_thread_id });
    await rig.settle();
    const card = cards().find(({ reply_markup: markup }) => markup !== undefined);
    expect(labels(card)).toEqual([['Done', 'Assign to me'], ['Ban']]);
    await press('Ban', rig.agent, card?.message_id);
    await press('Unban', rig.agent, card?.message_id);
    sandbox.delete(rig.agent, forum.id, card?.message_id ?? 0);
    await tag('vip');
    await rig.takeUp();
    await say('still there?');
    expect(notes().at(-1)).toBe('still there?');
  });

  it('keeps its buttons if somebody asks for it before it is written, and shows what changed meanwhile', async () => {
    const { answer, helper, lookAgain, rig, sandbox, say } = world;
    const fault = { kind: 'unauthorized', botId: helper.platformId, times: 1 } as const;
    sandbox.fault({ ...fault, method: 'sendMessage' });
    await say('hello');
    await answer('/info');
    await tag('vip');
    expect(cards()).toEqual([]);
    await lookAgain();
    await rig.takeUp();
    const made = cards().find(({ reply_markup: markup }) => markup !== undefined);
    expect(made?.text).toContain('Tags: vip.');
    await press('Ban', rig.agent, made?.message_id);
    expect(notes().at(-1)).toContain('Banned');
  });

  it('is made again by /info if somebody deleted it', async () => {
    const { answer, forum, rig, sandbox, say } = world;
    await say('hello');
    sandbox.delete(rig.agent, forum.id, card()?.message_id ?? 0);
    await answer('/info');
    const made = cards().findLast(({ reply_markup: markup }) => markup !== undefined);
    await press('Ban', rig.agent, made?.message_id);
    expect(notes().at(-1)).toContain('Banned');
    expect(cards()).toHaveLength(2);
  });

  it('is made again once for all who ask before Telegram says that it is gone', async () => {
    const { forum, rig, sandbox, say, topics } = world;
    await say('hello');
    const topicId = topics()[0] as number;
    sandbox.delete(rig.agent, forum.id, card()?.message_id ?? 0);
    for (const text of ['/info', '/assign', '/info']) {
      sandbox.say(rig.agent, forum.id, text, { topicId });
    }
    await rig.settle();
    await tag('vip');
    await rig.takeUp();
    const made = cards().filter(({ reply_markup: markup }) => markup !== undefined);
    expect(made.map(({ text }) => text)).toEqual([
      expect.stringMatching(/Tags: vip\.[^]*Assigned to Agent\./),
    ]);
  });

  it('waits as one edit while the desk bot is out of the group, and no customer waits for it', async () => {
    const { forum, helper, lookAgain, rig, sandbox, say, store } = world;
    await say('hello');
    const edits = `select 1 from desk_items where call like '%editMessageText%'`;
    sandbox.removeMember(rig.agent, forum.id, helper.platformId);
    for (const label of ['vip', 'paid', 'tall']) {
      await tag(label);
      await rig.takeUp();
    }
    expect(await store.engine.readRaw(edits, [])).toHaveLength(1);
    expect(await store.desks.waiting()).toEqual([]);
    await say('anybody?');
    expect(await store.desks.waiting()).toMatchObject([{ customers: 1 }]);
    sandbox.promote(rig.agent, forum.id, helper.platformId);
    await lookAgain();
    expect(card()?.text).toContain('Tags: vip, paid, tall.');
    expect(notes().at(-1)).toBe('anybody?');
  });

  it('names the other bots of the desk that the customer uses, and since when they are here', async () => {
    const { anna, answer, clock, deskId, rig, sandbox, say, store, tea } = world;
    const [coffee, cake] = [await rig.addBot('coffee'), await rig.addBot('cake')];
    for (const { id } of [coffee, cake]) {
      await store.bots.update(id, { manage_enabled: true }, clock.now());
    }
    for (const bot of [coffee, cake]) sandbox.say(anna.id, bot.platformId, 'hi');
    await say('a day before');
    await store.engine.write(() => raw('update messages set date = 86400', []));
    const desk = await store.desks.get(deskId);
    if (!desk) throw new Error('no desk');
    await store.engine.write(() =>
      store.desks.saveStep(deskId, { ...desk, bot_ids: [tea.id, coffee.id] }, clock.now()),
    );
    for (const bot of [tea, coffee]) await rig.reload(bot);
    await answer('/info');
    expect(card()?.text).toContain('Here since 1970-01-02.');
    // Bots of other desks, and of none, are not for this team to know.
    expect(card()?.text).toContain('Also writes to: coffee.');
    const ben = sandbox.createUser({ first_name: 'Ben' });
    await say('hello', ben);
    expect(card()?.text).not.toContain('Also');
    sandbox.say(ben.id, coffee.platformId, 'hi');
    await rig.settle();
    await rig.takeUp();
    const bens = cards().filter(({ text }) => text?.includes('Ben'));
    expect(bens.map(({ text }) => /Also writes to: .*/.exec(text ?? '')?.[0])).toEqual([
      'Also writes to: coffee.',
      'Also writes to: tea.',
    ]);
  });

  it('does not take a conversation that somebody else has, unless confirmed', async () => {
    const { answer, forum, rig, sandbox, say, set, topics } = world;
    const ben = sandbox.createUser({ first_name: 'Ben' });
    sandbox.addMember(rig.agent, forum.id, ben.id);
    await set({ person_ids: [ben.id] });
    await say('hello');
    await answer('I am on it');
    await press('Assign to me', ben.id);
    expect(notes().at(-1)).toContain('Agent has this conversation.');
    expect(await chat()).toMatchObject({ assignee: `person:${rig.agent}` });
    sandbox.say(ben.id, forum.id, '/assign confirm', { topicId: topics()[0] as number });
    await rig.settle();
    expect(await chat()).toMatchObject({ assignee: `person:${ben.id}` });
    await press('Assign to me', ben.id);
    expect(notes().at(-1)).toContain('Assigned to Ben.');
  });

  it('follows changes while another topic of the desk is stuck, or ended with a forgotten customer', async () => {
    const { anna, forum, helper, rig, sandbox, say, store, tea, topics } = world;
    const ben = sandbox.createUser({ first_name: 'Ben' });
    await say('hello');
    await say('hi', ben);
    const topicId = topics()[0] as number;
    await store.chats.forget(tea.id, anna.id, 1_000);
    sandbox.say(rig.agent, forum.id, 'are you there?', { topicId });
    sandbox.removeTopic(rig.agent, forum.id, topicId);
    await rig.settle();
    expect(await store.engine.readRaw('select 1 from desk_items', [])).toEqual([]);
    sandbox.promote(rig.agent, forum.id, helper.platformId, { can_pin_messages: true });
    await say('I am new', sandbox.createUser({ first_name: 'Carl' }));
    expect(await store.desks.waiting()).toMatchObject([{ customers: 1 }]);
    await tag('vip', ben.id);
    await rig.takeUp();
    expect(card()?.text).toContain('Tags: vip.');
  });

  it('is made again by /info after the desk bot changed or the forum moved, and what has its number is left alone', async () => {
    const { anna, answer, deskId, forum, rig, sandbox, say, store, clock } = world;
    await say('hello');
    const before = card()?.text;
    const other = await rig.addBot('other', { manage_enabled: true });
    sandbox.promote(rig.agent, forum.id, other.platformId);
    const desk = await store.desks.get(deskId);
    if (!desk) throw new Error('no desk');
    await store.engine.write(() =>
      store.desks.saveStep(deskId, { ...desk, desk_bot_id: other.id }, clock.now()),
    );
    for (const bot of [world.tea, world.helper, other]) await rig.reload(bot);
    await tag('vip');
    await rig.takeUp();
    expect([await edits(), card()?.text]).toEqual([0, before]);
    await answer('/info');
    const made = cards().findLast(({ reply_markup: markup }) => markup !== undefined);
    expect(made?.text).toContain('Tags: vip.');
    await press('Ban', rig.agent, made?.message_id);
    expect(notes().at(-1)).toContain('Banned');
    await store.desks.follow(forum.id, -1_009_999, clock.now());
    await tag('moved', anna.id);
    const count = await edits();
    await rig.takeUp();
    expect(await edits()).toBe(count);
  });
});
