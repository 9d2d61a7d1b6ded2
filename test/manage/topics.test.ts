import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialects } from '../support/database/engines.ts';
import {
  type Caller,
  type ManagedBot,
  type ManagedChats,
  startManagedChats,
} from '../support/rigs/managed-chats.ts';

interface Refused {
  error: string;
  params: { refusal: string };
}

/* Where sends into topics break on Telegram, as a client of the relay sees it. */
describe.each(dialects)('sends into topics on %s', (dialect) => {
  let rig: ManagedChats;
  let user: Caller;
  let bot: ManagedBot;
  let owner: { id: number };
  let forum: { id: number };

  beforeAll(async () => {
    rig = await startManagedChats(dialect);
    user = await rig.asUser('send');
    bot = await rig.addManagedBot();
    owner = rig.sandbox.createUser({ first_name: 'Olga' });
    forum = rig.sandbox.createChat({ title: 'Team', owner: owner.id, isForum: true });
    rig.sandbox.promote(owner.id, forum.id, bot.platformId);
  });
  afterAll(() => rig.close());

  const topic = (name: string) => rig.sandbox.createTopic(owner.id, forum.id, { name });
  const send = <T = Record<string, unknown>>(message_thread_id?: number, more: object = {}) =>
    user.post<T>('/api/messages/send', {
      bot_id: bot.id,
      chat_id: forum.id,
      text: 'hello',
      ...(message_thread_id === undefined ? {} : { message_thread_id }),
      ...more,
    });
  const refused = async (message_thread_id: number, more: object = {}) => {
    const { status, body } = await send<Refused>(message_thread_id, more);
    expect(status).toBe(422);
    return [body.params.refusal, body.error];
  };
  const topics = async (chat_id = forum.id, bot_id = bot.id) => {
    await rig.clock.advance(1);
    const query = `bot_id=${bot_id}&chat_id=${chat_id}`;
    const { body } = await user.get<Record<string, unknown>[]>(`/api/chats/topics?${query}`);
    return new Map(body.map((one) => [one['message_thread_id'], one]));
  };

  it('arrive there, and General is named by 1', async () => {
    const id = topic('Refunds');
    expect(await send(id)).toMatchObject({ status: 200, body: { message_thread_id: id } });
    expect(await send(1)).toMatchObject({ status: 200, body: { message_thread_id: 1 } });
    await rig.receive(bot);
    expect((await topics()).get(id)).toMatchObject({ name: 'Refunds', gone: false });
    const inTopic = `bot_id=${bot.id}&chat_id=${forum.id}&message_thread_id=${id}`;
    const { body } = await user.get<{ text: string }[]>(`/api/messages?${inTopic}`);
    expect(body.map(({ text }) => text)).toEqual(['hello', '']);
  });

  it('say that a topic was deleted, and the topic is gone', async () => {
    const id = topic('Orders');
    await send(id);
    rig.sandbox.removeTopic(owner.id, forum.id, id);
    expect(await refused(id)).toEqual(['topic_gone', expect.stringContaining('was deleted')]);
    expect((await topics()).get(id)).toMatchObject({ gone: true });
    await rig.clock.advance(60_000);
    expect((await refused(id))[0]).toBe('topic_gone');
  });

  it('make no topic of one that is not known', async () => {
    expect((await refused(99))[0]).toBe('topic_gone');
    expect((await topics()).has(99)).toBe(false);
  });

  it('say that the bot lost its right, and work again once the topic is open', async () => {
    const id = topic('Closed');
    const member = await rig.addManagedBot();
    rig.sandbox.promote(owner.id, forum.id, member.platformId);
    rig.sandbox.changeTopic(owner.id, forum.id, id, { isClosed: true });
    const by = { bot_id: member.id };
    expect((await send(id, by)).status).toBe(200);
    rig.sandbox.promote(owner.id, forum.id, member.platformId, { can_pin_messages: true });
    expect(await refused(id, by)).toEqual(['topic_closed', expect.stringContaining('Reopen it')]);
    rig.sandbox.changeTopic(owner.id, forum.id, id, { isClosed: false });
    expect((await send(id, by)).status).toBe(200);
  });

  it('follow a group that became a forum, and say where it is', async () => {
    const members = [bot.platformId];
    const old = rig.sandbox.createChat({ type: 'group', title: 'Room', owner: owner.id, members });
    rig.sandbox.say(owner.id, old.id, '/hello');
    await rig.receive(bot);
    const { id: next } = rig.sandbox.upgradeGroup(owner.id, old.id);
    rig.sandbox.enableTopics(owner.id, next);
    const plans = rig.sandbox.createTopic(owner.id, next, { name: 'Plans' });
    expect(await refused(plans, { chat_id: old.id })).toEqual([
      'upgraded',
      expect.stringContaining('has a new ID'),
    ]);
    await rig.receive(bot);
    expect((await send(plans, { chat_id: next })).status).toBe(200);
    expect((await topics(next)).get(plans)).toMatchObject({ name: 'Plans', gone: false });
  });

  it('say that the first message is gone, though people still write there', async () => {
    const id = topic('Old');
    await rig.receive(bot);
    rig.sandbox.pruneTopic(owner.id, forum.id, id);
    expect((await refused(id))[0]).toBe('topic_gone');
    rig.sandbox.say(owner.id, forum.id, 'I can', { topicId: id });
    await rig.receive(bot);
    expect((await topics()).get(id)).toMatchObject({ gone: true, last_message: { text: 'I can' } });
  });

  it('say that a person switched topics off, until they are back', async () => {
    const { token, id: platformId } = rig.sandbox.createBot({ hasTopics: true });
    const record = { token, source: 'web', manage_enabled: true, platform_id: platformId } as const;
    const { id } = await rig.store.bots.insert(record, 1);
    const ann = rig.sandbox.createUser({ first_name: 'Ann' });
    rig.sandbox.say(ann.id, platformId, '/start');
    const trip = rig.sandbox.createTopic(ann.id, platformId, { name: 'Trip' });
    await rig.receive({ id, token, platformId });
    const to = { bot_id: id, chat_id: ann.id };
    rig.sandbox.enableTopics(ann.id, platformId, false);
    expect(await refused(trip, to)).toEqual([
      'topic_gone',
      expect.stringContaining('switched topics off'),
    ]);
    expect((await topics(ann.id, id)).get(trip)).toMatchObject({ gone: true });
    rig.sandbox.enableTopics(ann.id, platformId);
    expect((await send(trip, to)).status).toBe(200);
    expect((await topics(ann.id, id)).get(trip)).toMatchObject({ gone: false });
  });
});
