import { reason } from '../core/reasons/reason.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { TSchema } from 'typebox';
import type { Caller } from '../core/access/access.ts';
import { requireChats, requireRule } from '../core/access/chat-limits.ts';
import { RelayError } from '../errors.ts';
import type { ApiKeys } from '../manage/access/api-keys.ts';
import type { AuditLog } from '../manage/access/audit.ts';
import type { Endpoint, EndpointAudit, EndpointRequest } from './endpoint.ts';
import { statusOf } from './error-handler.ts';
import { createBodyReader, createQueryReader, refuseBody } from './request/request-input.ts';
import { asJsonSchema } from './schemas.ts';
import { expectBodySoon } from './request/slow-bodies.ts';
import { assertSupported } from './request/validation.ts';

const nobody: Caller = {
  kind: 'key',
  id: 0,
  name: 'nobody',
  scope: 'read',
  botIds: [],
  address: '',
};

const none = {};

const publicBodyBytes = 16_384;

/** A class for its getters: most handlers never use the signal, so it is created on first use. */
class CheckedRequest implements EndpointRequest {
  readonly caller: Caller;
  readonly requestId: string;
  readonly raw: EndpointRequest['raw'];
  readonly query: EndpointRequest['query'];
  readonly headers: EndpointRequest['headers'];
  readonly body: EndpointRequest['body'];
  readonly #stopping: AbortSignal;

  constructor(
    request: FastifyRequest,
    reply: FastifyReply,
    stopping: AbortSignal,
    query: unknown,
    headers: unknown,
    body: unknown,
  ) {
    this.caller = request.identity?.caller ?? { ...nobody, address: request.ip };
    this.requestId = request.id;
    this.raw = { request, reply };
    this.query = query;
    this.headers = headers;
    this.body = body;
    this.#stopping = stopping;
  }

  get signal(): AbortSignal {
    const gone = new AbortController();
    const { raw } = this.raw.reply;
    // Listen to the response: a request closes as soon as its body is read, even while the client
    // waits.
    raw.once('close', () => {
      if (!raw.writableFinished) gone.abort(wentAway());
    });
    return AbortSignal.any([gone.signal, this.#stopping]);
  }
}

function wentAway(): RelayError {
  return new RelayError('invalid_request', reason('client_gone'));
}

/** Registers an endpoint: path, method, key, scope and input are checked in this order. */
export function registerEndpoint(app: FastifyInstance, endpoint: Endpoint): void {
  const name = `${endpoint.method} ${endpoint.path}`;
  const { deps, gate, stopping } = app.relay;
  const { area, body: bodySchema, chats = 'refused', headers: headerSchema } = endpoint;
  const { query: querySchema, scope } = endpoint;
  for (const schema of [bodySchema, headerSchema, querySchema]) {
    if (schema) assertSupported(asJsonSchema(schema), name);
  }
  if (/reads|writes/.test(chats) && !namesChat(querySchema) && !namesChat(bodySchema)) {
    throw new Error(`${name} has no chat_id, so its rule for chats cannot be "${chats}"`);
  }
  const readQuery = createQueryReader(querySchema ? asJsonSchema(querySchema) : {});
  const readBody = bodySchema && createBodyReader(asJsonSchema(bodySchema));
  const headerNames = Object.keys((headerSchema && asJsonSchema(headerSchema).properties) ?? {});
  const readHeaders = headerSchema && createQueryReader(asJsonSchema(headerSchema));
  const isJson = endpoint.produces === undefined;
  const takesJson = endpoint.consumes === undefined;

  const isApi = endpoint.path.startsWith('/api');

  async function onRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    request.endpoint = endpoint;
    if (isApi) reply.header('cache-control', 'no-store');
    if (scope === 'public') {
      if (!endpoint.unlimited) gate.limitAddress(request, reply);
      expectBodySoon(deps.clock, request.raw);
    } else {
      request.identity = await gate.admit(request, reply, { area, scope });
      requireRule(request.identity.caller, chats);
    }
  }

  function inputOf(request: FastifyRequest, reply: FastifyReply): EndpointRequest {
    const query = readQuery(request.query);
    const headers = readHeaders ? readHeaders(pick(request.headers, headerNames)) : none;
    let body: unknown = none;
    if (readBody && takesJson) body = readBody(request.body);
    else if (takesJson && endpoint.method === 'POST') refuseBody(request.body);
    const checked = new CheckedRequest(request, reply, stopping, query, headers, body);
    if (checked.caller.chats) requireChats(checked.caller, chats, chatIn(query) ?? chatIn(body));
    return checked;
  }

  const { audit = 'none' } = endpoint;
  const handle =
    audit === 'none'
      ? (request: EndpointRequest) => endpoint.handler(request)
      : changing(deps, endpoint, audit);

  const options: RouteOptions = {
    method: endpoint.method,
    url: endpoint.path,
    config: { endpoint },
    onRequest,
    ...bodyLimitOf(endpoint),
    ...(isJson ? { schema: { response: { 200: endpoint.response } } } : { exposeHeadRoute: false }),
    handler: (request, reply) => handle(inputOf(request, reply)),
  };
  app.route(options);
  app.relay.endpoints.push(endpoint);
}

/** Without authentication, only small bodies are read. */
function bodyLimitOf({ bodyLimitBytes, scope }: Endpoint): { bodyLimit?: number } {
  if (bodyLimitBytes !== undefined) return { bodyLimit: bodyLimitBytes };
  return scope === 'public' ? { bodyLimit: publicBodyBytes } : {};
}

/** Counts the change for the key, unless it is refused, and writes it to the audit log once it is done. */
function changing(
  { apiKeys, audit: log }: { apiKeys: ApiKeys; audit?: AuditLog },
  { path, scope, handler }: Endpoint,
  { action = actionOf(path), ...rule }: Exclude<EndpointAudit, 'none'>,
) {
  return async (request: EndpointRequest) => {
    const { caller, requestId } = request;
    const query = request.query as Record<string, unknown>;
    const body = request.body as Record<string, unknown>;
    const uncount = rule.unless?.(body) ? undefined : await apiKeys.countWrite(caller);
    const work = async () => {
      try {
        return await handler(request);
      } catch (error) {
        if (isRefusal(error)) await uncount?.();
        throw error;
      }
    };
    if (!log) return work();
    // For a sign-in, the name in the body is the user.
    const who =
      scope === 'public' ? ({ ...caller, kind: 'user', name: usernameIn(body) } as const) : caller;
    const change = { caller: who, action, rule, input: { query, body }, requestId };
    return log.around(change, work);
  };
}

/** True if the relay refused a request, so that nothing changed and nothing reached Telegram. */
function isRefusal(error: unknown): boolean {
  return error instanceof RelayError && !error.platform && statusOf[error.code] < 500;
}

/** Returns bots.toggle-disabled for /api/bots/toggle-disabled. */
function actionOf(path: string): string {
  return path.replace(/^\/api\//, '').replaceAll('/', '.');
}

function namesChat(schema: TSchema | undefined): boolean {
  return schema !== undefined && 'chat_id' in (asJsonSchema(schema).properties ?? {});
}

function chatIn(input: unknown): number | undefined {
  return (input as { chat_id?: number } | null)?.chat_id;
}

function usernameIn({ username }: Record<string, unknown>): string {
  return typeof username === 'string' ? username : '';
}

function pick(headers: FastifyRequest['headers'], names: string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const name of names) {
    if (headers[name] !== undefined) picked[name] = headers[name];
  }
  return picked;
}
