import { describe, expect, it, vi } from 'vitest';
import type { ChannelSettings } from '../../../src/core/alerts/alert-channel.ts';
import type { SendRequest } from '../../../src/core/ports.ts';
import { createAlertLogService } from '../../../src/manage/alerts/alert-log.ts';
import { createAlertPresses } from '../../../src/relay/alerts/alert-presses.ts';
import { eitherDialect } from '../../support/database/engines.ts';
import { alertChannelRig } from '../../support/rigs/alert-channel-rig.ts';

const admin = 7;
const stranger = 8;
const second = 9;

describe.each(eitherDialect)('buttons and commands in a chat of alerts (%s)', (dialect) => {
  const rig = alertChannelRig(dialect);
  const { addBot, addChat, deliver, newNode, wrong } = rig;

  async function start(more: Partial<ChannelSettings> = {}) {
    const bot = await addBot();
    await addChat(bot, { delay_seconds: 0, allowed_user_ids: [admin, second], ...more });
    const answers: SendRequest[] = [];
    const did: unknown[] = [];
    const audited: [string, Record<string, unknown>][] = [];
    const presses = createAlertPresses({
      clock: rig.clock(),
      store: rig.store(),
      handling: createAlertLogService({
        store: rig.store(),
        findLive: async () => [],
        publicUrl: '',
        clock: rig.clock(),
        onHandled() {},
      }),
      deliveries: {
        async check(_caller, botId, _deliver, app) {
          did.push(['check', botId, app]);
          const answer = { reachable: true, status: 200, duration_ms: 1 };
          return { ...answer, error: '', error_detail: null };
        },
        async retryNow(_caller, botId, _queue, app) {
          did.push(['retry', botId, app]);
          return 1;
        },
        async replay(_caller, request) {
          did.push(['replay', request]);
          return { queued: 2, next: 0 };
        },
      },
      sender: {
        async send(request) {
          answers.push(request);
        },
      },
      onQueued() {},
      onActed: () => did.push('woken'),
      async audit(action, about, work) {
        audited.push([action, about]);
        return work();
      },
      onError: (error) => rig.errors.push(error),
    });
    await presses.reload();
    let position = 0;
    const receive = (kind: string, payload: object) => {
      position += 1;
      const raw = JSON.stringify({ update_id: position, [kind]: payload });
      const entry = { position, updateId: position, kind, queue: '', receivedAt: 0, raw };
      presses.received(bot, [{ ...entry, claimedBy: 0 }]);
    };
    const press = async (userId: number, data: string, message_thread_id = 0) => {
      const before = answers.length;
      const from = { id: userId, first_name: userId === second ? 'Bob' : 'Ann' };
      const topic = message_thread_id ? { message_thread_id, is_topic_message: true } : {};
      const message = { message_id: 1, ...topic, chat: { id: -5, type: 'supergroup' } };
      receive('callback_query', { id: 'q', from, message, data });
      await vi.waitFor(() => expect(answers.length).toBe(before + 1));
      return String(answers.at(-1)?.params['text']);
    };
    return { bot, presses, answers, did, audited, press, receive };
  }

  it('retry, replay, mute and acknowledge for those who may', async () => {
    const { audited, bot, did, press } = await start();
    wrong(['backend_down', bot], ['dead_letters', bot, { app: 'shop' }]);
    await newNode().look();
    expect(await press(admin, 'bot-relay:alert:retry:1')).toBe('Retrying.');
    expect(did).toEqual([['check', bot, 'default'], ['retry', bot, 'default'], 'woken']);
    did.length = 0;
    expect(await press(admin, 'bot-relay:alert:replay:2')).toBe('Replaying 2 updates.');
    expect(did[0]).toEqual(['replay', { bot_id: bot, app: 'shop', all_dead: true }]);
    expect(await press(admin, 'bot-relay:alert:mute:1')).toBe('Muted for 1 h.');
    expect(await rig.store().alertLog.get(1)).toMatchObject({
      mutedUntil: rig.clock().now() + 3_600_000,
      mutedBy: 'Ann on Telegram',
    });
    expect(await press(admin, 'bot-relay:alert:acknowledge:1')).toBe('Acknowledged.');
    expect(await press(second, 'bot-relay:alert:acknowledge:1')).toBe(
      'Acknowledged by Ann on Telegram.',
    );
    expect(audited.map(([action]) => action)).toEqual([
      'alerts.retry-now',
      'alerts.replay',
      'alerts.mute',
      'alerts.acknowledge',
      'alerts.acknowledge',
    ]);
    expect(audited[0]?.[1]).toMatchObject({ user_id: admin, alert_id: 1, who: 'Ann on Telegram' });
    expect(rig.errors).toEqual([]);
  });

  it('are refused for a stranger, and that is noted', async () => {
    const { audited, bot, did, press } = await start();
    wrong(['backend_down', bot]);
    await newNode().look();
    expect(await press(stranger, 'bot-relay:alert:retry:1')).toContain('You may not do this');
    expect(did).toEqual([]);
    expect(audited).toMatchObject([['alerts.refused-press', { user_id: stranger, alert_id: 1 }]]);
    // Once an hour, however often they press.
    expect(await press(stranger, 'bot-relay:alert:mute:1')).toContain('You may not do this');
    expect(audited).toHaveLength(1);
    await press(stranger + 1, 'bot-relay:alert:mute:1');
    await rig.clock().advance(3_600_000);
    await press(stranger, 'bot-relay:alert:mute:1');
    expect(audited).toHaveLength(3);
  });

  it('are for the channel of the message, where a chat has several', async () => {
    const { bot, press, presses } = await start({ kinds: ['backend_down'] });
    const topic = { delay_seconds: 0, message_thread_id: 5, kinds: ['disk_low'] as const };
    await addChat(bot, { ...topic, allowed_user_ids: [stranger] });
    await presses.reload();
    wrong(['backend_down', bot], ['disk_low']);
    await newNode().look();
    expect(await press(stranger, 'bot-relay:alert:mute:2', 5)).toBe('Muted for 1 h.');
    expect(await press(admin, 'bot-relay:alert:mute:1', 5)).toBe('Muted for 1 h.');
    expect(await press(stranger, 'bot-relay:alert:mute:1', 5)).toContain('You may not do this');
  });

  it('do nothing for alerts of other channels, or buttons of other apps', async () => {
    const { answers, audited, did, press, receive } = await start();
    expect(await press(admin, 'bot-relay:alert:retry:99')).toBe('This alert is gone.');
    const from = { id: admin };
    const message = { message_id: 1, chat: { id: -5 } };
    receive('callback_query', { id: 'q', from, message, data: 'buy:alert:retry:1' });
    receive('callback_query', { id: 'q', from, message, data: 'bot-relay:alert:explode:1' });
    receive('callback_query', {
      id: 'q',
      from,
      message: { chat: { id: -6 } },
      data: 'bot-relay:alert:mute:1',
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect([answers.length, audited, did]).toEqual([1, [], []]);
  });

  it('/status answers in the chat, seldom', async () => {
    const { bot, receive } = await start();
    const chat = { id: -5, type: 'group' };
    const say = (text: string) =>
      receive('message', { message_id: 9, chat, from: { id: stranger }, text });
    const sent = async () => (await deliver()).map(({ text }) => text);
    say('/status@shop_bot');
    await vi.waitFor(async () => expect(await sent()).toEqual(['✅ All is well. No open alerts.']));
    say('/status');
    say('what does /status do?');
    say('/status@another_bot');
    await rig.clock().advance(5_000);
    wrong(['disk_low', 0, { free_bytes: 1e8, total_bytes: 1e10 }], ['weak_secret', bot]);
    await newNode().look();
    await deliver();
    say('/status');
    await vi.waitFor(async () =>
      expect(await sent()).toEqual([
        '1 open alert\n🔴 The data disk is almost full: 0.1 GB of 10.0 GB free.',
      ]),
    );
    await rig.clock().advance(5_000);
    say('/status@another_bot');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await sent()).toEqual([]);
  });

  it('/status names what is critical, however much else is open', async () => {
    const { bot, receive } = await start();
    await addChat(bot, { message_thread_id: 5, kinds: ['model_budget'] });
    const others = Array.from({ length: 1_100 }, (_, at) => at + 1_000);
    const one = { subject: '', params: {} };
    const critical = { kind: 'disk_low' as const, botId: 0, ...one };
    await rig.store().alertLog.settle([critical], 1);
    const warnings = others.map((botId) => ({ kind: 'backlog' as const, botId, ...one }));
    await rig.store().alertLog.settle([critical, ...warnings], 2);
    const chat = { id: -5, type: 'group' };
    receive('message', { message_id: 9, chat, from: { id: stranger }, text: '/status' });
    await vi.waitFor(async () => {
      const [said] = await deliver();
      expect(said?.text.split('\n')[1]).toContain('🔴 The data disk is almost full');
    });
  });

  it('/status in a topic answers for the channel of that topic', async () => {
    const { bot, presses, receive } = await start();
    await addChat(bot, { message_thread_id: 5, kinds: ['model_budget'] });
    await presses.reload();
    wrong(['disk_low']);
    await newNode().look();
    await deliver();
    const chat = { id: -5, type: 'supergroup' };
    const from = { id: stranger };
    const topic = { message_thread_id: 5, is_topic_message: true };
    receive('message', { message_id: 9, ...topic, chat, from, text: '/status' });
    await vi.waitFor(async () =>
      expect((await deliver()).map(({ text }) => text)).toEqual([
        '✅ All is well. No open alerts.',
      ]),
    );
  });

  it('/status in General, whose number Telegram refuses, is answered without it', async () => {
    const { bot, presses, receive } = await start();
    await addChat(bot, { kinds: ['model_budget'] });
    await presses.reload();
    const chat = { id: -5, type: 'supergroup', is_forum: true };
    receive('message', { message_id: 9, date: 9, chat, from: { id: stranger }, text: '/status' });
    await vi.waitFor(async () => {
      const [said] = await rig.queued();
      expect(said && JSON.parse(said.params)).toMatchObject({ chat_id: -5 });
      expect(said?.params).not.toContain('message_thread_id');
    });
  });
});
