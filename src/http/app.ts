import { type Reason, reason } from '../core/reasons/reason.ts';
import { randomBytes } from 'node:crypto';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { EventBus } from '../core/ports.ts';
import type { LiveMetricsReader } from '../core/stats/live-metrics.ts';
import { RelayError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { ApiKeys } from '../manage/access/api-keys.ts';
import type { AuditLog } from '../manage/access/audit.ts';
import type { SetupLink } from '../manage/access/first-access.ts';
import type { Sessions } from '../manage/access/sessions.ts';
import type { Users } from '../manage/access/users.ts';
import { apiKeyEndpoints } from './api/access/api-keys.ts';
import { eventEndpoints } from './api/events/events.ts';
import { sessionEndpoints } from './api/access/sessions.ts';
import { userEndpoints } from './api/access/users.ts';
import { versionEndpoints } from './api/service/version.ts';
import { createGate, type Gate, type Authenticated } from './auth.ts';
import { installBodyParsers } from './request/body-parsers.ts';
import { installDocs } from './docs/docs.ts';
import type { Endpoint } from './endpoint.ts';
import { errorBody, installErrorHandler, sendError } from './error-handler.ts';
import { withoutRepeatedSlashes } from './gateway/address.ts';
import { healthEndpoints, type ReadinessCheck } from './health.ts';
import { installMetrics, type Metrics } from './metrics.ts';
import { installNotFound } from './not-found.ts';
import { registerEndpoint } from './register-endpoint.ts';
import { installSlowBodies } from './request/slow-bodies.ts';
import { buildSerializer, refuseSchemas } from './serializers.ts';
import { loadStaticPage } from './web-ui/static-page.ts';
import { installTracing } from './trace-requests.ts';

export interface AppDeps {
  clock: Clock;
  logger: Logger;
  config: Pick<Config, 'publicUrl' | 'rateLimits' | 'trustProxy'>;
  version: string;
  /** The text to type for the command where the service runs. */
  commandName: string;
  apiKeys: ApiKeys;
  users: Users;
  sessions: Sessions;
  setupLink: SetupLink;
  events: EventBus;
  /** Without it, the event stream has no live metrics. */
  liveMetrics?: LiveMetricsReader;
  metrics: Metrics;
  readiness: readonly ReadinessCheck[];
  /** Without it, changes are not audited. */
  audit?: AuditLog;
  /** The folder of the built web UI, which may be missing. */
  webFolder: string;
  /** The docs folder of this repository. */
  docsFolder: string;
}

/** Shared by every part of the HTTP layer. */
export interface AppContext {
  gate: Gate;
  /** Aborted when the service starts to stop. */
  stopping: AbortSignal;
  /** All endpoints registered so far: the OpenAPI document is made from them. */
  endpoints: Endpoint[];
  deps: AppDeps;
}

declare module 'fastify' {
  interface FastifyInstance {
    relay: AppContext;
  }
  interface FastifyRequest {
    identity: Authenticated | undefined;
    /** Set once an endpoint answers. */
    endpoint: Endpoint | undefined;
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint;
  }
}

const defaultBodyLimitBytes = 1_048_576;

/**
 * Creates the HTTP service without the endpoints of the topics: `registerEndpoint` adds those,
 * before `listen`.
 */
export async function createApp(deps: AppDeps): Promise<FastifyInstance> {
  const bootId = randomBytes(6).toString('base64url');
  let requests = 0;
  const newRequestId = () => `${bootId}-${(++requests).toString(36)}`;
  const app = Fastify({
    logger: false,
    bodyLimit: defaultBodyLimitBytes,
    trustProxy: deps.config.trustProxy.length > 0 ? deps.config.trustProxy : false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 2_048 },
    schemaController: { compilersFactory: { buildValidator: refuseSchemas, buildSerializer } },
    rewriteUrl: ({ url = '/' }) => withoutRepeatedSlashes(url),
    genReqId: newRequestId,
    frameworkErrors: (error, request, reply) => void sendError(request, reply, error, deps.logger),
    clientErrorHandler(error: Error & { code?: string }, socket) {
      if (error.code === 'ECONNRESET' || !socket.writable) return;
      const refusal = new RelayError('invalid_request', parseFailureReason(error.code));
      const id = newRequestId();
      const body = JSON.stringify(errorBody(refusal, id));
      socket.end(
        `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${id}\r\nconnection: close\r\n\r\n${body}`,
      );
    },
  });

  const stop = new AbortController();
  app.decorate('relay', {
    gate: createGate({ ...deps, rateLimits: deps.config.rateLimits }),
    stopping: stop.signal,
    endpoints: [],
    deps,
  });
  app.decorateRequest('identity');
  app.decorateRequest('endpoint');

  installTracing(app);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    const isProbe = request.url === '/readyz' || request.url === '/healthz';
    done(stop.signal.aborted && !isProbe ? shuttingDown() : undefined);
  });
  app.addHook('preClose', async () => stop.abort(shuttingDown()));

  installErrorHandler(app, deps.logger);
  installBodyParsers(app);
  installSlowBodies(app, deps.clock);
  // Install this before any route: it records the routes that follow.
  installNotFound(app, loadStaticPage(deps.webFolder, deps.commandName), deps.config.publicUrl);
  installMetrics(app, deps.metrics);
  const ownEndpoints = [
    ...healthEndpoints({ clock: deps.clock, checks: deps.readiness, stopping: stop.signal }),
    ...versionEndpoints({ version: deps.version }),
    ...apiKeyEndpoints(deps),
    ...sessionEndpoints({ ...deps, secureCookies: deps.config.publicUrl.startsWith('https:') }),
    ...userEndpoints(deps),
    ...eventEndpoints({ ...deps, gate: app.relay.gate }),
  ];
  for (const endpoint of ownEndpoints) registerEndpoint(app, endpoint);
  installDocs(app, { ...deps, folder: deps.docsFolder });
  return app;
}

/** Says why data is no valid HTTP request. */
function parseFailureReason(code: string | undefined): Reason {
  if (code === 'HPE_HEADER_OVERFLOW') return reason('headers_too_long');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return reason('request_too_late');
  return reason('not_http');
}

function shuttingDown(): RelayError {
  return new RelayError('shutting_down', reason('shutting_down'));
}
