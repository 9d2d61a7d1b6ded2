import { describe, expect, it } from 'vitest';
import { serviceForAllTests } from '../support/whole-service.ts';

/** All versions of the protocol in which a client sends `initialize`, and the one without it. */
const earlier = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const latest = '2026-07-28';

describe('the MCP endpoint', () => {
  const relay = serviceForAllTests('sqlite');

  async function poster(version: string) {
    const body = { name: version, scope: 'read' };
    const { key } = await relay.call<{ key: string }>('/api/auth/api-keys', body);
    const about = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    return async (method: string, params: Record<string, unknown>, named = true) => {
      const isLatest = version === latest;
      const answer = await fetch(`${relay.service().address}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(named ? { 'mcp-protocol-version': version } : {}),
          ...(isLatest ? { 'mcp-method': method } : {}),
          ...(isLatest && params['name'] ? { 'mcp-name': params['name'] as string } : {}),
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method,
          params: { ...params, ...(isLatest ? { _meta: about } : {}) },
        }),
      });
      const text = await answer.text();
      expect(answer.status, text).toBe(200);
      const json = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '');
      return (JSON.parse(json) as { result: Record<string, unknown> }).result;
    };
  }

  async function works(post: Awaited<ReturnType<typeof poster>>) {
    expect(await post('tools/list', {})).toMatchObject({
      tools: expect.arrayContaining([expect.objectContaining({ name: 'bots' })]),
    });
    const called = await post('tools/call', { name: 'bots', arguments: { action: 'list' } });
    expect(called).toMatchObject({ isError: false });
    expect(await post('prompts/list', {})).toMatchObject({ prompts: [{}, {}] });
    expect(await post('resources/list', {})).toMatchObject({ resources: expect.any(Array) });
  }

  it.each(earlier)('answers clients of %s', async (protocolVersion) => {
    const post = await poster(protocolVersion);
    const clientInfo = { name: 'test', version: '1' };
    const connecting = { protocolVersion, capabilities: {}, clientInfo };
    expect(await post('initialize', connecting, false)).toMatchObject({
      protocolVersion,
      serverInfo: { name: 'bot-relay' },
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: expect.stringContaining('data of third parties'),
    });
    await works(post);
  });

  it('has no stream and no session, so any node answers', async () => {
    const body = { name: 'agent', scope: 'read' };
    const { key } = await relay.call<{ key: string }>('/api/auth/api-keys', body);
    for (const method of ['GET', 'DELETE']) {
      const { status } = await fetch(`${relay.service().address}/mcp`, {
        method,
        headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
      });
      expect(status, method).toBe(405);
    }
  });

  it(`answers clients of ${latest}`, async () => {
    const post = await poster(latest);
    expect(await post('server/discover', {})).toMatchObject({
      supportedVersions: [latest],
      instructions: expect.stringContaining('data of third parties'),
    });
    await works(post);
  });
});
