/*
 * Creates traces for an attached OpenTelemetry SDK; without one nothing is recorded.
 *
 * Invariant: a span contains IDs, numbers, and names of routes and methods. It never contains a
 * token, a secret, an address or message text, so a failure is named by its code or class, not by
 * its message.
 */
import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

export type SpanAttributes = Attributes;

const tracer = trace.getTracer('bot-relay');
const kinds = { inside: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT };

/** Runs the work within a span of its own. */
export function traced<T>(
  name: string,
  kind: keyof typeof kinds,
  attributes: SpanAttributes,
  work: () => Promise<T>,
): Promise<T> {
  return tracer.startActiveSpan(name, { kind: kinds[kind], attributes }, async (span) => {
    try {
      return await work();
    } catch (error) {
      fail(span, nameOf(error));
      throw error;
    } finally {
      span.end();
    }
  });
}

/** A span for work that no single function encloses, such as requests and deliveries. */
export interface OpenSpan {
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** Ends the span; a failure is named by a fixed word, not by a message that someone else wrote. */
  end(failure?: string): void;
  /** Runs the function, and everything that it starts, within this span. */
  run(inside: () => void): void;
  /** Names and values in turn, which let the receiver continue this trace. */
  headers(): string[];
}

/**
 * Opens a span; undefined if nobody records it. Its parent is the trace in the headers of a caller,
 * the span in progress, or none for background work, which does not belong to the request that
 * happened to start it.
 */
export function openSpan(
  name: string,
  kind: keyof typeof kinds,
  attributes: SpanAttributes,
  from: 'under way' | 'new' | Readonly<Record<string, unknown>>,
): OpenSpan | undefined {
  const parent = parentOf(from);
  const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, parent);
  if (!span.isRecording()) return undefined;
  const spanContext = trace.setSpan(parent, span);
  return {
    rename: (better) => void span.updateName(better),
    set: (more) => void span.setAttributes(more),
    end(failure) {
      if (failure !== undefined) fail(span, failure);
      span.end();
    },
    run: (inside) => context.with(spanContext, inside),
    headers() {
      const carrier: Record<string, string> = {};
      propagation.inject(spanContext, carrier);
      return Object.entries(carrier).flat();
    },
  };
}

function parentOf(from: Parameters<typeof openSpan>[3]): Context {
  if (from === 'under way') return context.active();
  return from === 'new' ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, from);
}

/** Runs work that outlives the request that starts it. */
export function inBackground<T>(work: () => T): T {
  return context.with(ROOT_CONTEXT, work);
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function nameOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (typeof code === 'string' && /^\w{1,64}$/.test(code)) return code;
  return typeof name === 'string' && /^\w{1,64}$/.test(name) ? name : 'error';
}
