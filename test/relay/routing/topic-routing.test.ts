import { beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../sandbox/src/index.ts';
import type { Store } from '../../../src/store/store.ts';
import { dialects } from '../../support/database/engines.ts';
import type { RigBot, RoutingRig } from '../../support/rigs/routing-rig.ts';
import { openRoutingWorld } from '../../support/rigs/routing-world.ts';

describe.each(dialects)('routes and topics on %s', (dialect) => {
  let store: Store;
  let sandbox: Sandbox;
  let rig: RoutingRig;
  let front: RigBot;
  let back: RigBot;
  let forum: { id: number };
  let refunds: number;
  let ann: { id: number };

  beforeEach(async () => {
    ({ store, sandbox, rig } = await openRoutingWorld(dialect, { seed: 38 }));
    const { id: platformId, token } = sandbox.createBot({ hasTopics: true, privacyMode: false });
    const { id } = await store.bots.insert({ token, name: 'front', source: 'web' }, 1);
    front = { id, platformId, token, name: 'front' };
    await rig.adopt(front);
    back = await rig.addBot('back');
    forum = sandbox.createChat({ title: 'Team', owner: rig.agent, isForum: true });
    sandbox.promote(rig.agent, forum.id, back.platformId);
    refunds = sandbox.createTopic(rig.agent, forum.id, { name: 'Refunds' });
    ann = sandbox.createUser({ first_name: 'Ann' });
  });

  const said = (by: RigBot, user: { id: number }, chatId: number) =>
    sandbox
      .history(user.id, chatId)
      .map(({ message }) => message)
      .filter((message) => message.from?.id === by.platformId)
      .map(({ text, message_thread_id }) => [text, message_thread_id]);

  it('a message goes into a topic, and its answer back into the topic it came from', async () => {
    const to = { target_chat_id: forum.id, target_thread_id: refunds };
    await rig.route(front, back, { action: 'copy', ...to });
    sandbox.say(ann.id, front.platformId, '/start');
    const trip = sandbox.createTopic(ann.id, front.platformId, { name: 'Trip' });
    await rig.settle();
    sandbox.say(ann.id, front.platformId, 'money back', { topicId: trip });
    await rig.settle();
    const inTopic = sandbox
      .history(rig.agent, forum.id)
      .map(({ message }) => message)
      .findLast(({ text }) => text === 'money back');
    expect(inTopic).toMatchObject({ message_thread_id: refunds, is_topic_message: true });
    const replyTo = inTopic?.message_id as number;
    sandbox.say(rig.agent, forum.id, 'of course', { replyTo, topicId: refunds });
    await rig.settle();
    expect(said(front, ann, front.platformId)).toContainEqual(['of course', trip]);
    const decisions = await store.routing.decisions.list({ botIds: null, limit: 9 });
    expect(decisions.map(({ matched }) => JSON.parse(matched) as object[])).toContainEqual([
      expect.objectContaining({ action: 'return', target_thread_id: trip }),
    ]);
  });

  it('only messages of the topic are taken, also of General', async () => {
    const room = rig.group('Archive', [back]);
    const from = { source_chat_id: forum.id, target_chat_id: room.id };
    await rig.route(back, back, { ...from, source_thread_id: refunds });
    sandbox.say(rig.agent, forum.id, 'in General');
    sandbox.say(rig.agent, forum.id, 'in Refunds', { topicId: refunds });
    await rig.settle();
    expect(rig.textsIn(room)).toEqual(['in Refunds']);
    await rig.route(back, back, { ...from, source_thread_id: 1 });
    sandbox.say(rig.agent, forum.id, 'in General again');
    await rig.settle();
    expect(rig.textsIn(room)).toEqual(['in Refunds', 'in General again']);
  });

  it('a message that stays in its group stays in its topic; General has no ID in sends', async () => {
    sandbox.promote(rig.agent, forum.id, front.platformId);
    await rig.route(front, back, { source_chat_id: forum.id });
    await rig.route(front, back, { target_chat_id: forum.id, target_thread_id: 1 });
    sandbox.say(rig.agent, forum.id, 'hello', { topicId: refunds });
    await rig.settle();
    expect(said(back, { id: rig.agent }, forum.id)).toEqual([
      ['hello', refunds],
      ['hello', undefined],
    ]);
  });
});
