import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';
import { Type } from 'typebox';
import { requireEveryBot } from '../core/access/access.ts';
import { endpoint } from './endpoint.ts';
import { registerEndpoint } from './register-endpoint.ts';

export interface Metrics {
  /** Other parts add their own metrics to it. */
  registry: Registry;
  observeRequest(route: string, method: string, status: number, seconds: number): void;
}

const bucketSeconds = [0.001, 0.005, 0.02, 0.1, 0.5, 2.5, 10];

interface Observed {
  labels: { route: string; method: string; status: string };
  /** Count per bucket, not cumulative. */
  buckets: number[];
  count: number;
  seconds: number;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  // A tenth of the library's sampling rate: a hundred samples a second are most of the work of an idle service.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  const byRoute = new Map<string, Map<string, Observed>>();
  // The library looks up labels for each request; counting here is many times cheaper.
  registry.registerMetric(requestHistogram(byRoute));

  function observedOf(route: string, method: string, status: number): Observed {
    let ofRoute = byRoute.get(route);
    if (!ofRoute) byRoute.set(route, (ofRoute = new Map()));
    const kind = method + status;
    let one = ofRoute.get(kind);
    if (!one) {
      const labels = { route, method, status: String(status) };
      one = { labels, buckets: bucketSeconds.map(() => 0), count: 0, seconds: 0 };
      ofRoute.set(kind, one);
    }
    return one;
  }

  return {
    registry,
    observeRequest(route, method, status, seconds) {
      const one = observedOf(route, method, status);
      one.count += 1;
      one.seconds += seconds;
      let bucket = 0;
      while (bucket < bucketSeconds.length && seconds > (bucketSeconds[bucket] ?? 0)) bucket += 1;
      if (bucket < bucketSeconds.length) one.buckets[bucket] = (one.buckets[bucket] ?? 0) + 1;
    },
  };
}

function requestHistogram(byRoute: Map<string, Map<string, Observed>>): Metric {
  const name = 'relay_http_request_duration_seconds';
  const valuesOf = ({ labels, buckets, count, seconds }: Observed) => {
    let sum = 0;
    return [
      ...bucketSeconds.map((most, index) => {
        sum += buckets[index] ?? 0;
        return { metricName: `${name}_bucket`, labels: { le: most, ...labels }, value: sum };
      }),
      { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
      { metricName: `${name}_sum`, labels, value: seconds },
      { metricName: `${name}_count`, labels, value: count },
    ];
  };
  return {
    name,
    get: async () => ({
      name,
      help: 'Time to answer a request, by route and status.',
      type: 'histogram',
      values: [...byRoute.values()].flatMap((ofRoute) => [...ofRoute.values()].flatMap(valuesOf)),
      aggregator: 'sum',
    }),
    reset: () => byRoute.clear(),
  } as unknown as Metric;
}

export function installMetrics(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    metrics.observeRequest(
      // Fastify builds `routeOptions` on every access.
      request.endpoint?.path ?? request.routeOptions.url ?? 'none',
      request.method,
      reply.statusCode,
      reply.elapsedTime / 1_000,
    );
    done();
  });
  registerEndpoint(
    app,
    endpoint({
      method: 'GET',
      path: '/metrics',
      scope: 'admin',
      tag: 'Operation',
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
  // An import of node:http also loads Node's own fetch and WebSocket: 13 MB.
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
