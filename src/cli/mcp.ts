import { once } from 'node:events';
import type { Server, ServerContext } from '@modelcontextprotocol/server';
import type { Command } from './command.ts';
import { ServiceUnreachable } from '../api-client.ts';
import { reason } from '../core/reasons/reason.ts';
import { version } from '../version.ts';
import type { CommandContext } from './context.ts';

const protocol = '2026-07-28';
const methods = [
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
] as const;

type Fields = Record<string, unknown>;

export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('serve MCP on standard input and output, for an agent on this machine')
    .addHelpText(
      'after',
      '\nThe agent may do what the key may do. Without RELAY_API_KEY or --key, that is everything on this machine.\n\nExample:\n  RELAY_API_KEY=brs_… bot-relay mcp --url https://relay.example.org\n',
    )
    .run(async (context) => {
      await serve(context.running);
    });
}

/** Passes each request on to the endpoint /mcp of the service, which has the tools and their rights. */
async function serve(running: CommandContext['running']): Promise<void> {
  const { ProtocolError, Server } = await import('@modelcontextprotocol/server');
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  let requests = 0;

  async function forward(
    method: string,
    params: Fields,
    about: Fields,
    signal?: AbortSignal,
  ): Promise<Fields> {
    const name = params['name'] ?? params['uri'];
    // A service on this machine has another key after each start.
    const { key, url } = running();
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': protocol,
        'mcp-method': method,
        ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: ++requests,
        method,
        params: { ...params, _meta: about },
      }),
      redirect: 'manual',
      ...(signal ? { signal } : {}),
    }).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw new ServiceUnreachable(reason('service_silent', { url }), error);
    });
    // A proxy before the service may answer with a page.
    const answer = (await response.json().catch(() => ({}))) as {
      result?: Fields;
      error?: { code: number; message: string; data?: unknown } | string;
    };
    if (answer.result) return answer.result;
    const { error } = answer;
    if (typeof error === 'object') throw new ProtocolError(error.code, error.message, error.data);
    throw new ProtocolError(-32_603, error ?? `The service answered ${response.status}.`);
  }

  const own = aboutClient({ name: 'bot-relay mcp', version }, {});
  const { instructions } = await forward('server/discover', {}, own);

  const handle = serveStdio(() => {
    const server = new Server(
      { name: 'bot-relay', title: 'Bot Relay', version },
      {
        capabilities: { tools: {}, resources: {}, prompts: {} },
        ...(typeof instructions === 'string' ? { instructions } : {}),
      },
    );
    for (const method of methods) {
      server.setRequestHandler(method, async ({ params = {} }, context) => {
        const { inputResponses } = context.mcpReq;
        const requestState = context.mcpReq.requestState();
        const round = {
          ...(inputResponses ? { inputResponses } : {}),
          ...(requestState === undefined ? {} : { requestState }),
        };
        // The service has checked the result.
        return (await forward(
          method,
          { ...params, ...round },
          clientOf(server, context),
          context.mcpReq.signal,
        ).catch((error: unknown) => {
          if (!(error instanceof ServiceUnreachable)) throw error;
          throw new ProtocolError(-32_603, error.message);
        })) as never;
      });
    }
    return server;
  });
  await once(process.stdin, 'close');
  await handle.close();
}

const aboutClient = (info: unknown, capabilities: unknown): Fields => ({
  'io.modelcontextprotocol/protocolVersion': protocol,
  'io.modelcontextprotocol/clientInfo': info,
  'io.modelcontextprotocol/clientCapabilities': capabilities,
});

/** The agent as it named itself: with each request, or when it connected. */
function clientOf(server: Server, { mcpReq }: ServerContext): Fields {
  const envelope = (mcpReq.envelope ?? {}) as Fields;
  return aboutClient(
    envelope['io.modelcontextprotocol/clientInfo'] ??
      server.getClientVersion() ?? { name: 'unknown', version: '0' },
    envelope['io.modelcontextprotocol/clientCapabilities'] ?? server.getClientCapabilities() ?? {},
  );
}
