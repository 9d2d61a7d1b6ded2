import path from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serviceForAllTests } from '../support/whole-service.ts';
import { callTool, eras, newClient } from './support.ts';

const root = path.resolve(import.meta.dirname, '../..');

describe('bot-relay mcp', () => {
  const relay = serviceForAllTests('sqlite');

  async function open(client: Client, key: string): Promise<void> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [path.join(root, 'bin/bot-relay.js'), 'mcp', '--url', relay.service().address],
      env: { ...(process.env as Record<string, string>), RELAY_API_KEY: key },
    });
    await client.connect(transport);
    onTestFinished(() => client.close());
  }

  it.each(eras)('speaks for the service to a %s client, and asks its person', async (era) => {
    const { key } = await relay.call<{ key: string }>('/api/auth/api-keys', {
      name: 'agent',
      scope: 'manage',
    });
    const bot = await relay.addBot({ name: `for ${era}` });
    const other = await relay.addBot();
    const { id } = await relay.addRoute(bot, other);
    const asked: string[] = [];
    const client = newClient(era, (message) => asked.push(message) > 0);
    await open(client, key);
    const bots = await callTool<{ name: string }[]>(client, 'bots', { action: 'list' });
    expect(bots.json.result.map(({ name }) => name)).toContain(`for ${era}`);
    const removed = await callTool(client, 'routes', { action: 'delete', id });
    expect(removed.isError, JSON.stringify(removed)).toBe(false);
    expect(asked).toHaveLength(1);
    const log = JSON.stringify(await relay.call('/api/adminlog'));
    expect(log).toContain('agent (MCP: Story teller)');
  });
});
