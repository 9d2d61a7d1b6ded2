import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { webhookKey, webhookSignature } from '../../../src/core/delivery/webhook-signature.ts';
import { eitherDialect } from '../../support/database/engines.ts';
import { serve } from '../../support/local-server.ts';
import { alertChannelRig } from '../../support/rigs/alert-channel-rig.ts';

interface Call {
  id: string;
  isSigned: boolean;
  body: { type: string; timestamp: string; data: Record<string, unknown> };
}

describe.each(eitherDialect)('webhooks of alerts (%s)', (dialect) => {
  const rig = alertChannelRig(dialect);
  const { addBot, addChat, addWebhook, deliver, newNode, settled, wrong } = rig;
  let calls: Call[];
  let status: number;
  let hook: Awaited<ReturnType<typeof serve>>;
  beforeEach(async () => {
    calls = [];
    status = 200;
    hook = await serve(async (request, reply) => {
      let text = '';
      for await (const chunk of request) text += String(chunk);
      const id = String(request.headers['webhook-id']);
      const seconds = Number(request.headers['webhook-timestamp']);
      const signature = webhookSignature(webhookKey('whsec_c2VjcmV0'), id, seconds, text);
      const isSigned = request.headers['webhook-signature'] === signature;
      calls.push({ id, isSigned, body: JSON.parse(text) as Call['body'] });
      reply.writeHead(status).end();
    });
  });
  afterEach(() => hook.close());

  /** A round, and the end of what it began. */
  async function look(node: ReturnType<typeof newNode>): Promise<void> {
    await node.look();
    await settled();
  }

  it('tell of each step, signed, by the names of the specification', async () => {
    const bot = await addBot();
    await addWebhook(`${hook.url}/alerts`, { delay_seconds: 0 });
    const node = newNode();
    wrong(['dead_letters', bot, { bot: 'Shop', count: 2 }]);
    await look(node);
    await look(node);
    wrong(['dead_letters', bot, { bot: 'Shop', count: 3 }]);
    await rig.clock().advance(61_000);
    await look(node);
    await look(node);
    wrong();
    await look(node);
    await look(node);
    await look(node);
    expect(rig.errors).toEqual([]);
    expect(calls.map(({ body }) => body.type)).toEqual([
      'alert.opened',
      'alert.changed',
      'alert.resolved',
    ]);
    expect(calls.every(({ isSigned }) => isSigned)).toBe(true);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
    expect(calls[0]?.body).toEqual({
      type: 'alert.opened',
      timestamp: '2026-01-15T12:00:00.000Z',
      data: {
        id: 1,
        kind: 'dead_letters',
        severity: 'warning',
        bot_id: bot,
        params: { bot: 'Shop', count: 2 },
        text: 'Shop: 2 updates failed after all retries.',
        url: `https://relay.example/bots/${bot}`,
      },
    });
  });

  it('are retried with the same id, and with an end; another channel tells of it', async () => {
    const bot = await addBot();
    const webhook = await addWebhook(`${hook.url}/alerts`, { delay_seconds: 0 });
    const chat = await addChat(bot, { delay_seconds: 0, kinds: ['channel_failing'] });
    status = 500;
    const told: object[] = [];
    const node = newNode();
    wrong(['disk_low']);
    for (let turn = 0; turn < 20; turn++) {
      await look(node);
      told.push(...(await deliver()));
      await rig.clock().advance(5 * 60_000);
    }
    expect(calls).toHaveLength(8);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(1);
    expect(await rig.store().alertMessages.get(1, webhook.id)).toMatchObject({
      state: 'failed',
      instead: chat.id,
    });
    expect((await rig.store().alertChannels.get(webhook.id))?.error).toContain('500');
    expect(told).toMatchObject([{ method: 'sendMessage' }]);
  });

  it('count as taken by the status, also when the body of the answer never ends', async () => {
    let drops = 0;
    const endless = await serve((_, reply) => {
      reply.writeHead(200);
      const dripping = setInterval(() => {
        drops++;
        reply.write('x');
      }, 100);
      reply.on('close', () => clearInterval(dripping));
    });
    onTestFinished(() => endless.close());
    await addWebhook(`${endless.url}/alerts`, { delay_seconds: 0 });
    const node = newNode();
    wrong(['disk_low']);
    await look(node);
    // Not after the ten seconds that a call may take.
    expect(drops).toBeLessThan(90);
    expect(await rig.store().alertMessages.get(1, 1)).toMatchObject({ state: 'sent', error: '' });
  });

  it('go to another channel after two minutes, and are still made', async () => {
    const bot = await addBot();
    const webhook = await addWebhook(`${hook.url}/alerts`, { delay_seconds: 0 });
    await addChat(bot, { delay_seconds: 0, kinds: ['channel_failing'] });
    status = 500;
    const node = newNode();
    wrong(['disk_low']);
    const at: number[] = [];
    const told: object[] = [];
    for (let second = 0; second < 300; second += 5) {
      const before = calls.length;
      await look(node);
      if (calls.length > before) at.push(second);
      told.push(...(await deliver()));
      await rig.clock().advance(5_000);
    }
    expect(at).toEqual([0, 10, 30, 70, 150]);
    expect(told).toHaveLength(1);
    status = 200;
    await rig.clock().advance(5 * 60_000);
    await look(node);
    expect(await rig.store().alertMessages.get(1, webhook.id)).toMatchObject({ state: 'sent' });
    expect((await rig.store().alertChannels.get(webhook.id))?.error).toBe('');
  });

  it('tell the end when the other side works again, though all calls about it failed', async () => {
    await addWebhook(`${hook.url}/alerts`, { delay_seconds: 0 });
    const node = newNode();
    wrong(['disk_low']);
    await look(node);
    await look(node);
    status = 500;
    wrong();
    for (let turn = 0; turn < 10; turn++) {
      await look(node);
      await rig.clock().advance(5 * 60_000);
    }
    expect(await rig.store().alertMessages.get(1, 1)).toMatchObject({ state: 'failed' });
    status = 200;
    await rig.clock().advance(10 * 60_000);
    for (let turn = 0; turn < 4; turn++) await look(node);
    expect(calls.at(-1)?.body.type).toBe('alert.resolved');
    expect(await rig.store().alertMessages.get(1, 1)).toMatchObject({ state: 'sent' });
  });

  it('that end late do not stand for the next one', async () => {
    const { alertLog, alertMessages } = rig.store();
    const { id } = await addWebhook(`${hook.url}/alerts`);
    const condition = { kind: 'disk_low', botId: 0, subject: '', params: {} } as const;
    const [opened] = await alertLog.settle([condition], 1);
    const [alert, row] = [opened?.alert, () => alertMessages.get(1, id)];
    if (!alert) throw new Error('no alert');
    await alertMessages.begin(id, [alert], { body: '{}' }, 1);
    const late = await row();
    if (!late) throw new Error('no row');
    await alertMessages.takeCall(late, 60_000);
    // Another node makes the call meanwhile, and the next one.
    await alertMessages.takeCall({ ...late, attempts: 1 }, 120_000);
    const why = ['', () => 0, 3] as const;
    await alertMessages.failed({ ...late, attempts: 1 }, ...why);
    await alertMessages.postpone({ ...late, attempts: 1 }, '', 9, 0, 3);
    expect(await row()).toMatchObject({ state: 'sending', nextAt: 120_000 });
    await alertMessages.sent({ ...late, attempts: 2 }, 1, 3);
    const [resolved] = await alertLog.settle([], 4);
    const [sent, alerts] = [await row(), new Map([[1, resolved?.alert ?? alert]])];
    if (!sent) throw new Error('no row');
    await alertMessages.renew([sent], alerts, { body: '{}' }, 1, 5);
    await alertMessages.sent({ ...late, attempts: 1 }, 1, 6);
    await alertMessages.failed({ ...late, attempts: 0 }, ...why);
    expect(await row()).toMatchObject({ state: 'sending', version: 2 });
  });

  it('are made by one of two nodes', async () => {
    await addWebhook(`${hook.url}/alerts`, { delay_seconds: 0 });
    wrong(['disk_low']);
    const nodes = [newNode(), newNode()];
    await Promise.all(nodes.map((node) => node.look()));
    await settled();
    await Promise.all(nodes.map((node) => node.look()));
    await settled();
    expect(calls).toHaveLength(1);
  });
});
