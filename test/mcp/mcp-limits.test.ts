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
  const call = (id: number) => {
    const params = { name: 'bots', arguments: { action: 'list' } };
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

  it('counts each call of a batch', async () => {
    const batch = Array.from({ length: 60 }, (_, id) => call(id));
    const { status, text } = await post(await newKey(), batch);
    expect(status).toBe(200);
    expect(text).toContain('rate_limited');
  });
});
