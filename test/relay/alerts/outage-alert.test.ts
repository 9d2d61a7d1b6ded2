import { describe, expect, it, vi } from 'vitest';
import { reason } from '../../../src/core/reasons/reason.ts';
import { RelayError } from '../../../src/errors.ts';
import { PlatformRefused, PlatformUnreachable } from '../../../src/telegram/errors.ts';
import { createAlertWatch } from '../../../src/relay/alerts/alert-watch.ts';
import { createOutageAlert } from '../../../src/relay/alerts/outage-alert.ts';
import { alertChannelRig } from '../../support/rigs/alert-channel-rig.ts';

const rig = alertChannelRig('sqlite');

it('a database that does not answer is told once and resolved once, without it', async () => {
  const bot = await rig.addBot();
  await rig.addChat(bot);
  await rig.addWebhook('https://ops.example/alerts', { kinds: ['disk_low'] });
  const calls: { method: string; text: string; message_id?: number }[] = [];
  const clock = rig.clock();
  let isAway = false;
  const outage = createOutageAlert({
    clock,
    store: rig.store(),
    log: rig.store().alertLog,
    publicUrl: '',
    async callPlatform(token, method, params) {
      expect(token).toContain(':a-token');
      calls.push({ method, ...(params as { text: string; message_id?: number }) });
      return { message_id: 44 };
    },
    async callWebhook() {
      throw new Error('it does not want to know');
    },
    publish: (type, { kind }) => rig.events.push(`${type} ${kind}`),
    onError: (error) => rig.errors.push(error),
  });
  const watch = createAlertWatch({
    clock,
    log: rig.store().alertLog,
    async conditions() {
      if (isAway) throw new RelayError('database_unavailable', reason('abandoned'));
      return [];
    },
    sender: { round: async () => false },
    lead: undefined,
    node: () => 'n',
    outage,
    publish() {},
    onError() {},
  });
  const ending = new AbortController();
  const ended = watch.run(ending.signal);
  const pass = async (minutes: number) => {
    for (let passed = 0; passed < minutes * 6; passed++) {
      await clock.advance(10_000);
      // The database of this test needs real moments.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  await pass(1);
  isAway = true;
  await pass(1);
  expect(calls).toEqual([]);
  await pass(9);
  expect(calls).toHaveLength(1);
  expect(calls[0]?.text).toContain('🔴 The database does not answer.');
  isAway = false;
  await vi.waitFor(async () => {
    await pass(1);
    expect(calls).toHaveLength(2);
  });
  expect(calls[1]).toMatchObject({ method: 'editMessageText', message_id: 44 });
  expect(calls[1]?.text).toContain('Resolved after');
  await pass(2);
  expect(calls).toHaveLength(2);
  const stored = await rig.store().alertLog.list({ botIds: null, limit: 5 });
  expect(stored).toMatchObject([{ kind: 'database_unreachable' }]);
  expect(stored[0]?.resolvedAt).toBeGreaterThan(0);
  expect([rig.events, rig.errors]).toEqual([['alert.resolved database_unreachable'], []]);
  ending.abort(new Error('over'));
  await ended;
});

it('the node that told of it tells of its end, also when another one watches by then', async () => {
  await rig.addChat(await rig.addBot(), { delay_seconds: 0 });
  const methods: string[] = [];
  const outage = outageTo((method) => {
    methods.push(method);
    return { message_id: 4 };
  });
  let isAway = false;
  let isLeading = true;
  const watch = createAlertWatch({
    clock: rig.clock(),
    log: rig.store().alertLog,
    conditions: async () => [],
    sender: { round: async () => false },
    async lead() {
      if (isAway) throw new RelayError('database_unavailable', reason('abandoned'));
      return isLeading;
    },
    node: () => 'a',
    outage,
    publish() {},
    onError() {},
  });
  const ending = new AbortController();
  const ended = watch.run(ending.signal);
  const isTold = (count: number) =>
    vi.waitFor(async () => {
      await rig.clock().advance(5_000);
      expect(methods).toHaveLength(count);
    });
  await rig.clock().advance(11_000);
  isAway = true;
  await isTold(1);
  isAway = false;
  isLeading = false;
  await isTold(2);
  expect(methods).toEqual(['sendMessage', 'editMessageText']);
  ending.abort(new Error('over'));
  await ended;
});

describe('a message about it', () => {
  const lost = (written: boolean) => () => {
    throw new PlatformUnreachable('timeout', written, reason('abandoned'));
  };
  const refused = () => {
    throw new PlatformRefused(403, 'Forbidden: bot was kicked from the group chat');
  };

  it.each([
    ['is not repeated when its outcome is unknown', lost(true), 1],
    ['is not repeated when the chat refuses the bot', refused, 1],
    ['is repeated a few times when nothing was sent', lost(false), 8],
  ])('%s', async (_, answer, expected) => {
    await rig.addChat(await rig.addBot(), { delay_seconds: 0 });
    let calls = 0;
    const outage = outageTo(() => {
      calls++;
      return answer();
    });
    await outage.remember();
    for (let minutes = 0; minutes < 120; minutes++) {
      await rig.clock().advance(60_000);
      await outage.down();
    }
    expect(calls).toBe(expected);
  });
});

function outageTo(answer: (method: string) => unknown) {
  return createOutageAlert({
    clock: rig.clock(),
    store: rig.store(),
    log: rig.store().alertLog,
    publicUrl: '',
    callPlatform: async (_token, method) => answer(method),
    callWebhook: async () => null,
    publish() {},
    onError() {},
  });
}
