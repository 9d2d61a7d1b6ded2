import { beforeEach, describe, expect, it } from 'vitest';
import { dialects } from '../../support/database/engines.ts';
import { type DeskWorld, openDeskWorld } from '../../support/rigs/desk-world.ts';

describe.each(dialects)('the pinned card of a topic on %s', (dialect) => {
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
