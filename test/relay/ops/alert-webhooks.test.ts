import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { webhookKey, webhookSignature } from '../../../src/core/delivery/webhook-signature.ts';
import { dialects } from '../../support/database/engines.ts';
import { serve } from '../../support/local-server.ts';
import { alertChannelRig } from '../../support/rigs/alert-channel-rig.ts';

interface Call {
  id: string;
  isSigned: boolean;
  body: { type: string; timestamp: string; data: Record<string, unknown> };
}

describe.each(dialects)('webhooks of alerts (%s)', (dialect) => {
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
    const endless = await serve((_, reply) => {
      reply.writeHead(200);
      const dripping = setInterval(() => reply.write('x'), 100);
      reply.on('close', () => clearInterval(dripping));
    });
    onTestFinished(() => endless.close());
    await addWebhook(`${endless.url}/alerts`, { delay_seconds: 0 });
    const node = newNode();
    wrong(['disk_low']);
    await look(node);
    expect(await rig.store().alertMessages.get(1, 1)).toMatchObject({ state: 'sent', error: '' });
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
