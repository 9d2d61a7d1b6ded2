import { globSync, readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDatabase } from '../support/database/engines.ts';
import { serve } from '../support/local-server.ts';
import { protoAt, type ProtoMessage, protoText, readProto } from '../support/metrics/protobuf.ts';
import { parseMetrics } from '../support/metrics/read-metrics.ts';
import { patienceMs } from '../support/patience.ts';
import { adminKey, startServiceProcess } from '../support/service-process.ts';

/** Takes OTLP over HTTP; the newest request last. */
async function startCollector() {
  const taken: { path: string; type: string; authorization: string; body: ProtoMessage }[] = [];
  const { url, close } = await serve(async (request, response) => {
    const sent = await buffer(request);
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    taken.push({
      path: request.url ?? '',
      type: request.headers['content-type'] ?? '',
      authorization: request.headers.authorization ?? '',
      body: readProto(body),
    });
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  onTestFinished(close);
  const of = (path: string) => taken.filter((one) => one.path === path);
  // Numbers of fields in opentelemetry/proto: resource, scope and then each one.
  const metrics = () => of('/v1/metrics').at(-1)?.body ?? new Map();
  return {
    url,
    taken,
    metric: (name: string) =>
      protoAt(metrics(), 1, 2, 2).find((metric) => protoText(metric, 1) === name),
    metricNames: () => protoAt(metrics(), 1, 2, 2).map((metric) => protoText(metric, 1)),
    spans: () => of('/v1/traces').flatMap(({ body }) => protoAt(body, 1, 2, 2)),
    resource: () =>
      Object.fromEntries(
        protoAt(metrics(), 1, 1, 1).map((attribute) => [
          protoText(attribute, 1),
          protoAt(attribute, 2).map((value) => protoText(value, 1))[0],
        ]),
      ),
  };
}

const until = (check: () => unknown) => vi.waitFor(check, { timeout: patienceMs, interval: 20 });

async function startService(env: Record<string, string>) {
  const database = await createDatabase('sqlite');
  onTestFinished(() => database.drop());
  return await startServiceProcess(database, env);
}

describe('the telemetry', () => {
  it('sends metrics and traces to a collector, and the rest when it stops', async () => {
    const collector = await startCollector();
    const service = await startService({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer of-the-collector',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_METRIC_EXPORT_INTERVAL: '200',
    });
    const traceId = 'c'.repeat(32);
    const headers = { traceparent: `00-${traceId}-${'d'.repeat(16)}-01` };
    await service.request('/api/version', { headers });
    const shown = parseMetrics(await (await service.request('/metrics')).text());
    await until(() =>
      expect(collector.metricNames()).toEqual(expect.arrayContaining([...shown.types.keys()])),
    );
    await until(() => expect(collector.metric('relay_event_loop_delay_seconds')).toBeDefined());
    // The database may grow between the two.
    await until(async () => {
      const now = parseMetrics(await (await service.request('/metrics')).text());
      const bytes = collector.metric('relay_database_size_bytes') ?? new Map();
      expect(protoText(bytes, 3)).toBe('By');
      // A gauge has its points in field 5, and a point its value in field 4.
      const [size] = protoAt(bytes, 5, 1);
      expect(size?.get(4)?.[0]?.number).toBe(now.value('relay_database_size_bytes'));
    });
    expect(collector.resource()).toMatchObject({
      'service.name': 'bot-relay',
      'deployment.environment.name': 'test',
    });

    const { code } = await service.stop('SIGTERM');
    expect(code).toBe(0);
    const spans = collector.spans().map((span) => ({
      trace: span.get(1)?.[0]?.bytes.toString('hex'),
      parent: span.get(4)?.[0]?.bytes.toString('hex'),
      name: protoText(span, 5),
    }));
    expect(spans).toContainEqual({
      trace: traceId,
      parent: 'd'.repeat(16),
      name: 'GET /api/version',
    });
    for (const { authorization, type } of collector.taken) {
      expect([authorization, type]).toEqual(['Bearer of-the-collector', 'application/x-protobuf']);
    }
    const everything = collector.taken.map(({ body }) => [...body.values()].flat());
    const text = Buffer.concat(everything.flat().map(({ bytes: part }) => part)).toString('latin1');
    expect(text).not.toContain(adminKey);
  });

  it('works on while the collector is down', async () => {
    const service = await startService({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      // It is tried again until then.
      OTEL_EXPORTER_OTLP_TIMEOUT: '200',
      OTEL_METRIC_EXPORT_INTERVAL: '100',
      RELAY_LOG_LEVEL: 'warn',
    });
    await until(() => expect(service.stderr()).toContain('metrics or traces were not sent'));
    expect((await service.request('/readyz')).status).toBe(200);
    expect((await service.stop('SIGTERM')).code).toBe(0);
  });

  it('loads the SDK only with a collector', () => {
    const root = new URL('../../src/', import.meta.url);
    const statically = globSync('**/*.ts', { cwd: root }).filter((file) => {
      const text = readFileSync(new URL(file, root), 'utf8');
      return /^(import|\} from) .*(@opentelemetry\/(?!api')|telemetry\.ts')/m.test(text);
    });
    expect(statically.sort()).toEqual(['main/registry-producer.ts', 'main/telemetry.ts']);
  });
});
