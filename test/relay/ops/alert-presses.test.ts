import { describe, expect, it, vi } from 'vitest';
import type { SendRequest } from '../../../src/core/ports.ts';
import { createAlertPresses } from '../../../src/relay/ops/alert-presses.ts';
import { dialects } from '../../support/database/engines.ts';
import { alertChannelRig } from '../../support/rigs/alert-channel-rig.ts';

const admin = 7;
const stranger = 8;

describe.each(dialects)('buttons and commands in a chat of alerts (%s)', (dialect) => {
  const rig = alertChannelRig(dialect);
  const { addBot, addChat, deliver, newNode, wrong } = rig;

  async function start() {
    const bot = await addBot();
    await addChat(bot, { delay_seconds: 0, allowed_user_ids: [admin] });
    const answers: SendRequest[] = [];
    const did: unknown[] = [];
    const audited: [string, Record<string, unknown>][] = [];
    const presses = createAlertPresses({
      clock: rig.clock(),
      store: rig.store(),
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
          return 2;
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
    const press = async (userId: number, data: string, chatId = -5) => {
      const before = answers.length;
      const from = { id: userId, first_name: 'Ann' };
      const message = { message_id: 1, chat: { id: chatId, type: 'group' } };
      receive('callback_query', { id: 'q', from, message, data });
      await vi.waitFor(() => expect(answers.length).toBe(before + 1));
      return String(answers.at(-1)?.params['text']);
    };
    return { bot, presses, answers, did, audited, press, receive };
  }

  it('retry, replay and mute for those who may', async () => {
    const { audited, bot, did, press } = await start();
    wrong(['backend_down', bot], ['dead_letters', bot, { app: 'shop' }]);
    await newNode().look();
    expect(await press(admin, 'bot-relay:alert:retry:1')).toBe('Retrying.');
    expect(did).toEqual([['check', bot, 'default'], ['retry', bot, 'default'], 'woken']);
    did.length = 0;
    expect(await press(admin, 'bot-relay:alert:replay:2')).toBe('Replaying 2 updates.');
    expect(did[0]).toEqual(['replay', { bot_id: bot, app: 'shop', all_dead: true }]);
    expect(await press(admin, 'bot-relay:alert:mute:1')).toBe('Muted for 1 h.');
    const muted = (await rig.store().alertLog.get(1))?.mutedUntil;
    expect(muted).toBe(rig.clock().now() + 3_600_000);
    expect(audited.map(([action]) => action)).toEqual([
      'alerts.retry-now',
      'alerts.replay',
      'alerts.mute',
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
  });
});
