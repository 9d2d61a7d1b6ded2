import { describe, expect, it } from 'vitest';
import { serviceForAllTests } from '../support/whole-service.ts';

describe('the rate limit of a key over MCP', () => {
  // A burst of ten.
  const relay = serviceForAllTests('sqlite', { RELAY_RATE_PER_KEY: '1' });

  const newKey = async () =>
    (await relay.call<{ key: string }>('/api/auth/api-keys', { name: 'agent', scope: 'read' })).key;
  async function post(key: string, body: object) {
    const answer = await fetch(`${relay.service().address}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(body),
    });
    return { status: answer.status, text: await answer.text() };
  }
  const call = (id: number, action = 'list') => {
    const params = { name: 'bots', arguments: { action } };
    return { jsonrpc: '2.0', id, method: 'tools/call', params };
  };

  it('counts a call once', async () => {
    const key = await newKey();
    for (let id = 1; id <= 9; id++) {
      const { status, text } = await post(key, call(id));
      expect(status, text).toBe(200);
      expect(text).not.toContain('rate_limited');
    }
  });

  it('counts calls that reach no endpoint, and records only those', async () => {
    const key = await newKey();
    const batch = Array.from({ length: 20 }, (_, id) => call(id, 'nonsense'));
    expect((await post(key, batch)).text.match(/must be one of/g)).toHaveLength(20);
    const log = await relay.call<{ input: { action?: string } }[]>(
      '/api/adminlog?limit=200&action=mcp.call',
    );
    const recorded = log.filter(({ input }) => input.action === 'nonsense').length;
    expect(recorded).toBeGreaterThan(5);
    expect(recorded).toBeLessThan(15);
  });

  it('counts each call of a batch, takes no long one, and records no call that it refuses', async () => {
    const batch = (length: number) => Array.from({ length }, (_, id) => call(id));
    const key = await newKey();
    const { status, text } = await post(key, batch(20));
    expect(status).toBe(200);
    const refused = text.match(/rate_limited/g)?.length ?? 0;
    expect(refused).toBeGreaterThan(5);
    const log = await relay.call<{ action: string; actor: { id: number } }[]>(
      '/api/adminlog?limit=200&action=mcp.call',
    );
    const [{ actor } = { actor: { id: 0 } }] = log;
    expect(log.filter((entry) => entry.actor.id === actor.id)).toHaveLength(20 - refused);
    expect(await post(await newKey(), batch(21))).toMatchObject({
      status: 400,
      text: expect.stringContaining('at most 20'),
    });
  });
});
