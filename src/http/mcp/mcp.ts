/*
 * MCP over streamable HTTP at /mcp. Each request stands alone, so any node answers it. Tools call the
 * endpoints of the API in the name of the key, so its rights, limits and audit entries hold.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../clock.ts';
import type { Caller } from '../../core/access/access.ts';
import type { Vault } from '../../core/access/vault.ts';
import { reason } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import type { AuditLog } from '../../manage/access/audit.ts';
import { clientHeader, countedHeader } from '../auth.ts';
import type { EndpointCall, McpRequest } from './mcp-request.ts';
import { type EndpointResponse, searchEndIn } from './tool-result.ts';

export interface McpDeps {
  version: string;
  publicUrl: string;
  clock: Clock;
  vault: Pick<Vault, 'seal' | 'open'>;
  audit?: AuditLog;
}

const mostBytes = 262_144;
/** The rate limit counts a batch once, so it must not ask for a thousand lists of tools. */
const mostInBatch = 20;
const anyKey = { area: 'account', scope: 'read' } as const;
const localNames = new Set(['localhost', '127.0.0.1', '[::1]']);

export function installMcp(app: FastifyInstance, deps: McpDeps): void {
  const { gate, stopping } = app.relay;
  let loading: ReturnType<typeof load> | undefined;

  /** Most services never need it, so it is loaded by the first request. */
  async function load() {
    const [{ createMcpHandler }, { createMcpServer }, { bindTools }] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('./mcp-server.ts'),
      import('./tool-schema.ts'),
    ]);
    const all = { ...deps, tools: bindTools(app.relay.endpoints) };
    const handler = createMcpHandler(({ authInfo }) =>
      createMcpServer(all, authInfo?.extra?.['request'] as McpRequest),
    );
    stopping.addEventListener('abort', () => void handler.close(), { once: true });
    return handler;
  }
  const loaded = () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));

  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    requireOrigin(request.headers.origin, deps.publicUrl);
    reply.header('cache-control', 'no-store').header('www-authenticate', 'Bearer');
    // A session of the web UI must not count here: a page could use it.
    if (request.headers.authorization === undefined) {
      gate.limitAddress(request, reply);
      throw new RelayError('unauthorized', reason('key_needed'));
    }
    request.identity = await gate.admit(request, reply, anyKey);
    reply.removeHeader('www-authenticate');
  }

  async function answer(request: FastifyRequest, reply: FastifyReply) {
    const caller = request.identity?.caller as Caller;
    requireShortBatch(request.body);
    const extra = { request: mcpRequest(app, request, reply, caller) };
    const handler = await loaded();
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const headers = Object.entries(request.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    );
    const asked = new Request(`http://${request.host || 'localhost'}/mcp`, {
      method: request.method,
      headers,
      signal: AbortSignal.any([gone.signal, stopping]),
      ...(request.method === 'POST' ? { body: (request.body as string | undefined) ?? '' } : {}),
    });
    const authInfo = { token: '', clientId: String(caller.id), scopes: [caller.scope], extra };
    return reply.send(await handler.fetch(asked, { authInfo }));
  }

  void app.register(async (scope) => {
    // The protocol says what is wrong with a body, so it is parsed there.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
      done(null, body);
    });
    scope.route({
      method: ['GET', 'POST', 'DELETE'],
      url: '/mcp',
      exposeHeadRoute: false,
      bodyLimit: mostBytes,
      onRequest: admit,
      handler: answer,
    });
  });
}

/** Other pages in a browser may not call it; programs send no origin. */
function requireOrigin(origin: string | undefined, publicUrl: string): void {
  if (origin === undefined || origin === new URL(publicUrl || 'http://localhost').origin) return;
  if (URL.canParse(origin) && localNames.has(new URL(origin).hostname)) return;
  throw new RelayError('csrf_failed', reason('session_misused'));
}

function requireShortBatch(body: unknown): void {
  if (typeof body !== 'string' || !body.trimStart().startsWith('[')) return;
  let batch: unknown;
  try {
    batch = JSON.parse(body);
  } catch {
    // The protocol says so.
    return;
  }
  if (!Array.isArray(batch) || batch.length <= mostInBatch) return;
  throw new RelayError('invalid_request', reason('batch_too_long', { most: mostInBatch }));
}

function mcpRequest(
  app: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
): McpRequest {
  const { authorization = '', 'user-agent': userAgent = 'unknown' } = request.headers;
  // The request has paid for one call; a batch pays for the others.
  let isPaid = true;
  const pay = () => {
    const wasPaid = isPaid;
    isPaid = false;
    return wasPaid;
  };
  return {
    caller,
    requestId: request.id,
    userAgent,
    async call({ body, headers, method, path, query }, client): Promise<EndpointResponse> {
      const ownHeaders = { authorization, [clientHeader]: latin(client) };
      const paid = pay() ? { [countedHeader]: app.relay.gate.counted } : {};
      const response = await app.inject({
        method,
        url: `${path}?${queryText(query)}`,
        headers: { ...headers, ...ownHeaders, ...paid },
        remoteAddress: request.ip,
        ...(body ? { payload: body } : {}),
      });
      const { headers: answered, statusCode: status } = response;
      const isJson = String(answered['content-type']).startsWith('application/json');
      return {
        status,
        json: isJson ? response.json() : response.body,
        retryAfterSeconds: Number(answered['retry-after'] ?? 0),
        searchEnd: searchEndIn(answered),
      };
    },
    count: async () =>
      pay() ||
      app.relay.gate.admit(request, reply, anyKey).then(
        () => true,
        () => false,
      ),
  };
}

/** Headers take no other characters. */
const latin = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, '?');

function queryText(query: EndpointCall['query'] = {}): string {
  const texts = Object.entries(query).map(([name, value]) => {
    return [name, typeof value === 'string' ? value : JSON.stringify(value)] as const;
  });
  return new URLSearchParams(Object.fromEntries(texts)).toString();
}
