import type { Server } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';
import { Type } from 'typebox';
import { requireEveryBot } from '../core/access/access.ts';
import {
  type Counter,
  createMeter,
  type Histogram,
  type HistogramFamily,
  type Meter,
} from '../core/stats/meter.ts';
import { get } from './endpoint.ts';
import { registerEndpoint } from './register-endpoint.ts';

export interface Metrics {
  /** Other parts add their own metrics to it. */
  registry: Registry;
  observeRequest(
    about: { route: string; method: string; status: number; isLongPoll: boolean },
    seconds: number,
  ): void;
}

const bucketSeconds = [0.001, 0.005, 0.02, 0.1, 0.5, 2.5, 10];

/** Exposes everything that the meter has at the time of the request. */
export function createMetrics(meter: Meter = createMeter()): Metrics {
  const registry = new Registry();
  for (const metric of metricsOfProcess()) registry.registerMetric(metric as unknown as Metric);
  const requests = meter.histogram(
    'relay_http_request_duration_seconds',
    'Time to answer a request, by route and status.',
    bucketSeconds,
  );
  for (const family of meter.families) registry.registerMetric(metricOf(family));
  const byRoute = new Map<string, Map<string, Histogram>>();

  return {
    registry,
    observeRequest({ route, method, status, isLongPoll }, seconds) {
      let ofRoute = byRoute.get(route);
      if (!ofRoute) byRoute.set(route, (ofRoute = new Map()));
      const kind = isLongPoll ? `${method}${status} waits` : method + status;
      let cell = ofRoute.get(kind);
      if (!cell) {
        const labels = { route, method, status: String(status) };
        // Only long polls get the label, so that the other series keep their names.
        cell = requests.add(isLongPoll ? { ...labels, long_poll: 'true' } : labels);
        ofRoute.set(kind, cell);
      }
      cell.observe(seconds);
    },
  };
}

let processRegistry: Registry | undefined;

/**
 * Returns the library's metrics of this process. Nothing ends their observers of the event loop and of
 * garbage collection, so services of the same process share them; otherwise each would stay in memory.
 */
function metricsOfProcess() {
  if (!processRegistry) {
    processRegistry = new Registry();
    // A tenth of the library's sampling rate: a hundred samples a second are most of the work of an
    // idle service.
    collectDefaultMetrics({ register: processRegistry, eventLoopMonitoringPrecision: 100 });
  }
  return processRegistry.getMetricsAsArray();
}

/**
 * Exposes a family of the meter. The library would hash the labels at every count, so the meter
 * counts, and the library only reads its cells (docs/adr/0023-public-interfaces-of-the-runtime.md).
 */
function metricOf(family: Meter['families'][number]): Metric {
  const { name, help, type } = family;
  const values = () =>
    family.type === 'counter'
      ? family.cells.map(({ labels, value }: Counter) => ({ labels, value }))
      : family.cells.flatMap((cell) => histogramValues(family, cell));
  return {
    name,
    get: async () => ({ name, help, type, values: values(), aggregator: 'sum' }),
    reset: () => {},
  } as unknown as Metric;
}

function histogramValues({ name, buckets }: HistogramFamily, cell: Histogram) {
  const { counts, count, labels, sum } = cell;
  let below = 0;
  return [
    ...buckets.map((le, index) => {
      below += counts[index] ?? 0;
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: below };
    }),
    { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

const waitingRoutes = new Set(['/api/updates/poll', '/api/events']);

/**
 * Says whether a request may wait for updates or events. For the gateway and the sandbox, the
 * address shows it.
 */
function isLongPoll(route: string, { url }: FastifyRequest): boolean {
  if (waitingRoutes.has(route)) return true;
  return route.endsWith('*') && /\/getUpdates(?:$|[/?])/i.test(url);
}

export function installMetrics(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    // Prefer the endpoint's path: Fastify builds `routeOptions` on every access.
    const route = request.endpoint?.path ?? request.routeOptions.url ?? 'none';
    const { method } = request;
    metrics.observeRequest(
      { route, method, status: reply.statusCode, isLongPoll: isLongPoll(route, request) },
      reply.elapsedTime / 1_000,
    );
    done();
  });
  registerEndpoint(
    app,
    get('Operation', '/metrics', {
      scope: 'admin',
      summary: 'Get metrics in the Prometheus text format',
      description: 'Covers all bots: a key limited to some bots gets 403.',
      produces: 'text/plain',
      response: Type.String(),
      errors: ['bot_not_allowed'],
      async handler({ caller, raw }) {
        requireEveryBot(caller);
        raw.reply.type(metrics.registry.contentType);
        return metrics.registry.metrics();
      },
    }),
  );
}

/** Metrics without a key, on a separate port that is not public. */
export async function serveMetrics(
  metrics: Metrics,
  options: { host: string; port: number },
): Promise<Server> {
  // Use getBuiltinModule, because an import of node:http also loads Node's own fetch and WebSocket:
  // 13 MB.
  const { createServer } = process.getBuiltinModule('node:http');
  const server = createServer((request, response) => {
    if (request.url?.split('?', 1)[0] !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    metrics.registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => resolve(server));
  });
}
