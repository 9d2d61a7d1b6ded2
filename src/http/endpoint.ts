import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { Caller, Scope } from '../core/access.ts';
import type { ErrorCode } from '../errors.ts';

/** What a handler is given: everything checked, nothing to parse. */
export interface EndpointRequest<Q extends TSchema, B extends TSchema> {
  query: Static<Q>;
  body: Static<B>;
  caller: Caller;
  requestId: string;
  /** Aborted when the caller goes away or the service stops. */
  signal: AbortSignal;
  /** For what JSON in and out cannot say: uploads, streams, headers. */
  raw: { request: FastifyRequest; reply: FastifyReply };
}

/**
 * One endpoint, declared once: validation, types, the OpenAPI document and the reference page all
 * come from it.
 */
export interface Endpoint<
  Q extends TSchema = TSchema,
  B extends TSchema = TSchema,
  R extends TSchema = TSchema,
> {
  method: 'GET' | 'POST';
  path: string;
  /** What the caller's key must allow; `public` needs none and gets no `caller` worth reading. */
  scope: Scope | 'public';
  /** The group in the reference page. */
  tag: string;
  summary: string;
  description?: string;
  query?: Q;
  body?: B;
  response: R;
  /** Refusals of its own, beyond those any endpoint may give. */
  errors?: readonly ErrorCode[];
  handler(request: EndpointRequest<Q, B>): Promise<Static<R>>;
}

/** Keeps the types of one endpoint's parts together; it does nothing else. */
export function endpoint<Q extends TSchema, B extends TSchema, R extends TSchema>(
  definition: Endpoint<Q, B, R>,
): Endpoint {
  return definition as unknown as Endpoint;
}
