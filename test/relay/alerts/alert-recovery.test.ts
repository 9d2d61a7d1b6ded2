import { describe, expect, it } from 'vitest';
import { emptyFacts } from '../../../src/core/messages/message-facts.ts';
import type { AlertKind, AlertParams } from '../../../src/core/alerts/alerts.ts';
import { applyMove } from '../../../src/store/messages/chat-moves.ts';
import { dialects } from '../../support/database/engines.ts';
import { alertChannelRig } from '../../support/rigs/alert-channel-rig.ts';

const minuteMs = 60_000;

describe.each(dialects)('alerts whose channel does not work for a while (%s)', (dialect) => {
  const rig = alertChannelRig(dialect);
  const { addBot, addChat, deliver, newNode, queued, refuse, wrong } = rig;
  const down = { bot: 'Shop', host: 'backend.example', count: 3 };

  /** A look each minute. */
  async function pass(node: ReturnType<typeof newNode>, minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute++) {
      await rig.clock().advance(minuteMs);
      await node.look();
    }
  }
  /** A backend is down, and the chat was told. */
  async function told() {
    const bot = await addBot();
    const channel = await addChat(bot, { delay_seconds: 0 });
    const node = newNode();
    wrong(['backend_down', bot, down]);
    await node.look();
    const [opened] = await deliver();
    await node.look();
    return { bot, channel, node, opened };
  }
  const kicked = () => refuse(403, 'Forbidden: bot was kicked from the group chat', 'not_there');

  it('wait in the outbox where no other channel can tell them', async () => {
    const bot = await addBot();
    await addChat(bot, { delay_seconds: 0 });
    const node = newNode();
    wrong(['backend_down', bot, down]);
    await pass(node, 3);
    wrong(['backend_down', bot, down], ['disk_low']);
    await pass(node, 20);
    expect(await deliver()).toHaveLength(2);
    await node.look();
    expect(await rig.store().alertMessages.ofAlerts([1, 2])).toMatchObject([
      { state: 'sent' },
      { state: 'sent' },
    ]);
  });

  it('are sent when the chat takes them again: one first, then the others', async () => {
    const bot = await addBot();
    await addChat(bot, { delay_seconds: 0 });
    const node = newNode();
    wrong(['backend_down', bot, down]);
    await node.look();
    await kicked();
    await node.look();
    wrong(['backend_down', bot, down], ['disk_low']);
    await pass(node, 8);
    expect(await queued()).toEqual([]);
    await pass(node, 3);
    expect(await queued()).toHaveLength(1);
    await deliver();
    await node.look();
    await node.look();
    expect(await queued()).toHaveLength(1);
  });

  it('are sent when an admin mends the channel', async () => {
    const bot = await addBot();
    const channel = await addChat(bot, { delay_seconds: 0 });
    const node = newNode();
    wrong(['disk_low']);
    await node.look();
    await kicked();
    await node.look();
    await rig.store().alertChannels.update(channel.id, channel, rig.clock().now());
    await node.look();
    expect(await deliver()).toMatchObject([{ method: 'sendMessage' }]);
  });

  it('stay with the channel that was told in place of another one', async () => {
    const [bot, other] = [await addBot(), await addBot()];
    await addChat(bot, { delay_seconds: 0 });
    await addChat(other, { chat_id: -6, delay_seconds: 0, kinds: ['weak_secret'] });
    const node = newNode();
    wrong(['disk_low']);
    await node.look();
    await kicked();
    await node.look();
    await node.look();
    expect((await queued()).map(({ chatId }) => chatId)).toEqual([-6]);
    await deliver();
    await pass(node, 30);
    expect(await queued()).toEqual([]);
  });

  it('never go to a channel for other bots, and rather to one that wants them', async () => {
    const [bot, other] = [await addBot(), await addBot()];
    await addChat(bot, { delay_seconds: 0, bot_ids: [bot] });
    await addChat(other, { chat_id: -6, delay_seconds: 0, bot_ids: [other] });
    const node = newNode();
    wrong(['backend_down', bot, down]);
    await node.look();
    await kicked();
    await node.look();
    await node.look();
    expect(await queued()).toEqual([]);
    await addChat(other, { chat_id: -7, kinds: ['weak_secret'] });
    await addChat(other, { chat_id: -8, delay_seconds: 3_600 });
    await node.look();
    await node.look();
    expect((await queued()).map(({ chatId }) => chatId)).toEqual([-8]);
  });

  it('keep their end in the outbox, however late it is', async () => {
    const { node } = await told();
    wrong();
    await pass(node, 60);
    expect(await deliver()).toMatchObject([{ method: 'editMessageText' }]);
    await node.look();
    expect(await queued()).toEqual([]);
  });

  it('tell the end when a chat that refused it takes it again', async () => {
    const { node, opened } = await told();
    wrong();
    await node.look();
    await kicked();
    await node.look();
    await pass(node, 11);
    const [end] = await deliver();
    expect(end).toMatchObject({ method: 'editMessageText', id: opened?.id });
    expect(end?.text).toContain('✅');
  });

  it('are not withdrawn once a send has begun', async () => {
    const bot = await addBot();
    await addChat(bot, { delay_seconds: 0 });
    await addChat(bot, { chat_id: -6, kinds: ['weak_secret'] });
    const node = newNode();
    wrong(['disk_low']);
    await node.look();
    const [row] = await rig.store().alertMessages.ofAlerts([1]);
    const [send] = await queued();
    if (!row || !send) throw new Error('nothing was queued');
    await rig.store().outbox.take(send, 'n', rig.clock().now());
    await rig.store().alertMessages.withdraw(row, '', () => 2, rig.clock().now());
    expect(await rig.store().alertMessages.ofAlerts([1])).toMatchObject([{ state: 'sending' }]);
  });

  it('are all told in a storm that a group takes slowly', async () => {
    const bot = await addBot();
    await addChat(bot, { delay_seconds: 0 });
    await addChat(bot, { chat_id: -6, kinds: ['weak_secret'] });
    const node = newNode();
    const open: [AlertKind, number, AlertParams][] = [];
    // Twenty messages a minute.
    for (let second = 0; second < 240; second += 3) {
      if (second < 90 && second % 9 === 0) {
        for (let more = 0; more < 9; more++) open.push(['backend_down', 1_000 + open.length, down]);
      }
      wrong(...open);
      await node.look();
      const [send] = await queued();
      if (send) {
        await rig.store().outbox.take(send, 'n', rig.clock().now());
        const answer = { archive: emptyFacts(), messageId: send.id, deleted: null };
        await rig.store().outbox.succeed(send, answer, rig.clock().now());
      }
      await rig.clock().advance(3_000);
    }
    const states = await rig
      .engine()
      .readRaw('select channel_id, state, count(*) as n from alert_messages group by 1, 2', []);
    expect(states).toEqual([{ channel_id: 1, state: 'sent', n: open.length }]);
  });

  it('are sent anew where the chat of the channel changes', async () => {
    const { channel, node } = await told();
    const { update } = rig.store().alertChannels;
    await update(channel.id, { ...channel, chat_id: -777 }, rig.clock().now());
    await node.look();
    expect(await queued()).toMatchObject([{ method: 'sendMessage', chatId: -777 }]);
    await update(channel.id, { ...channel, chat_id: -778 }, rig.clock().now());
    wrong();
    await node.look();
    expect(await queued()).toEqual([]);
  });

  it('follow a group that becomes a supergroup', async () => {
    const { bot, node } = await told();
    await rig.run(
      `insert into chats (bot_id, chat_id, type, title, updated_at) values ($1, -5, 'group', 'g', 1)
       on conflict do nothing`,
      [bot],
    );
    const move = { botId: bot, fromChatId: -5, toChatId: -1005 };
    await rig.engine().write(() => applyMove(dialect, move, rig.clock().now()));
    expect(await rig.store().alertChannels.list()).toMatchObject([{ chat_id: -1005 }]);
    await node.look();
    expect(await queued()).toMatchObject([{ method: 'sendMessage', chatId: -1005 }]);
  });

  it('follow a group of which only a refusal says that it became a supergroup', async () => {
    const { bot, node } = await told();
    wrong(['backend_down', bot, down], ['disk_low']);
    await pass(node, 60);
    expect((await queued()).map(({ chatId }) => chatId)).toContain(-5);
    await rig.store().alertChannels.follow(-5, -1005, rig.clock().now());
    expect(await rig.store().alertChannels.list()).toMatchObject([{ chat_id: -1005, error: '' }]);
    await node.look();
    const chats = new Set((await queued()).map(({ chatId }) => chatId));
    expect([...chats]).toEqual([-1005]);
  });

  it('count the delay from the last opening', async () => {
    const bot = await addBot();
    await addChat(bot);
    const node = newNode();
    wrong(['backend_down', bot, down]);
    await node.look();
    await rig.clock().advance(10_000);
    wrong();
    await pass(node, 10);
    wrong(['backend_down', bot, down]);
    await node.look();
    await pass(node, 1);
    expect(await queued()).toEqual([]);
    await pass(node, 1);
    expect((await deliver())[0]?.text).toContain('Since 2026-01-15 12:10 UTC. Happened 2 times');
  });

  it('notify of a critical alert that comes back after it was over for minutes', async () => {
    const { bot, node, opened } = await told();
    wrong();
    await pass(node, 1);
    await deliver();
    await pass(node, 5);
    wrong(['backend_down', bot, down]);
    await pass(node, 1);
    const [again] = await deliver();
    expect(again).toMatchObject({ method: 'sendMessage' });
    await node.look();
    wrong();
    await pass(node, 1);
    expect(await deliver()).toMatchObject([{ method: 'editMessageText', id: again?.id }]);
    expect(again?.id).not.toBe(opened?.id);
  });
});
