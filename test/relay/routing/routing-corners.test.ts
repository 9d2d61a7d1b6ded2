import { beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../sandbox/src/index.ts';
import { alertAuthor } from '../../../src/core/messages/author.ts';
import { raw } from '../../../src/store/engine.ts';
import type { Store } from '../../../src/store/store.ts';
import { eitherDialect } from '../../support/database/engines.ts';
import { advanceUntil, type ManualClock } from '../../support/manual-clock.ts';
import type { RigBot, RoutingRig } from '../../support/rigs/routing-rig.ts';
import { openRoutingWorld } from '../../support/rigs/routing-world.ts';

describe.each(eitherDialect)('corners of routing on %s', (dialect) => {
  let store: Store;
  let sandbox: Sandbox;
  let clock: ManualClock;
  let isBusy: () => boolean;
  let rig: RoutingRig;
  let front: RigBot;
  let back: RigBot;
  let team: { id: number };
  let ann: { id: number };

  beforeEach(async () => {
    ({ store, sandbox, clock, isBusy, rig } = await openRoutingWorld(dialect, { seed: 31 }));
    front = await rig.addBot('front');
    back = await rig.addBot('back');
    team = rig.group('Team', [back]);
    ann = sandbox.createUser({ first_name: 'Ann' });
  });

  const edit = (message: { message_id: number }, text: string) =>
    sandbox.edit(ann.id, front.platformId, message.message_id, text);
  const toAnn = () => sandbox.history(ann.id, front.platformId).map(({ message }) => message);

  it('each of two routes into one chat has its own copy edited', async () => {
    await rig.route(front, back, { action: 'forward', target_chat_id: team.id });
    await rig.route(front, back, { action: 'copy', target_chat_id: team.id });
    const message = rig.say(ann, front, 'one');
    await rig.settle();
    edit(message, 'two');
    await rig.settle();
    expect(rig.textsIn(team)).toEqual(['Ann:\ntwo', 'two']);
  });

  describe('while a send into a channel is in flight', () => {
    let channel: { id: number };
    let sending: number;
    const post = (text: string) => sandbox.say(rig.agent, channel.id, text);
    const begin = async (method: string) =>
      (await store.outbox.begin(
        {
          botId: back.id,
          chatId: channel.id,
          method,
          params: {},
          origin: 'sent',
          intentKey: null,
          priority: 'interactive',
          author: alertAuthor,
        },
        'elsewhere',
        clock.now(),
      )) ?? 0;
    /** Long before the send is taken for lost. */
    const routed = async (text: string) => {
      const startedAt = clock.monotonic();
      const isThere = () => rig.textsIn(team).includes(text);
      await advanceUntil(clock, isThere, () => (isBusy() ? 0 : 10));
      expect(clock.monotonic() - startedAt).toBeLessThan(60_000);
    };
    const finish = () =>
      store.outbox.fail({ id: sending, node: 'elsewhere' }, 'failed', 'no', clock.now());

    beforeEach(async () => {
      channel = sandbox.createChat({ type: 'channel', title: 'News', owner: rig.agent });
      for (const bot of [front, back]) {
        sandbox.addMember(rig.agent, channel.id, bot.platformId);
        sandbox.promote(rig.agent, channel.id, bot.platformId);
      }
      await rig.route(front, back, { action: 'copy', target_chat_id: team.id });
    });

    it('other chats are routed, and the channel in its order afterwards', async () => {
      sending = await begin('sendVideo');
      post('one');
      rig.say(ann, front, 'from Ann');
      post('two');
      await rig.takeIn();
      await routed('from Ann');
      expect(rig.textsIn(team)).toEqual(['from Ann']);
      await finish();
      await rig.settle();
      expect(rig.textsIn(team)).toEqual(['from Ann', 'one', 'two']);
    });

    it('nothing is routed twice or lost when the router restarts', async () => {
      sending = await begin('sendVideo');
      post('one');
      rig.say(ann, front, 'from Ann');
      await rig.takeIn();
      await routed('from Ann');
      rig = await rig.restart();
      await finish();
      await rig.settle();
      expect(rig.textsIn(team)).toEqual(['from Ann', 'one']);
    });

    it('what makes no message holds up nothing', async () => {
      sending = await begin('pinChatMessage');
      post('one');
      await rig.takeIn();
      await routed('one');
      expect(rig.textsIn(team)).toEqual(['one']);
      await finish();
    });
  });

  it('rules are asked about messages, not about edits', async () => {
    const only = { condition_type: 'keyword', condition_value: 'refund' };
    await rig.route(front, back, { ...only, target_chat_id: team.id });
    await rig.route(front, back, { ...only, target_chat_id: team.id });
    const message = rig.say(ann, front, 'hello');
    await rig.settle();
    edit(message, 'a refund');
    await rig.settle();
    const decisions = await store.routing.decisions.list({ botIds: [front.id], limit: 5 });
    expect(decisions).toMatchObject([
      { outcome: 'none', asked: '', reason: 'The edited message was not forwarded.' },
      { outcome: 'none', asked: '1-2', reason: 'No route matched.' },
    ]);
    expect(rig.textsIn(team)).toEqual([]);
  });

  it('an edit that arrives together with its message is not lost', async () => {
    await rig.route(front, back, { action: 'copy', target_chat_id: team.id });
    edit(rig.say(ann, front, 'teh'), 'the');
    edit(rig.say(ann, front, 'adn'), 'and');
    await rig.settle();
    expect(rig.textsIn(team)).toEqual(['the', 'and']);
  });

  it('a text that leaves no room for the line keeps its words when it is edited', async () => {
    await rig.route(front, back, { action: 'forward', target_chat_id: team.id });
    const message = rig.say(ann, front, 'x'.repeat(4_096));
    await rig.settle();
    expect(rig.textsIn(team)).toEqual(['Ann:', 'x'.repeat(4_096)]);
    edit(message, 'y'.repeat(4_096));
    await rig.settle();
    expect(rig.textsIn(team)).toEqual(['Ann:', 'y'.repeat(4_096)]);
    // The line counts as the routed message.
    const [line] = rig.messagesIn(team);
    sandbox.say(rig.agent, team.id, 'so long!', { replyTo: line?.message_id ?? 0 });
    await rig.settle();
    expect(toAnn().at(-1)).toMatchObject({
      text: 'so long!',
      reply_to_message: { message_id: message.message_id },
    });
  });

  it('a caption longer than bots may write follows its picture', async () => {
    await rig.route(front, back, { action: 'forward', target_chat_id: team.id });
    rig.say(ann, front, '/start');
    const photo = sandbox.sendMedia(ann.id, front.platformId, { caption: 'z'.repeat(1_500) });
    await rig.settle();
    const carried = () => rig.messagesIn(team).slice(1);
    expect(carried().map((message) => message.caption ?? message.text)).toEqual([
      'Ann:',
      'z'.repeat(1_500),
    ]);
    expect(carried()[0]?.photo).toBeDefined();
    edit(photo, 'w'.repeat(1_500));
    await rig.settle();
    expect(carried()[1]?.text).toBe('w'.repeat(1_500));
  });

  it('what a person adds to their own message goes wherever the message went', async () => {
    const other = await rig.addBot('other');
    const second = rig.group('Second', [other]);
    await rig.route(front, back, { action: 'copy', target_chat_id: team.id });
    await rig.route(front, other, { action: 'copy', target_chat_id: second.id });
    const message = rig.say(ann, front, 'question');
    await rig.settle();
    sandbox.say(ann.id, front.platformId, 'and more', { replyTo: message.message_id });
    await rig.settle();
    for (const room of [team, second]) {
      expect(rig.messagesIn(room).at(-1)).toMatchObject({
        text: 'and more',
        reply_to_message: { text: 'question' },
      });
    }
  });

  it('return_mode latest goes one way only where one bot is both ends', async () => {
    const bob = sandbox.createUser({ first_name: 'Bob' });
    rig.say(bob, front, '/start');
    await rig.settle();
    const latest = { target_chat_id: bob.id, return_mode: 'latest', action: 'forward' };
    await rig.route(front, front, {
      ...latest,
      condition_type: 'user_id',
      condition_value: `${ann.id}`,
    });
    for (const text of ['first', 'second']) {
      rig.say(ann, front, text);
      await rig.settle();
    }
    const toBob = () =>
      sandbox.history(bob.id, front.platformId).map(({ message }) => message.text);
    // As a forward: the second was not taken for an answer to what Bob has.
    expect(toBob()).toEqual(['/start', 'Ann:\nfirst', 'Ann:\nsecond']);
    rig.say(bob, front, 'I see');
    await rig.settle();
    expect(toAnn().at(-1)?.text).toBe('I see');
  });

  it('an answer follows a group that became a supergroup', async () => {
    const owner = sandbox.createUser({ first_name: 'Owner' });
    const small = sandbox.createChat({ type: 'group', title: 'Small', owner: owner.id });
    sandbox.addMember(owner.id, small.id, front.platformId);
    await rig.route(front, back, { action: 'copy', target_chat_id: team.id });
    sandbox.say(owner.id, small.id, 'question');
    await rig.settle();
    const carried = rig.messagesIn(team).at(-1);
    const large = sandbox.upgradeGroup(owner.id, small.id);
    sandbox.say(rig.agent, team.id, 'answer', { replyTo: carried?.message_id ?? 0 });
    await rig.settle();
    const inLarge = () => sandbox.history(owner.id, large.id).map(({ message }) => message);
    expect(inLarge().at(-1)).toMatchObject({ text: 'answer', from: { id: front.platformId } });
    // And from there on again.
    sandbox.say(owner.id, large.id, 'thanks', { replyTo: inLarge().at(-1)?.message_id ?? 0 });
    await rig.settle();
    expect(rig.messagesIn(team).at(-1)).toMatchObject({
      text: 'thanks',
      reply_to_message: { text: 'answer' },
    });
  });

  it('a bot that had nothing to route for a while does not begin with the past', async () => {
    await rig.route(front, back, { action: 'copy', target_chat_id: team.id });
    rig.say(ann, front, 'routed');
    await rig.settle();
    // Nothing is left of it: no routes, and the pairs have grown old.
    await store.engine.write(() => raw('delete from routes'));
    await store.engine.write(() => raw('delete from message_pairs'));
    rig = await rig.restart();
    rig.say(ann, front, 'between the times');
    await rig.settle();
    await rig.route(front, back, { action: 'copy', target_chat_id: team.id });
    rig.say(ann, front, 'routed again');
    await rig.settle();
    expect(rig.textsIn(team)).toEqual(['routed', 'routed again']);
  });
});
