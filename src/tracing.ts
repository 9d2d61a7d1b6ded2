/*
 * Traces for an attached OpenTelemetry SDK; without one nothing is recorded.
 *
 * Invariant: a span holds ids, numbers, and names of routes and methods. Never a token, a secret, an
 * address or words of a message: so a failure is told by its code or class, not by its text.
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

/** What is answered or delivered without a function around it. */
export interface OpenSpan {
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** The failure by a fixed word, not by what someone else wrote. */
  end(failure?: string): void;
  /** Runs the function, and all that it begins, within this span. */
  run(inside: () => void): void;
  /** Names and values in turn, which let the receiver go on with this trace. */
  headers(): string[];
}

/**
 * Undefined when nobody records it. It belongs to the trace that the headers of a caller name; to
 * the one under way; or to none before it, as what goes on in the background does not belong to the
 * request that happened to start it.
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

/** Runs what outlives the request that starts it. */
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
