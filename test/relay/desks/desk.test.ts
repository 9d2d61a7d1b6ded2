import type { Message } from '@grammyjs/types';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../sandbox/src/index.ts';
import type { Store } from '../../../src/store/store.ts';
import { enqueueIntent } from '../../../src/store/outbox/outbox.ts';
import { dialects } from '../../support/database/engines.ts';
import type { ManualClock } from '../../support/manual-clock.ts';
import type { RigBot, RoutingRig } from '../../support/rigs/routing-rig.ts';
import { openRoutingWorld } from '../../support/rigs/routing-world.ts';

const card = 'Here since';

describe.each(dialects)('a desk on %s', (dialect) => {
  let store: Store;
  let sandbox: Sandbox;
  let rig: RoutingRig;
  let clock: ManualClock;
  let tea: RigBot;
  let helper: RigBot;
  let forum: { id: number };
  let anna: { id: number };
  let deskId: number;

  beforeEach(async () => {
    ({ store, sandbox, rig, clock } = await openRoutingWorld(dialect, { seed: 39 }));
    tea = await rig.addBot('tea', { manage_enabled: true });
    helper = await rig.addBot('helper', { manage_enabled: true });
    forum = sandbox.createChat({ title: 'Team', owner: rig.agent, isForum: true });
    sandbox.promote(rig.agent, forum.id, helper.platformId);
    anna = sandbox.createUser({ first_name: 'Anna' });
    deskId = await rig.desk({
      desk_bot_id: helper.id,
      chat_id: forum.id,
      bot_ids: [tea.id],
    });
  });

  const shown = () =>
    sandbox
      .history(rig.agent, forum.id)
      .map(({ message }) => message as Message & { text?: string });
  const topics = () => [
    ...new Set(shown().flatMap(({ message_thread_id: id }) => (id === undefined ? [] : [id]))),
  ];
  const inForum = () =>
    shown().flatMap(({ text, message_thread_id: id }) =>
      text === undefined || text.includes(card) ? [] : [[topics().indexOf(id ?? 0), text]],
    );
  const heardBy = (person: { id: number }) =>
    sandbox
      .history(person.id, tea.platformId)
      .flatMap(({ message }) => (message.from?.is_bot ? [message.text] : []));

  async function say(text: string): Promise<void> {
    sandbox.say(anna.id, tea.platformId, text);
    await rig.settle();
  }

  async function answer(text: string, more: { replyTo?: number } = {}): Promise<void> {
    sandbox.say(rig.agent, forum.id, text, { topicId: topics().at(-1) as number, ...more });
    await rig.settle();
  }

  it('opens one topic for a customer, named after the person, and carries text both ways', async () => {
    await say('hello');
    await say('is anybody there?');
    await answer('yes, we are');
    expect(inForum()).toEqual([
      [0, 'hello'],
      [0, 'is anybody there?'],
      [0, 'yes, we are'],
    ]);
    expect(shown().find((one) => one.forum_topic_created)?.forum_topic_created?.name).toBe('Anna');
    expect(heardBy(anna)).toEqual(['yes, we are']);
    const [sent] = await store.engine.readRaw<{ author: string }>(
      `select author from messages where bot_id = $1 and origin = 'routed'`,
      [tea.id],
    );
    expect(JSON.parse(sent?.author ?? '{}')).toMatchObject({
      kind: 'desk',
      id: deskId,
      person: { id: rig.agent },
    });
  });

  it('is told apart from apps: what is said in its topics is for no other reader', async () => {
    await say('hello');
    await answer('hi');
    sandbox.say(rig.agent, forum.id, 'in General');
    await rig.settle();
    const rows = await store.engine.readRaw<{ claimed_by: number; raw: string }>(
      'select claimed_by, raw from log where bot_id = $1 order by position',
      [helper.id],
    );
    const claimOf = (text: string) => rows.find(({ raw }) => raw.includes(`"${text}"`))?.claimed_by;
    expect([claimOf('hi'), claimOf('in General')]).toEqual([-1, 0]);
  });

  it('leaves an ordinary topic of one forum alone that has the number of a customer in another', async () => {
    const coffee = await rig.addBot('coffee', { manage_enabled: true });
    const other = sandbox.createChat({ title: 'Second', owner: rig.agent, isForum: true });
    sandbox.promote(rig.agent, other.id, helper.platformId);
    await rig.desk({ desk_bot_id: helper.id, chat_id: other.id, bot_ids: [coffee.id] });
    await say('hello');
    const [customers] = topics() as [number];
    let topicId = 0;
    while (topicId < customers) {
      topicId = sandbox.createTopic(rig.agent, other.id, { name: 'Plans' });
    }
    expect(topicId).toBe(customers);
    sandbox.say(rig.agent, other.id, 'for our app', { topicId });
    await answer('for Anna');
    const claimOf = async (text: string) => {
      const [row] = await store.engine.readRaw<{ claimed_by: number }>(
        `select claimed_by from log where bot_id = $1 and raw like $2`,
        [helper.id, `%"${text}"%`],
      );
      return row?.claimed_by;
    };
    expect([await claimOf('for our app'), await claimOf('for Anna')]).toEqual([0, -1]);
    expect(heardBy(anna)).toEqual(['for Anna']);
  });

  it('makes a deleted topic again and goes on in it, in order', async () => {
    await say('one');
    sandbox.removeTopic(rig.agent, forum.id, topics()[0] as number);
    sandbox.say(anna.id, tea.platformId, 'two');
    sandbox.say(anna.id, tea.platformId, 'three');
    await rig.settle();
    await say('four');
    await answer('got it');
    expect(inForum()).toEqual([
      [0, 'two'],
      [0, 'three'],
      [0, 'four'],
      [0, 'got it'],
    ]);
    expect(heardBy(anna)).toEqual(['got it']);
    const rows = await store.engine.readRaw('select 1 from desk_topics', []);
    expect(rows).toHaveLength(1);
  });

  it('reopens a closed topic when the customer writes, and leaves a new name alone', async () => {
    await say('one');
    const [topic] = topics() as [number];
    sandbox.changeTopic(rig.agent, forum.id, topic, { name: 'VIP Anna', isClosed: true });
    await rig.settle();
    await say('two');
    expect(topics()).toEqual([topic]);
    expect(
      sandbox.topics(rig.agent, forum.id).find(({ message_thread_id: id }) => id === topic),
    ).toMatchObject({
      name: 'VIP Anna',
      isClosed: false,
    });
    expect(inForum().map(([, text]) => text)).toEqual([
      'one',
      expect.stringContaining('The customer is back'),
      'two',
    ]);
  });

  it('gets nothing that a route drops, and keeps notes, commands and bots from the customer', async () => {
    await rig.route(tea, tea, {
      action: 'drop',
      condition_type: 'keyword',
      condition_value: 'spam',
    });
    await say('spam');
    expect(topics()).toEqual([]);
    await say('hello');
    await answer('// she wrote before');
    await answer('/nothing');
    await answer('yes?');
    expect(heardBy(anna)).toEqual(['yes?']);
    expect(inForum().map(([, text]) => text)).toContainEqual(
      expect.stringContaining('no command /nothing'),
    );
  });

  it('never repeats an answer that may have arrived, and says so in the topic', async () => {
    await say('hello');
    sandbox.fault({ kind: 'reset_after', botId: tea.platformId, method: 'sendMessage', times: 1 });
    await answer('42');
    await rig.takeUp();
    expect(heardBy(anna)).toEqual(['42']);
    expect(inForum().at(-1)?.[1]).toContain('Nobody knows whether the customer got this');
  });

  it('repeats what may not have reached the topic, marked, and the opening of a topic', async () => {
    const once = { kind: 'reset_after', botId: helper.platformId, times: 1 } as const;
    sandbox.fault({ ...once, method: 'createForumTopic' });
    await say('hello');
    const [empty, topic] = sandbox
      .topics(rig.agent, forum.id)
      .filter(({ message_thread_id: id }) => id > 1);
    expect([empty?.name, topic?.name]).toEqual(['Anna', 'Anna']);
    expect(inForum()).toEqual([[topics().length - 1, 'hello']]);
    sandbox.fault({ ...once, method: 'sendMessage' });
    await say('are you there?');
    expect(
      inForum()
        .slice(1)
        .map(([, text]) => text),
    ).toEqual(['are you there?', 'are you there?', expect.stringContaining('may be here twice')]);
  });

  it('keeps what customers write while a right is missing', async () => {
    sandbox.promote(rig.agent, forum.id, helper.platformId, { can_delete_messages: true });
    const ben = sandbox.createUser({ first_name: 'Ben' });
    await say('one');
    await say('two');
    sandbox.say(ben.id, tea.platformId, 'and I');
    await rig.settle();
    expect(topics()).toEqual([]);
    expect(await store.desks.waiting()).toMatchObject([{ deskId, customers: 2 }]);
    sandbox.promote(rig.agent, forum.id, helper.platformId);
    await clock.advance(60_000);
    await rig.takeUp();
    await rig.takeUp();
    expect(
      inForum()
        .map(([, text]) => text)
        .sort(),
    ).toEqual(['and I', 'one', 'two']);
    expect(await store.desks.waiting()).toEqual([]);
  });

  it('carries albums, replies and edits both ways', async () => {
    await say('which one?');
    const asked = sandbox.history(anna.id, tea.platformId)[0]?.message.message_id as number;
    const copy = shown().find(({ text }) => text === 'which one?')?.message_id as number;
    await answer('this one', { replyTo: copy });
    const answered = sandbox.history(anna.id, tea.platformId).at(-1)?.message as Message;
    expect(answered.reply_to_message?.message_id).toBe(asked);
    sandbox.say(anna.id, tea.platformId, 'why?', { replyTo: answered.message_id });
    await rig.settle();
    expect(shown().at(-1)?.reply_to_message?.text).toBe('this one');

    sandbox.edit(anna.id, tea.platformId, asked, 'which two?');
    const mine = shown().find(({ text }) => text === 'this one')?.message_id as number;
    sandbox.edit(rig.agent, forum.id, mine, 'these two');
    await rig.settle();
    expect(shown().map(({ text }) => text)).toContain('which two?');
    expect(heardBy(anna)).toEqual(['these two']);

    sandbox.sendAlbum(anna.id, tea.platformId, [{ caption: 'a' }, { caption: 'b' }]);
    await clock.advance(1_000);
    await rig.settle();
    const parts = shown().filter(({ media_group_id: id }) => id !== undefined);
    expect(parts.map(({ caption }) => caption)).toEqual(['a', 'b']);
    expect(new Set(parts.map(({ media_group_id: id }) => id)).size).toBe(1);
  });

  it('shows what others answer, silently and with its author', async () => {
    await say('hello');
    const author = { kind: 'user', id: 3, name: 'Olga' } as const;
    await store.engine.write(() =>
      enqueueIntent(
        {
          botId: tea.id,
          chatId: anna.id,
          method: 'sendMessage',
          params: { chat_id: anna.id, text: 'from the page' },
          origin: 'sent',
          intentKey: 'page',
          priority: 'interactive',
          author,
        },
        clock.now(),
      ),
    );
    await rig.takeUp();
    expect(heardBy(anna)).toEqual(['from the page']);
    expect(inForum().at(-1)).toEqual([0, '↩️ Olga\nfrom the page']);
    await answer('as she says', { replyTo: shown().at(-1)?.message_id as number });
    const heard = sandbox.history(anna.id, tea.platformId).at(-1)?.message as Message;
    expect(heard.reply_to_message?.text).toBe('from the page');
  });

  it('obeys administrators: done, ban, notes and a card', async () => {
    await say('hello');
    const [topic] = topics() as [number];
    const pinned = sandbox.history(rig.agent, forum.id).filter((one) => one.pinned);
    expect(pinned.map(({ message }) => message.text)).toEqual([expect.stringContaining(card)]);
    const ben = sandbox.createUser({ first_name: 'Ben' });
    sandbox.addMember(rig.agent, forum.id, ben.id);
    // What Telegram does not say is no refusal, and is asked again.
    sandbox.fault({
      kind: 'server_error',
      botId: helper.platformId,
      method: 'getChatMember',
      times: 1,
    });
    for (const told of ['Telegram did not say', 'Only administrators']) {
      sandbox.say(ben.id, forum.id, '/close', { topicId: topic });
      await rig.settle();
      expect(inForum().at(-1)?.[1]).toContain(told);
    }
    expect(rig.changedChats).toEqual([]);
    await answer('/note pays by invoice');
    await answer('/info');
    expect(shown().at(-1)?.text).toContain('Note: pays by invoice.');
    // Any member may ask for the commands; only the one who writes it can be assigned.
    sandbox.say(ben.id, forum.id, '/help', { topicId: topic });
    await rig.settle();
    for (const command of ['/close', '/note', '/assign', '/info', '/del', '/ban', '/unban']) {
      expect(inForum().at(-1)?.[1]).toContain(command);
    }
    await answer('/assign Ben');
    expect(inForum().at(-1)?.[1]).toContain('Nothing changed');
    expect((await store.chats.get(tea.id, anna.id))?.assignee).toBe('');
    await answer('/assign');
    const state = async () =>
      (await store.chats.get(tea.id, anna.id)) as { is_done: number; assignee: string };
    expect((await state()).assignee).toBe(`person:${rig.agent}`);
    rig.changedChats.length = 0;
    await answer('/close');
    expect((await state()).is_done).toBe(1);
    expect(rig.changedChats).toContainEqual({ botId: tea.id, chatId: anna.id });
    expect(
      sandbox.topics(rig.agent, forum.id).find(({ message_thread_id: id }) => id === topic),
    ).toMatchObject({ isClosed: true });
    await say('one more thing');
    expect(
      inForum()
        .slice(-2)
        .map(([, text]) => text),
    ).toEqual([expect.stringContaining('The customer is back'), 'one more thing']);
    await answer('/ban');
    await say('buy now');
    expect(inForum().at(-1)?.[1]).toContain('Banned');
    expect(heardBy(anna)).toEqual([]);
  });
});
