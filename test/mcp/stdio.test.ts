import { describe, expect, it } from 'vitest';
import { serviceForAllTests } from '../support/whole-service.ts';
import { callTool, connectedByStdio, eras } from './support.ts';

describe('bot-relay mcp', () => {
  const relay = serviceForAllTests('sqlite');

  it.each(eras)('speaks for the service to a %s client, and asks its person', async (era) => {
    const { key } = await relay.call<{ key: string }>('/api/auth/api-keys', {
      name: 'agent',
      scope: 'manage',
    });
    const bot = await relay.addBot({ name: `for ${era}` });
    const other = await relay.addBot();
    const { id } = await relay.addRoute(bot, other);
    const asked: string[] = [];
    const client = await connectedByStdio(
      relay.service().address,
      key,
      era,
      (message) => asked.push(message) > 0,
    );
    const bots = await callTool<{ name: string }[]>(client, 'bots', { action: 'list' });
    expect(bots.json.result.map(({ name }) => name)).toContain(`for ${era}`);
    const removed = await callTool(client, 'routes', { action: 'delete', id });
    expect(removed.isError, JSON.stringify(removed)).toBe(false);
    expect(asked).toHaveLength(1);
    const log = JSON.stringify(await relay.call('/api/adminlog'));
    expect(log).toContain('agent (MCP: Story teller)');
  });
});
