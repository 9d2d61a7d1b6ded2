import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it, onTestFinished } from 'vitest';
import { createMachine } from '../support/command.ts';
import { command } from '../mcp/support.ts';

it('serves MCP for the service of this machine, also after it was started anew', async () => {
  const { env, json, startService, token } = await createMachine();
  await json(['bots', 'add', '--name', 'Shop', '--token-stdin'], `${token}\n`);
  const service = await startService();
  const client = new Client({ name: 'agent', version: '1' });
  const own = { ...(process.env as Record<string, string>), ...env };
  const args = [command, 'mcp'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env: own }));
  onTestFinished(() => client.close());
  const list = async () =>
    JSON.stringify(await client.callTool({ name: 'bots', arguments: { action: 'list' } }));
  expect(await list()).toContain('Shop');
  await service.close();
  await expect(list()).rejects.toThrow('No service runs on this data directory.');
  await startService();
  expect(await list()).toContain('Shop');
});
