import type { FastifyInstance, FastifyRequest } from 'fastify';
import { openSpan, type OpenSpan } from '../tracing.ts';

/** Opens a span for each request, named by its route: the path itself may contain a token. */
export function installTracing(app: FastifyInstance): void {
  const spans = new WeakMap<FastifyRequest, OpenSpan>();

  app.addHook('onRequest', (request, _reply, done) => {
    const { method, id, headers } = request;
    const attributes = { 'http.request.method': method, request_id: id };
    const span = openSpan(method, 'server', attributes, headers);
    if (!span) {
      done();
      return;
    }
    // Read `routeOptions` only here: Fastify builds it on every access.
    const route = request.routeOptions.url ?? 'none';
    span.rename(`${method} ${route}`);
    span.set({ 'http.route': route });
    spans.set(request, span);
    span.run(done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode } = reply;
    const span = spans.get(request);
    span?.set({ 'http.response.status_code': statusCode });
    span?.end(statusCode >= 500 ? String(statusCode) : undefined);
    done();
  });
}
