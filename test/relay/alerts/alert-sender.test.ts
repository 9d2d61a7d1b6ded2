import { describe, expect, it } from 'vitest';
import { eitherDialect } from '../../support/database/engines.ts';
import { alertChannelRig } from '../../support/rigs/alert-channel-rig.ts';

const minuteMs = 60_000;

describe.each(eitherDialect)('messages about alerts (%s)', (dialect) => {
  const rig = alertChannelRig(dialect);
  const { addBot, addChat, deliver, newNode, queued, refuse, wrong } = rig;
  const down = { bot: 'Shop', host: 'backend.example', count: 3 };

  it('are sent after the delay, changed in place, and resolved with the time it took', async () => {
    const bot = await addBot();
    await addChat(bot, { allowed_user_ids: [7] });
    const node = newNode();
    wrong(['backend_down', bot, down]);
    await node.look();
    expect(await queued()).toEqual([]);
    await rig.clock().advance(2 * minuteMs);
    await node.look();
    const [opened, ...others] = await deliver();
    expect(others).toEqual([]);
    expect(opened).toMatchObject({ method: 'sendMessage', buttons: 3 });
    expect(opened?.text).toBe(
      `🔴 Shop: Backend backend.example is down. 3 updates waiting.\nSince 2026-01-15 12:00 UTC\nhttps://relay.example/bots/${bot}`,
    );
    await node.look();
    // Changes are told now and then.
    wrong(['backend_down', bot, { ...down, count: 4 }]);
    await node.look();
    expect(await queued()).toEqual([]);
    await rig.clock().advance(minuteMs);
    await node.look();
    expect(await deliver()).toMatchObject([{ method: 'editMessageText', id: opened?.id }]);
    await rig.clock().advance(11 * minuteMs);
    wrong();
    await node.look();
    await node.look();
    const [resolved] = await deliver();
    expect(resolved).toMatchObject({ method: 'editMessageText', id: opened?.id, buttons: 0 });
    expect(resolved?.text).toContain('✅ Shop');
    expect(resolved?.text).toContain('Resolved after 14 min');
    await node.look();
    await node.look();
    expect(await queued()).toEqual([]);
    expect(rig.events).toEqual([
      'alert.opened backend_down',
      'alert.changed backend_down',
      'alert.resolved backend_down',
    ]);
  });

  it('are not sent for what is over before its delay, below its severity, or of another kind', async () => {
    const bot = await addBot();
    await addChat(bot);
    await addChat(bot, { chat_id: -6, delay_seconds: 0, kinds: ['disk_low'], bot_ids: [bot] });
    const node = newNode();
    wrong(['backend_down', bot, down], ['weak_secret', bot]);
    await node.look();
    await rig.clock().advance(minuteMs);
    wrong(['weak_secret', bot], ['disk_low', 0]);
    await node.look();
    await rig.clock().advance(5 * minuteMs);
    wrong(['weak_secret', bot]);
    await node.look();
    expect(await queued()).toEqual([]);
  });

  it('name a route to a disabled bot only where nothing is told of that bot', async () => {
    const [bot, disabled] = [await addBot(), await addBot()];
    const own = { delay_seconds: 0, min_severity: 'info' } as const;
    await addChat(bot, own);
    await addChat(bot, { ...own, chat_id: -6, bot_ids: [bot] });
    await addChat(bot, { ...own, chat_id: -7, kinds: ['route_to_disabled'] });
    wrong(
      ['bot_disabled', disabled, { bot: 'Shop', count: 1 }],
      ['route_to_disabled', bot, { bot: 'Desk', route_id: 3, target_bot_id: disabled }],
    );
    await newNode().look();
    const told = (await queued()).map(({ chatId, params }) => [
      chatId,
      (JSON.parse(params) as { text: string }).text.split('\n')[0],
    ]);
    expect(told).toEqual([
      [-5, '🔵 Shop: The bot is disabled. 1 route to or from it is inactive.'],
      [-6, '🔵 Desk: Route 3 uses a disabled bot.'],
      [-7, '🔵 Desk: Route 3 uses a disabled bot.'],
    ]);
  });

  it('go on over a restart between opened and resolved, in the same message', async () => {
    const bot = await addBot();
    await addChat(bot, { delay_seconds: 0 });
    wrong(['disk_low']);
    await newNode().look();
    const [opened] = await deliver();
    // The node ended before it saw that the message was sent.
    wrong();
    const restarted = newNode();
    await restarted.look();
    await restarted.look();
    expect(await deliver()).toMatchObject([{ method: 'editMessageText', id: opened?.id }]);
    expect(await rig.store().alertLog.list({ botIds: null, limit: 9 })).toHaveLength(1);
  });

  it('are sent once by two nodes that look at the same moment', async () => {
    const bot = await addBot();
    await addChat(bot, { delay_seconds: 0 });
    wrong(['disk_low'], ['backend_down', bot, down]);
    const nodes = [newNode(), newNode()];
    await Promise.all(nodes.map((node) => node.look()));
    await Promise.all(nodes.map((node) => node.look()));
    expect(await deliver()).toHaveLength(2);
    await Promise.all(nodes.map((node) => node.look()));
    wrong();
    await Promise.all(nodes.map((node) => node.look()));
    await Promise.all(nodes.map((node) => node.look()));
    expect(await deliver()).toMatchObject([
      { method: 'editMessageText' },
      { method: 'editMessageText' },
    ]);
    expect(await rig.store().alertLog.list({ botIds: null, limit: 9 })).toHaveLength(2);
    expect(rig.events.filter((event) => event === 'alert.opened disk_low')).toHaveLength(1);
  });

  it('count what comes and goes in one message', async () => {
    const bot = await addBot();
    await addChat(bot, { delay_seconds: 0 });
    const node = newNode();
    const texts: string[] = [];
    const ids = new Set<number>();
    for (let turn = 0; turn < 3; turn++) {
      for (const kinds of [['disk_low'], []] as const) {
        wrong(...kinds.map((kind) => [kind] as ['disk_low']));
        await rig.clock().advance(minuteMs);
        for (let step = 0; step < 3; step++) {
          await node.look();
          for (const { id, text } of await deliver()) {
            ids.add(id);
            texts.push(text);
          }
        }
        await rig.clock().advance(minuteMs);
      }
    }
    expect(ids.size).toBe(1);
    expect(texts.at(-1)).toContain('Resolved after 2 min. Happened 3 times');
    // Much later it is another one.
    await rig.clock().advance(60 * minuteMs);
    wrong(['disk_low']);
    await node.look();
    expect(await deliver()).toMatchObject([{ method: 'sendMessage' }]);
  });

  it('become a digest when there are more than ten at once', async () => {
    const bot = await addBot();
    await addChat(bot, { delay_seconds: 0 });
    const bots = await Promise.all(Array.from({ length: 12 }, () => addBot()));
    wrong(...bots.map((id) => ['backend_down', id, { bot: `Bot ${id}` }] as never));
    const node = newNode();
    await node.look();
    const [digest, ...others] = await deliver();
    expect(others).toEqual([]);
    expect(digest?.text.split('\n')).toHaveLength(13);
    expect(digest?.text).toContain('12 open alerts');
    await node.look();
    wrong(...bots.slice(2).map((id) => ['backend_down', id, { bot: `Bot ${id}` }] as never));
    await rig.clock().advance(minuteMs);
    await node.look();
    const [changed] = await deliver();
    expect(changed).toMatchObject({ method: 'editMessageText', id: digest?.id });
    expect(changed?.text).toContain('12 alerts, 2 resolved');
    await node.look();
    wrong();
    await rig.clock().advance(minuteMs);
    await node.look();
    expect((await deliver())[0]?.text).toContain('12 alerts, 12 resolved');
    await node.look();
    await node.look();
    expect(await queued()).toEqual([]);
  });

  it('wait for the end of quiet hours, and are not sent when it is over by then', async () => {
    const bot = await addBot();
    const quiet_hours = { start: '12:30', end: '02:00', timezone: 'Europe/Berlin' };
    await addChat(bot, { delay_seconds: 0, quiet_hours });
    const node = newNode();
    // 13:00 in Berlin.
    wrong(['disk_low'], ['backend_down', bot, down]);
    await node.look();
    wrong(['disk_low']);
    await rig.clock().advance(11 * 60 * minuteMs);
    await node.look();
    expect(await queued()).toEqual([]);
    await rig.clock().advance(2 * 60 * minuteMs);
    await node.look();
    expect((await deliver()).map(({ text }) => text.split(':')[0])).toEqual([
      '🔴 The data disk is almost full',
    ]);
  });

  it('of a muted alert are not sent, also when it comes back', async () => {
    const bot = await addBot();
    await addChat(bot, { delay_seconds: 60 });
    const node = newNode();
    wrong(['disk_low']);
    await node.look();
    const [alert] = await rig.store().alertLog.list({ botIds: null, limit: 1 });
    await rig.store().alertLog.mute(alert?.id ?? 0, rig.clock().now() + 60 * minuteMs, 'Ann');
    wrong();
    await node.look();
    await rig.clock().advance(20 * minuteMs);
    wrong(['disk_low']);
    await node.look();
    await rig.clock().advance(2 * minuteMs);
    await node.look();
    expect(await queued()).toEqual([]);
    await rig.clock().advance(60 * minuteMs);
    await node.look();
    expect(await deliver()).toHaveLength(1);
  });

  it('of an acknowledged alert are not sent to those who were not told; others see the name', async () => {
    const bot = await addBot();
    await addChat(bot, { delay_seconds: 0 });
    await addChat(bot, { delay_seconds: 60, chat_id: -6 });
    const node = newNode();
    wrong(['disk_low']);
    await node.look();
    const [told] = await deliver();
    await node.look();
    await rig.store().alertLog.acknowledge(1, 'Bob', rig.clock().now());
    await rig.clock().advance(2 * minuteMs);
    await node.look();
    const [edit, ...others] = await deliver();
    expect(others).toEqual([]);
    expect(edit).toMatchObject({ method: 'editMessageText', id: told?.id });
    expect(edit?.text.split('\n').at(-2)).toBe('Acknowledged by Bob');
    // One that comes back is everybody's again.
    await node.look();
    wrong();
    await node.look();
    await deliver();
    await node.look();
    wrong(['disk_low']);
    await node.look();
    expect((await rig.store().alertLog.get(1))?.acknowledgedBy).toBe('');
  });

  it('go through the next channel when a chat refuses the bot, and are not tried for ever', async () => {
    const bot = await addBot();
    const first = await addChat(bot, { delay_seconds: 0 });
    const second = await addChat(bot, { chat_id: -6, delay_seconds: 0, kinds: ['weak_secret'] });
    const node = newNode();
    wrong(['disk_low']);
    await node.look();
    await refuse(403, 'Forbidden: bot was kicked from the group chat', 'not_there');
    await node.look();
    await node.look();
    const sent = await queued();
    expect(sent.map(({ chatId }) => chatId)).toEqual([-6]);
    await deliver();
    await node.look();
    const told = await rig.store().alertMessages.ofAlerts([1]);
    expect(told).toMatchObject([
      { channelId: first.id, state: 'failed', instead: second.id },
      { channelId: second.id, state: 'sent' },
    ]);
    expect((await rig.store().alertChannels.get(first.id))?.error).toContain('kicked');
    // The next alert does not try the chat.
    wrong(['disk_low'], ['model_budget']);
    await node.look();
    await node.look();
    expect((await queued()).map(({ chatId }) => chatId)).toEqual([-6]);
  });

  it('go through the next channel when their own bot is the broken one', async () => {
    const [broken, other] = [await addBot(), await addBot()];
    const first = await addChat(broken, { delay_seconds: 0 });
    const second = await addChat(other, { chat_id: -6, kinds: ['weak_secret'] });
    await rig.store().bots.toggle(broken, rig.clock().now());
    wrong(['bot_refused', broken, { bot: 'Shop' }]);
    const node = newNode();
    await node.look();
    await node.look();
    expect((await queued()).map(({ botId, chatId }) => [botId, chatId])).toEqual([[other, -6]]);
    expect((await rig.store().alertMessages.ofAlerts([1]))[0]).toMatchObject({
      channelId: first.id,
      state: 'skipped',
      instead: second.id,
    });
  });

  it('are kept when a change changes nothing, and sent anew when somebody deleted them', async () => {
    const bot = await addBot();
    await addChat(bot, { delay_seconds: 0 });
    const node = newNode();
    wrong(['route_failing', bot, { route_id: 1 }]);
    await node.look();
    const [opened] = await deliver();
    await node.look();
    const changeTo = async (target_bot_id: number, words: string) => {
      wrong(['route_failing', bot, { route_id: 1, target_bot_id }]);
      await rig.clock().advance(minuteMs);
      await node.look();
      await refuse(400, words, words.includes('not modified') ? 'unchanged' : 'message_gone');
      await node.look();
    };
    await changeTo(2, 'Bad Request: message is not modified');
    expect(await rig.store().alertMessages.get(1, 1)).toMatchObject({ messageId: opened?.id });
    await changeTo(3, 'Bad Request: message to edit not found');
    const [anew] = await deliver();
    expect(anew).toMatchObject({ method: 'sendMessage' });
    await node.look();
    // The same where the end is what cannot be changed.
    wrong();
    await node.look();
    await refuse(400, "Bad Request: message can't be edited", '' as never);
    await node.look();
    const [end] = await deliver();
    expect(end).toMatchObject({ method: 'sendMessage' });
    expect(end?.text).toContain('✅');
    await node.look();
    expect(await queued()).toEqual([]);
  });

  it('that nobody sends are withdrawn and go through the next channel', async () => {
    const bot = await addBot();
    await addChat(bot, { delay_seconds: 0 });
    await addChat(bot, { chat_id: -6, delay_seconds: 0, kinds: ['weak_secret'] });
    const node = newNode();
    wrong(['disk_low']);
    await node.look();
    await rig.clock().advance(3 * minuteMs);
    await node.look();
    await node.look();
    expect((await queued()).map(({ chatId }) => chatId)).toEqual([-6]);
  });
});
