import { beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../sandbox/src/index.ts';
import type { Store } from '../../../src/store/store.ts';
import { dialects } from '../../support/database/engines.ts';
import type { ManualClock } from '../../support/manual-clock.ts';
import type { RoutingRig } from '../../support/rigs/routing-rig.ts';
import { openRoutingWorld } from '../../support/rigs/routing-world.ts';

describe.each(dialects)('routing on %s', (dialect) => {
  let store: Store;
  let sandbox: Sandbox;
  let clock: ManualClock;
  let rig: RoutingRig;

  beforeEach(async () => {
    ({ store, sandbox, clock, rig } = await openRoutingWorld(dialect, { seed: 3 }));
  });

  it('forwards with a line that says who spoke, and copies without it', async () => {
    const front = await rig.addBot('front');
    const back = await rig.addBot('back');
    const ann = sandbox.createUser({ first_name: 'Ann', username: 'ann_a' });
    const team = rig.group('Team', [back]);
    await rig.route(front, back, { action: 'forward', target_chat_id: team.id });
    await rig.route(front, back, { action: 'copy', target_chat_id: team.id });
    rig.say(ann, front, 'I need help');
    await rig.settle();
    expect(rig.textsIn(team)).toEqual(['Ann (@ann_a):\nI need help', 'I need help']);
  });

  it('takes a reply back to the person who asked, and on, both ways, over a restart', async () => {
    const front = await rig.addBot('front');
    const back = await rig.addBot('back');
    const ann = sandbox.createUser({ first_name: 'Ann' });
    const team = rig.group('Team', [back]);
    await rig.route(front, back, { action: 'forward', target_chat_id: team.id });
    let carried = await rig.forwardedBy(() => rig.say(ann, front, 'question 0'));
    for (let turn = 1; turn <= 10; turn++) {
      if (turn === 5) rig = await rig.restart();
      const toAnn = await rig.forwardedBy(() =>
        sandbox.say(rig.agent, team.id, `answer ${turn}`, { replyTo: carried.message_id }),
      );
      expect(toAnn.text).toBe(`answer ${turn}`);
      // On Ann's telephone the chat is named after the bot.
      expect(toAnn.chat.id).toBe(front.platformId);
      expect(toAnn.reply_to_message?.from?.id).toBe(ann.id);
      carried = await rig.forwardedBy(() =>
        sandbox.say(ann.id, front.platformId, `question ${turn}`, { replyTo: toAnn.message_id }),
      );
      expect(carried.chat.id).toBe(team.id);
      expect(carried.text).toBe(`question ${turn}`);
      expect(carried.reply_to_message?.text).toBe(`answer ${turn}`);
    }
  });

  it('with return_mode latest, any message of a private chat goes to the last person who wrote', async () => {
    const front = await rig.addBot('front');
    const back = await rig.addBot('back');
    const ann = sandbox.createUser({ first_name: 'Ann' });
    const bob = sandbox.createUser({ first_name: 'Bob' });
    rig.say(bob, back, '/start');
    await rig.settle();
    await rig.route(front, back, {
      action: 'copy',
      target_chat_id: bob.id,
      return_mode: 'latest',
    });
    await rig.forwardedBy(() => rig.say(ann, front, 'hello?'));
    const answer = await rig.forwardedBy(() => rig.say(bob, back, 'yes?'));
    expect(answer).toMatchObject({ text: 'yes?', chat: { id: front.platformId } });
  });

  it('lets every matching keyword act until a drop', async () => {
    const front = await rig.addBot('front');
    const [sales, billing, rest] = [
      await rig.addBot('sales'),
      await rig.addBot('billing'),
      await rig.addBot('rest'),
    ];
    const rooms = [sales, billing, rest].map((bot) => rig.group(bot.name, [bot]));
    const to = (index: number) => ({ action: 'copy', target_chat_id: rooms[index]?.id ?? 0 });
    const when = (value: string) => ({ condition_type: 'keyword', condition_value: value });
    await rig.route(front, sales, { ...when('buy, kaufen'), ...to(0) });
    await rig.route(front, billing, { ...when('invoice'), ...to(1) });
    await rig.route(front, billing, { ...when('spam'), action: 'drop' });
    await rig.route(front, rest, to(2));
    const ann = sandbox.createUser({ first_name: 'Ann' });
    for (const text of ['Kaufen! And an INVOICE', 'spam invoice', 'hello'])
      rig.say(ann, front, text);
    await rig.settle();
    expect(rooms.map((room) => rig.textsIn(room))).toEqual([
      ['Kaufen! And an INVOICE'],
      ['Kaufen! And an INVOICE', 'spam invoice'],
      ['Kaufen! And an INVOICE', 'hello'],
    ]);
    const outcomes = await store.routing.decisions.list({ botIds: [front.id], limit: 10 });
    expect(outcomes.map((decision) => decision.outcome)).toEqual(['routed', 'routed', 'routed']);
    expect(outcomes[1]?.matched).toContain('"result":"dropped"');
  });

  it('a ring of three bots in one group comes to rest', async () => {
    const bots = [await rig.addBot('a'), await rig.addBot('b'), await rig.addBot('c')];
    const room = rig.group('Ring', bots);
    for (const [index, bot] of bots.entries()) {
      const next = bots[(index + 1) % 3];
      if (next) await rig.route(bot, next, { action: 'copy' });
    }
    sandbox.say(rig.agent, room.id, 'round and round');
    await rig.settle();
    // Each bot saw the person's message once and carried it once; nothing carried was carried on.
    expect(rig.textsIn(room).filter((text) => text === 'round and round').length).toBe(4);
  });

  it('acts once, however often the same update is read', async () => {
    const front = await rig.addBot('front');
    const back = await rig.addBot('back');
    const team = rig.group('Team', [back]);
    await rig.route(front, back, { action: 'copy', target_chat_id: team.id });
    const ann = sandbox.createUser({ first_name: 'Ann' });
    rig.say(ann, front, 'once');
    await rig.settle();
    await rig.rewind(front);
    await rig.settle();
    expect(rig.textsIn(team)).toEqual(['once']);
  });

  it('brings a file over once that an album shows twice', async () => {
    const front = await rig.addBot('front');
    const back = await rig.addBot('back');
    const team = rig.group('Team', [back]);
    await rig.route(front, back, { action: 'copy', target_chat_id: team.id });
    const ann = sandbox.createUser({ first_name: 'Ann' });
    const bytes = Buffer.from('seen twice');
    const once = { kind: 'document', bytes, name: 'twice.txt', mediaGroupId: '78' } as const;
    const { document } = sandbox.sendMedia(ann.id, front.platformId, once);
    sandbox.sendContent(ann.id, front.platformId, { document, media_group_id: '78' } as never);
    await rig.settle();
    const album = rig.messagesIn(team);
    expect(album.map((message) => message.document?.file_size)).toEqual([
      bytes.length,
      bytes.length,
    ]);
  });

  it('brings media over by upload, albums, and edits after them', async () => {
    const front = await rig.addBot('front');
    const back = await rig.addBot('back');
    const team = rig.group('Team', [back]);
    await rig.route(front, back, { action: 'forward', target_chat_id: team.id });
    const ann = sandbox.createUser({ first_name: 'Ann' });
    rig.say(ann, front, '/start');
    await rig.settle();
    const photo = sandbox.sendMedia(ann.id, front.platformId, { caption: 'a photo' });
    await rig.settle();
    const [, carried] = rig.messagesIn(team);
    expect(carried?.photo?.length).toBeGreaterThan(0);
    expect(carried?.caption).toBe('Ann:\na photo');
    sandbox.edit(ann.id, front.platformId, photo.message_id, 'a better photo');
    await rig.settle();
    expect(rig.messagesIn(team)[1]?.caption).toBe('Ann:\na better photo');
    for (const part of [{ caption: 'two' }, {}]) {
      sandbox.sendMedia(ann.id, front.platformId, { ...part, mediaGroupId: '77' });
    }
    await rig.settle();
    const album = rig.messagesIn(team).slice(2);
    expect(album.length).toBe(2);
    expect(album[0]?.media_group_id).toBeDefined();
    expect(album[1]?.media_group_id).toBe(album[0]?.media_group_id);
    expect(album[0]?.caption).toBe('Ann:\ntwo');
  });

  it('records why nothing was sent, and loses nothing', async () => {
    const front = await rig.addBot('front');
    const back = await rig.addBot('back');
    await rig.route(front, back, { action: 'copy', target_chat_id: -4_242 });
    const ann = sandbox.createUser({ first_name: 'Ann' });
    rig.say(ann, front, 'to a chat that is not there');
    await rig.settle();
    const [sent] = await store.outbox.list({ botIds: [back.id], limit: 1 });
    expect(sent).toMatchObject({ state: 'failed' });
    expect(sent?.error).toContain('chat not found');
    await store.bots.toggle(back.id, clock.now());
    rig.say(ann, front, 'to a bot that is off');
    await rig.settle();
    const [decision] = await store.routing.decisions.list({ botIds: null, limit: 1 });
    expect(decision?.matched).toContain('not_sent_disabled');
    expect((await store.log.head(front.id)).lastPosition).toBe(2);
  });

  it('does not queue a reply through a bot that is disabled', async () => {
    const front = await rig.addBot('front');
    const back = await rig.addBot('back');
    const ann = sandbox.createUser({ first_name: 'Ann' });
    const team = rig.group('Team', [back]);
    await rig.route(front, back, { action: 'copy', target_chat_id: team.id });
    rig.say(ann, front, 'Is it ready?');
    await rig.settle();
    await store.bots.toggle(front.id, clock.now());
    const question = rig.messagesIn(team).at(-1);
    sandbox.say(rig.agent, team.id, 'Yes', { replyTo: question?.message_id ?? 0 });
    await rig.settle();
    const [decision] = await store.routing.decisions.list({ botIds: null, limit: 1 });
    expect(decision).toMatchObject({ outcome: 'returned' });
    expect(decision?.matched).toContain('not_sent_disabled');
    expect(await store.outbox.list({ botIds: [front.id], limit: 1 })).toEqual([]);
  });
});
