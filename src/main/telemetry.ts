/*
 * Sends metrics and traces to an OpenTelemetry collector. Loaded only if that is configured, as the
 * SDK takes time and memory. The metrics are those of /metrics, under the same names; the SDK reads
 * its own environment variables, such as OTEL_EXPORTER_OTLP_HEADERS.
 */
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  getNumberFromEnv,
  getStringFromEnv,
  setGlobalErrorHandler,
  W3CTraceContextPropagator,
} from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Registry } from 'prom-client';
import type { Logger } from '../logger.ts';
import { createRegistryProducer } from './registry-producer.ts';

interface TelemetryOptions {
  /** The address without the path of a signal. */
  endpoint: string;
  registry: Registry;
  version: string;
  nodeId: string;
  logger: Logger;
}

const closeWithinMs = 2_000;
/** Log at most this often, because exports to a collector that is down fail every few seconds. */
const complainEveryMs = 600_000;

/** Returns a function that sends the rest and ends the export. */
export function startTelemetry(options: TelemetryOptions): () => Promise<void> {
  const { endpoint, logger, registry } = options;
  let complainedAt = Number.NEGATIVE_INFINITY;
  setGlobalErrorHandler((error) => {
    if (performance.now() - complainedAt < complainEveryMs) return;
    complainedAt = performance.now();
    const why = error instanceof Error ? error.message : JSON.stringify(error);
    logger.warn({ endpoint, why }, 'metrics or traces were not sent');
  });
  const resource = resourceFromAttributes({
    'service.name': 'bot-relay',
    'service.version': options.version,
    'service.instance.id': options.nodeId,
  }).merge(detectResources({ detectors: [envDetector] }));

  const meters = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter({ url: `${endpoint}/v1/metrics` }),
        exportIntervalMillis: getNumberFromEnv('OTEL_METRIC_EXPORT_INTERVAL') ?? 60_000,
        metricProducers: [createRegistryProducer(registry, resource)],
      }),
    ],
  });
  const tracers = new TracerProvider({
    resource,
    sampler: samplerOf(getStringFromEnv('OTEL_TRACES_SAMPLER_ARG')),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }) }),
    ],
  });
  // False if an SDK was attached before: then the traces belong to it.
  const isTracing = trace.setGlobalTracerProvider(tracers);
  if (isTracing) {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  }

  return async () => {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, closeWithinMs);
    const sent = Promise.allSettled([meters.shutdown(), tracers.shutdown()]);
    await Promise.race([sent, late]);
    clearTimeout(timer);
    if (!isTracing) return;
    trace.disable();
    context.disable();
    propagation.disable();
  };
}

/** Samples traces that begin here; traces of callers follow the caller's decision. */
function samplerOf(part: string | undefined) {
  const ratio = part === undefined ? 1 : Number(part);
  return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
}
