import { createServer, type Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { Type } from 'typebox';
import { endpoint } from './endpoint.ts';
import { registerEndpoint } from './register-endpoint.ts';

export interface Metrics {
  /** Other parts add their own to it. */
  registry: Registry;
  observeRequest(route: string, method: string, status: number, seconds: number): void;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'relay_http_request_duration_seconds',
    help: 'Time to answer a request, by route.',
    labelNames: ['route', 'method'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2.5, 10],
    registers: [registry],
  });
  const requests = new Counter({
    name: 'relay_http_requests_total',
    help: 'Requests answered, by route and status.',
    labelNames: ['route', 'method', 'status'],
    registers: [registry],
  });
  const children = new Map<string, { observe(seconds: number): void }>();

  return {
    registry,
    // Looking labels up costs more than counting, so each combination keeps its own counters.
    observeRequest(route, method, status, seconds) {
      const key = `${method} ${route} ${status}`;
      let child = children.get(key);
      if (!child) {
        const timer = duration.labels(route, method);
        const counter = requests.labels(route, method, String(status));
        child = {
          observe(value) {
            timer.observe(value);
            counter.inc();
          },
        };
        children.set(key, child);
      }
      child.observe(seconds);
    },
  };
}

export function installMetrics(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    metrics.observeRequest(
      request.routeOptions.url ?? 'none',
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
      summary: 'Measurements in the Prometheus text format',
      produces: 'text/plain',
      response: Type.String(),
      async handler({ raw }) {
        raw.reply.type(metrics.registry.contentType);
        return metrics.registry.metrics();
      },
    }),
  );
}

/** Metrics without a key, on a port of their own that is not for everyone. */
export function serveMetrics(
  metrics: Metrics,
  options: { host: string; port: number },
): Promise<Server> {
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
