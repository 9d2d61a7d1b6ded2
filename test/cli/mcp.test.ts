import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it, onTestFinished } from 'vitest';
import { command as runCommand, createMachine } from '../support/command.ts';
import { serve } from '../support/local-server.ts';
import { relayLauncher } from '../support/relay-process.ts';

it('serves MCP for the service of this machine, also after it was started anew', async () => {
  const { env, json, startService, token } = await createMachine();
  await json(['bots', 'add', '--name', 'Shop', '--token-stdin'], `${token}\n`);
  const service = await startService();
  const client = new Client({ name: 'agent', version: '1' });
  const own = { ...(process.env as Record<string, string>), ...env };
  const args = [await relayLauncher(), 'mcp'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env: own }));
  onTestFinished(() => client.close());
  const list = async () =>
    JSON.stringify(await client.callTool({ name: 'bots', arguments: { action: 'list' } }));
  expect(await list()).toContain('Shop');
  await service.close();
  await expect(list()).rejects.toThrow('No service runs on the data directory');
  await startService();
  expect(await list()).toContain('Shop');
});

it('fails, and is not taken for misused, where no service runs or it refuses the key', async () => {
  const { env, run } = await createMachine();
  const missing = await run(['mcp', '--json']);
  expect({ ...missing, stderr: JSON.parse(missing.stderr) as object }).toEqual({
    code: 1,
    stdout: '',
    stderr: {
      error: expect.stringMatching(/^No service runs on the data directory .*, or use --url\.$/),
      code: 'service_unreachable',
    },
  });
  const away = ['mcp', '--url', 'http://127.0.0.1:1', '--key', 'brs_x'];
  expect(await runCommand(away)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Cannot reach the service at http://127.0.0.1:1.'),
  });
  const refusing = await serve((_request, response) =>
    response.writeHead(401).end('{"error": "Unknown API key.", "code": "unauthorized"}'),
  );
  onTestFinished(refusing.close);
  expect(await run(['mcp', '--url', refusing.url, '--key', 'brs_x'])).toMatchObject({
    code: 1,
    stderr: 'bot-relay: Unknown API key.\n',
  });
  const misused = await runCommand(['mcp', '--url', 'relay.example.org'], { env });
  expect(misused.code).toBe(2);
});
