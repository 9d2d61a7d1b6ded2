import { beforeEach, describe, expect, it } from 'vitest';
import { archivedId } from '../../../src/core/messages/business-messages.ts';
import {
  createManualClock as createSandboxClock,
  type Sandbox,
} from '../../../sandbox/src/index.ts';
import type { DecisionOutcome } from '../../../src/store/routing/decisions.ts';
import type { Store } from '../../../src/store/store.ts';
import type { TelegramClient } from '../../../src/telegram/client.ts';
import { eitherDialect } from '../../support/database/engines.ts';
import type { RigBot, RoutingRig } from '../../support/rigs/routing-rig.ts';
import { openRoutingWorld } from '../../support/rigs/routing-world.ts';

const hourMs = 3_600_000;

describe.each(eitherDialect)('routing for business accounts on %s', (dialect) => {
  let store: Store;
  let sandbox: Sandbox;
  let worldClock: ReturnType<typeof createSandboxClock>;
  let telegram: TelegramClient;
  let rig: RoutingRig;
  let shop: RigBot;
  let team: { id: number };
  let owner: { id: number };
  let ann: { id: number };
  let connection: string;

  beforeEach(async () => {
    worldClock = createSandboxClock();
    const world = await openRoutingWorld(dialect, { seed: 11, clock: worldClock });
    ({ store, sandbox, telegram, rig } = world);
    shop = await rig.addBot('shop');
    const back = await rig.addBot('back');
    team = rig.group('Team', [back]);
    owner = sandbox.createUser({ first_name: 'Olga' });
    ann = sandbox.createUser({ first_name: 'Ann' });
    connection = sandbox.connectBusiness(owner, shop.platformId).id;
    await rig.route(shop, back, { action: 'forward', target_chat_id: team.id });
  });

  const toOwner = () => sandbox.history(ann.id, owner.id).map(({ message }) => message);
  const toShop = () => sandbox.history(ann.id, shop.platformId).map(({ message }) => message);
  const latest = async () =>
    (await store.routing.decisions.list({ botIds: [shop.id], limit: 1 }))[0];
  const outcomes = async (): Promise<DecisionOutcome[]> => {
    const all = await store.routing.decisions.list({ botIds: [shop.id], limit: 50 });
    return all.map((decision) => decision.outcome).toReversed();
  };
  const inTeam = (text: string) => {
    const found = rig.messagesIn(team).find((message) => message.text === text);
    if (!found) throw new Error(`the team did not get "${text}"`);
    return found;
  };
  /** The agent answers a message of the group. */
  const answer = (text: string, to: { message_id: number }) =>
    sandbox.say(rig.agent, team.id, text, { replyTo: to.message_id });

  it("takes a customer's words to the team and the answers back in the account's name", async () => {
    let asked = sandbox.say(ann.id, owner.id, 'question 1');
    await rig.settle();
    let carried = inTeam('Ann:\nquestion 1');
    for (let turn = 1; turn <= 3; turn++) {
      if (turn === 2) rig = await rig.restart();
      answer(`answer ${turn}`, carried);
      await rig.settle();
      const received = toOwner().at(-1);
      expect(received).toMatchObject({
        text: `answer ${turn}`,
        from: { id: owner.id },
        reply_to_message: { message_id: asked.message_id },
      });
      asked = sandbox.say(ann.id, owner.id, `question ${turn + 1}`, {
        replyTo: received?.message_id ?? 0,
      });
      await rig.settle();
      carried = inTeam(`question ${turn + 1}`);
      expect(carried.reply_to_message?.text).toBe(`answer ${turn}`);
    }
    // Nothing of all this went through the bot's own chat with her.
    expect(toShop()).toEqual([]);
    expect((await store.routing.decisions.list({ botIds: null, limit: 1 }))[0]).toMatchObject({
      connection,
      chatId: ann.id,
      outcome: 'returned',
    });
  });

  it("keeps apart what has the same chat and number in the account and in the bot's own chat", async () => {
    const own = rig.say(ann, shop, 'to the bot');
    const account = sandbox.say(ann.id, owner.id, 'to the account');
    await rig.settle();
    const asBotSees = await store.engine.readRaw<{ id: number; text: string }>(
      'select id, text from messages where bot_id = $1 and chat_id = $2 order by id',
      [shop.id, ann.id],
    );
    expect(asBotSees).toEqual([
      { id: archivedId(connection, 1), text: 'to the account' },
      { id: 1, text: 'to the bot' },
    ]);
    answer('from the bot', inTeam('Ann:\nto the bot'));
    answer('from the account', inTeam('Ann:\nto the account'));
    await rig.settle();
    expect(toShop().map((message) => message.text)).toEqual(['to the bot', 'from the bot']);
    expect(toOwner().map((message) => message.text)).toEqual([
      'to the account',
      'from the account',
    ]);
    sandbox.edit(ann.id, owner.id, account.message_id, 'to the shop');
    sandbox.edit(ann.id, shop.platformId, own.message_id, 'to the robot');
    await rig.settle();
    const texts = () => rig.messagesIn(team).map((message) => message.text);
    expect(texts()).toEqual([
      'Ann:\nto the robot',
      'Ann:\nto the shop',
      'from the bot',
      'from the account',
    ]);
    sandbox.delete(ann.id, owner.id, account.message_id);
    await rig.settle();
    expect(texts()).toEqual(['Ann:\nto the robot', 'from the bot', 'from the account']);
    const rows = await store.engine.readRaw<{ text: string; gone: number }>(
      `select text, case when deleted_at is null then 0 else 1 end as gone from messages
       where bot_id = $1 and chat_id = $2 and text like 'to the %' order by id`,
      [shop.id, ann.id],
    );
    expect(rows).toEqual([
      { text: 'to the shop', gone: 1 },
      { text: 'to the robot', gone: 0 },
    ]);
  });

  it('routes neither the words of the owner nor those of the bot', async () => {
    sandbox.say(ann.id, owner.id, 'hello?');
    sandbox.say(owner.id, ann.id, 'I am here myself');
    await rig.settle();
    const { message_id } = (await telegram.call(shop.token, 'sendMessage', {
      business_connection_id: connection,
      chat_id: ann.id,
      text: 'written by a program',
    })) as { message_id: number };
    await rig.settle();
    expect(rig.textsIn(team)).toEqual(['Ann:\nhello?']);
    expect(await outcomes()).toEqual(['routed', 'own']);
    expect((await latest())?.reason).toContain('owner of the business account');
    // The owner deletes the bot's message; there is no routed copy.
    sandbox.delete(owner.id, ann.id, message_id);
    await rig.settle();
    expect(await latest()).toMatchObject({ outcome: 'none' });
    expect(rig.textsIn(team)).toEqual(['Ann:\nhello?']);
  });

  it('removes the copies of deleted messages, with their header line and albums', async () => {
    const long = sandbox.say(ann.id, owner.id, 'x'.repeat(4_095));
    const album = ['one', 'two'].map((caption) =>
      sandbox.sendMedia(ann.id, owner.id, { caption, mediaGroupId: '88' }),
    );
    await rig.settle();
    expect(rig.messagesIn(team).length).toBe(4);
    // In the same batch as the message it is about.
    const brief = sandbox.say(ann.id, owner.id, 'never mind');
    sandbox.delete(ann.id, owner.id, brief.message_id);
    await rig.settle();
    expect(rig.messagesIn(team).length).toBe(4);
    sandbox.delete(ann.id, owner.id, long.message_id);
    await rig.settle();
    expect(rig.messagesIn(team).map((message) => message.caption)).toEqual(['Ann:\none', 'two']);
    for (const part of album) sandbox.delete(ann.id, owner.id, part.message_id);
    await rig.settle();
    expect(rig.messagesIn(team)).toEqual([]);
    expect(await latest()).toMatchObject({ outcome: 'deleted', connection, chatId: ann.id });
    await rig.rewind(shop);
    await rig.settle();
    expect(rig.messagesIn(team)).toEqual([]);
  });

  it('records that the platform refuses a late deletion, and goes on', async () => {
    const asked = sandbox.say(ann.id, owner.id, 'an old question');
    await rig.settle();
    worldClock.advance(49 * hourMs);
    sandbox.delete(ann.id, owner.id, asked.message_id);
    sandbox.say(ann.id, owner.id, 'a new one');
    await rig.settle();
    expect(rig.textsIn(team)).toEqual(['Ann:\nan old question', 'Ann:\na new one']);
    const [, deletion] = await store.routing.decisions.list({ botIds: [shop.id], limit: 2 });
    expect(deletion?.outcome).toBe('deleted');
    const [match] = JSON.parse(deletion?.matched ?? '[]') as { intents: string[] }[];
    const key = match?.intents[0] ?? '';
    const send = (await store.outbox.byKeys([key])).get(key);
    expect(send).toMatchObject({ state: 'failed', method: 'deleteMessage' });
    expect(send?.error).toContain("message can't be deleted for everyone");
  });

  it('records that an answer came too late, or that the account took itself back', async () => {
    sandbox.say(ann.id, owner.id, 'anyone?');
    await rig.settle();
    const carried = inTeam('Ann:\nanyone?');
    worldClock.advance(25 * hourMs);
    answer('sorry, only now', carried);
    await rig.settle();
    sandbox.disconnectBusiness(owner.id);
    answer('really sorry', carried);
    await rig.settle();
    expect(toOwner().map((message) => message.text)).toEqual(['anyone?']);
    const sends = await store.outbox.list({ botIds: [shop.id], limit: 10 });
    expect(sends.map(({ state, error }) => `${state}: ${error}`).toReversed()).toEqual([
      expect.stringMatching(/^failed: .*BUSINESS_PEER_USAGE_MISSING/),
      expect.stringMatching(/^failed: .*BUSINESS_CONNECTION_INVALID/),
    ]);
  });

  it('answers in the same chat of the account when a route leads back there', async () => {
    await rig.route(shop, shop, { condition_type: 'keyword', condition_value: 'echo' });
    const asked = sandbox.say(ann.id, owner.id, 'echo');
    await rig.settle();
    expect(toOwner().map((message) => [message.text, message.from?.id])).toEqual([
      ['echo', ann.id],
      ['echo', owner.id],
    ]);
    sandbox.edit(ann.id, owner.id, asked.message_id, 'echo, echo');
    await rig.settle();
    expect(toOwner()[1]?.text).toBe('echo, echo');
    sandbox.delete(ann.id, owner.id, asked.message_id);
    await rig.settle();
    expect(toOwner()).toEqual([]);
  });
});
