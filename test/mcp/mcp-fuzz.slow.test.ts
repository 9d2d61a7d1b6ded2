import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tools } from '../../src/http/mcp/tool-table.ts';
import { serviceForAllTests } from '../support/whole-service.ts';

const names = Object.keys(tools);
const actionNames = Object.values(tools).flatMap(({ actions }) => Object.keys(actions));
const fields = [
  'bot_id',
  'chat_id',
  'user_id',
  'id',
  'text',
  'q',
  'limit',
  'before',
  'state',
  'options',
  'idempotency_key',
  '__proto__',
];

const value = fc.oneof(
  fc.integer(),
  fc.constantFrom(0, 1, -1, '', '1', null, true, 2 ** 53),
  fc.string(),
  fc.jsonValue({ maxDepth: 2 }),
);
const given = fc.dictionary(fc.oneof(fc.constantFrom(...fields), fc.string()), value, {
  maxKeys: 6,
});
const call = fc.record({
  jsonrpc: fc.constant('2.0'),
  id: fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
  method: fc.oneof(
    { weight: 8, arbitrary: fc.constant('tools/call') },
    { weight: 1, arbitrary: fc.constantFrom('resources/read', 'prompts/get', 'tools/list') },
    { weight: 1, arbitrary: fc.string() },
  ),
  params: fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        name: fc.oneof(fc.constantFrom(...names), fc.string()),
        arguments: fc
          .tuple(given, fc.oneof(fc.constantFrom(...actionNames), value))
          .map(([input, action]) => ({ ...input, action })),
      }),
    },
    { weight: 1, arbitrary: fc.record({ uri: fc.string(), requestState: fc.string() }) },
    { weight: 1, arbitrary: value },
  ),
});

describe('the MCP endpoint', () => {
  const relay = serviceForAllTests('sqlite', { RELAY_RATE_PER_KEY: '100000' });

  it('answers a thousand wrong calls without failing', async () => {
    const bot = await relay.addBot({ manage_enabled: true });
    const { key } = await relay.call<{ key: string }>('/api/auth/api-keys', {
      name: 'fuzz',
      scope: 'manage',
    });
    const envelope = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const property = fc.asyncProperty(call, fc.boolean(), async (message, isModern) => {
      const params = message.params as Record<string, unknown> | null;
      const isObject = typeof params === 'object' && params !== null && !Array.isArray(params);
      const body =
        isModern && isObject ? { ...message, params: { ...params, _meta: envelope } } : message;
      const answer = await fetch(`${relay.service().address}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      expect(answer.status, text).toBeLessThan(500);
      expect(text).not.toContain('"code":"internal"');
      // The protocol answers wrong parameters of 2025 clients like this; nothing of ours may.
      if (text.includes('-32603')) expect(text).toMatch(/Invalid (?:input|option)/);
    });
    await fc.assert(property, { seed: 20_260_131, numRuns: 1_000 });
    expect(bot.id).toBeGreaterThan(0);
  });
});
