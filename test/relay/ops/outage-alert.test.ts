import { expect, it, vi } from 'vitest';
import { reason } from '../../../src/core/reasons/reason.ts';
import { RelayError } from '../../../src/errors.ts';
import { createAlertWatch } from '../../../src/relay/ops/alert-watch.ts';
import { createOutageAlert } from '../../../src/relay/ops/outage-alert.ts';
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
