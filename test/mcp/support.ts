import {
  type CallToolResult,
  Client,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as SdkClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as SdkStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as SdkHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { onTestFinished } from 'vitest';
import { tools } from '../../src/http/mcp/tool-table.ts';
import { relayLauncher } from '../support/relay-process.ts';

export type Era = 'modern' | 'legacy';
export const eras: readonly Era[] = ['modern', 'legacy'];

/** The official client, which asks its person with `ask`. */
export function newClient(era: Era, ask?: (message: string) => boolean): Client {
  const mode = era === 'legacy' ? 'legacy' : 'auto';
  const client = new Client(
    { name: 'story', title: 'Story teller', version: '1.0.0' },
    {
      versionNegotiation: { mode },
      ...(ask ? { capabilities: { elicitation: {} } } : {}),
    },
  );
  if (ask) {
    client.setRequestHandler('elicitation/create', ({ params }) => ({
      action: 'accept' as const,
      content: { confirm: ask(params.message) },
    }));
  }
  return client;
}

const httpOf = (address: string, key: string) =>
  [
    new URL(`${address}/mcp`),
    { requestInit: { headers: { authorization: `Bearer ${key}` } } },
  ] as const;
const programOf = async (address: string, key: string) => ({
  command: process.execPath,
  args: [await relayLauncher(), 'mcp', '--url', address],
  env: { ...(process.env as Record<string, string>), RELAY_API_KEY: key },
});

export async function connected(
  address: string,
  key: string,
  era: Era = 'modern',
  ask?: (message: string) => boolean,
): Promise<Client> {
  const client = newClient(era, ask);
  await client.connect(new StreamableHTTPClientTransport(...httpOf(address, key)));
  onTestFinished(() => client.close());
  return client;
}

/** The same over the standard input and output of `bot-relay mcp`. */
export async function connectedByStdio(
  address: string,
  key: string,
  era: Era = 'modern',
  ask?: (message: string) => boolean,
): Promise<Client> {
  const client = newClient(era, ask);
  await client.connect(new StdioClientTransport(await programOf(address, key)));
  onTestFinished(() => client.close());
  return client;
}

/** The client of the package of 2025, which most agents have. */
export async function connectedBySdk(
  address: string,
  key: string,
  way: 'HTTP' | 'stdio',
): Promise<Caller> {
  const client = new SdkClient({ name: 'story', title: 'Story teller', version: '1.0.0' });
  const transport =
    way === 'HTTP'
      ? new SdkHttp(...httpOf(address, key))
      : new SdkStdio(await programOf(address, key));
  // The package is not written for exact optional properties.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  onTestFinished(() => client.close());
  return client;
}

/** What all clients can do. */
export interface Caller {
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<object>;
}

export const textOf = ({ content }: Pick<CallToolResult, 'content'>): string =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join('');

export interface Answer<T> {
  isError: boolean;
  json: { result: T; third_party?: string[]; note?: string; code?: string };
}

export async function callTool<T = unknown>(
  client: Caller,
  name: string,
  given: Record<string, unknown> = {},
): Promise<Answer<T>> {
  const result = (await client.callTool({ name, arguments: given })) as CallToolResult;
  const text = textOf(result);
  const json = text.startsWith('{') ? JSON.parse(text) : { code: text };
  return { isError: result.isError === true, json };
}

/** All actions of all tools, with the endpoints that they call. */
export const allActions = Object.entries(tools).flatMap(([tool, { actions }]) =>
  Object.entries(actions).map(([name, { call, named = {}, set = {} }]) => ({
    tool,
    action: Object.keys(actions).length > 1 ? { action: name } : {},
    call,
    named,
    set,
  })),
);
export type AnyAction = (typeof allActions)[number];

export interface Outcome {
  isError: boolean;
  json: Record<string, unknown>;
}

/** Calls an action with those of the values that it takes. */
export async function callWith(
  client: Client,
  { action, tool }: AnyAction,
  given: Readonly<Record<string, unknown>>,
): Promise<Outcome> {
  const failed = (error: Error): Outcome => ({ isError: true, json: { code: error.message } });
  const use = (values: object) =>
    callTool(client, tool, { ...values, ...action }).then(
      ({ isError, json }): Outcome => ({ isError, json: { ...json } }),
      failed,
    );
  const first = await use(given);
  const takes = /It takes ([^.]*)\./.exec(String(first.json['code']))?.[1]?.split(', ');
  if (!takes) return first;
  return use(Object.fromEntries(Object.entries(given).filter(([name]) => takes.includes(name))));
}
