import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  context,
  type ContextManager,
  INVALID_SPAN_CONTEXT,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  type TextMapPropagator,
  trace,
  TraceFlags,
} from '@opentelemetry/api';

export interface RecordedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentId: string | undefined;
  attributes: Attributes;
  failed: boolean;
}

/**
 * Does what the API asks of an SDK; tells all spans that ended, in that order. To be called once in a
 * process, as an SDK is attached once.
 */
export function recordSpans(): {
  spans: RecordedSpan[];
  /** Resolves with the first such span, also one that ended before. */
  ended(fits: (span: RecordedSpan) => boolean): Promise<RecordedSpan>;
  clear(): void;
  /** Records nothing from here on, as if no SDK had been attached. */
  stop(): void;
} {
  const spans: RecordedSpan[] = [];
  const waiting: { fits(span: RecordedSpan): boolean; resolve(span: RecordedSpan): void }[] = [];
  let made = 0;
  let isStopped = false;

  function startSpan(name: string, options: SpanOptions = {}, parent = context.active()): Span {
    if (isStopped) return trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
    const above = trace.getSpanContext(parent);
    made += 1;
    const recorded: RecordedSpan = {
      name,
      traceId: above?.traceId ?? made.toString(16).padStart(32, '0'),
      spanId: made.toString(16).padStart(16, '0'),
      parentId: above?.spanId,
      attributes: { ...options.attributes },
      failed: false,
    };
    const span: Span = {
      spanContext: () => ({ ...recorded, traceFlags: TraceFlags.SAMPLED }),
      setAttribute: (key, value) => span.setAttributes({ [key]: value }),
      setAttributes(more) {
        Object.assign(recorded.attributes, more);
        return span;
      },
      addEvent: () => span,
      addLink: () => span,
      addLinks: () => span,
      setStatus(status) {
        recorded.attributes['status.message'] = status.message;
        recorded.failed = status.code === 2;
        return span;
      },
      updateName(better) {
        recorded.name = better;
        return span;
      },
      end() {
        spans.push(recorded);
        for (const { fits, resolve } of waiting) if (fits(recorded)) resolve(recorded);
      },
      isRecording: () => true,
      recordException(exception) {
        recorded.attributes['exception'] = JSON.stringify(exception);
      },
    };
    return span;
  }

  const tracer = {
    startSpan,
    startActiveSpan(name: string, options: SpanOptions, work: (span: Span) => unknown) {
      const span = startSpan(name, options);
      return context.with(trace.setSpan(context.active(), span), () => work(span));
    },
  };
  trace.setGlobalTracerProvider({ getTracer: () => tracer as never });
  context.setGlobalContextManager(localContexts());
  propagation.setGlobalPropagator(traceParent);

  return {
    spans,
    ended(fits) {
      const known = spans.find(fits);
      if (known) return Promise.resolve(known);
      return new Promise((resolve) => waiting.push({ fits, resolve }));
    },
    clear() {
      spans.length = 0;
      waiting.length = 0;
    },
    stop() {
      // Modules that hold a tracer of this SDK keep calling it.
      isStopped = true;
      trace.disable();
      context.disable();
      propagation.disable();
    },
  };
}

function localContexts(): ContextManager {
  const local = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => local.getStore() ?? ROOT_CONTEXT,
    with: (inside, work, self, ...given) =>
      local.run(inside, () => work.apply(self as never, given)),
    bind: (_inside, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}

/** The header of the W3C recommendation. */
const traceParent: TextMapPropagator = {
  inject(inside, carrier, setter) {
    const span = trace.getSpanContext(inside);
    if (span) setter.set(carrier, 'traceparent', `00-${span.traceId}-${span.spanId}-01`);
  },
  extract(inside, carrier, getter) {
    const [, traceId, spanId] = String(getter.get(carrier, 'traceparent') ?? '').split('-');
    if (!traceId || !spanId) return inside;
    return trace.setSpanContext(inside, { traceId, spanId, traceFlags: 1, isRemote: true });
  },
  fields: () => ['traceparent'],
};
