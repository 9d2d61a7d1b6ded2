/* Connects as the clients would that have the configurations of the guide. */
import { readFileSync } from 'node:fs';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serviceForAllTests } from '../support/whole-service.ts';
import { relayLauncher } from '../support/relay-process.ts';

interface Http {
  url: string;
  headers: Record<string, string>;
}
interface Configured {
  url?: string;
  httpUrl?: string;
  headers?: Record<string, string>;
  command?: string;
  args?: string[];
}

const guide = readFileSync(new URL('../../docs/mcp.md', import.meta.url), 'utf8');
const part = guide.slice(guide.indexOf('## Configure'), guide.indexOf('## Tools'));
const blocks = [...part.matchAll(/^```(\w+)\n([^]*?)^```/gm)].map(([, language, text = '']) => ({
  language,
  text,
}));
const servers = blocks
  .filter(({ language }) => language === 'json')
  .map(({ text }) => {
    const { mcpServers, servers: own } = JSON.parse(text) as Record<
      string,
      Record<string, Configured> | undefined
    >;
    return (mcpServers ?? own)?.['bot-relay'] as Configured;
  });
const textOf = (name: string) => blocks.find(({ language }) => language === name)?.text ?? '';

/** Clients put the key there. */
const keyed = (text: string, key: string) =>
  text.replace(/\$\{(?:env:)?RELAY_API_KEY\}|\$\{input:relay-key\}|\$RELAY_API_KEY/, key);

describe('the configurations of the guide to MCP', () => {
  const relay = serviceForAllTests('sqlite');
  const newKey = async () =>
    (await relay.call<{ key: string }>('/api/auth/api-keys', { name: 'agent', scope: 'read' })).key;

  async function listsBots(connect: (client: Client) => Promise<void>): Promise<void> {
    const client = new Client({ name: 'guide', version: '1' });
    await connect(client);
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('bots');
  }

  it('for clients that call an address connect with a key', async () => {
    const [, url = '', header = ''] =
      /bot-relay (\S+) --header "Authorization: ([^"]+)"/.exec(textOf('sh')) ?? [];
    const codex = Object.fromEntries(
      [...textOf('toml').matchAll(/^(\w+) = "(.*)"$/gm)].map(([, name, value]) => [name, value]),
    );
    expect(codex).toMatchObject({ bearer_token_env_var: 'RELAY_API_KEY' });
    const all: Http[] = [
      { url, headers: { Authorization: header } },
      { url: codex['url'] ?? '', headers: { Authorization: 'Bearer $RELAY_API_KEY' } },
      ...servers.flatMap(({ headers, httpUrl, url: address = httpUrl }) =>
        address && headers ? [{ url: address, headers }] : [],
      ),
    ];
    expect(all).toHaveLength(6);
    const key = await newKey();
    for (const one of all) {
      const address = one.url.replace('http://127.0.0.1:8080', relay.service().address);
      const authorization = keyed(one.headers['Authorization'] ?? '', key);
      expect(authorization).toBe(`Bearer ${key}`);
      const headers = { authorization };
      const transport = new StreamableHTTPClientTransport(new URL(address), {
        requestInit: { headers },
      });
      await listsBots((client) => client.connect(transport));
    }
  });

  it('for clients that start a program start it', async () => {
    const [program, ...others] = servers.filter((one) => one.command !== undefined);
    expect(others).toEqual([]);
    const [yes, name, ...args] = program?.args ?? [];
    expect([program?.command, yes, name]).toEqual(['npx', '-y', 'bot-relay']);
    const { address } = relay.service();
    const given = args.map((one) => one.replace('https://relay.example.org', address));
    expect(given).toContain(address);
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [await relayLauncher(), ...given],
      env: { ...(process.env as Record<string, string>), RELAY_API_KEY: await newKey() },
    });
    await listsBots((client) => client.connect(transport));
  });
});
