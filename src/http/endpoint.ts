import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { Caller, Scope } from '../core/access/access.ts';
import type { ErrorCode } from '../errors.ts';
import type { AuditRule } from '../manage/access/audit.ts';

/** What a handler is given: everything checked, nothing to parse. */
export interface EndpointRequest<
  Q extends TSchema = TSchema,
  B extends TSchema = TSchema,
  H extends TSchema = TSchema,
> {
  query: Static<Q>;
  body: Static<B>;
  headers: Static<H>;
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
  H extends TSchema = TSchema,
> {
  method: 'GET' | 'POST';
  /** How the audit log records it; `none` for a POST that changes nothing, or only the sandbox. */
  audit?: EndpointAudit;
  path: string;
  /** What the caller's key must allow; `public` needs none and gets no `caller` worth reading. */
  scope: Scope | 'public';
  /** The group in the reference page. */
  tag: string;
  summary: string;
  description?: string;
  /** Declared with `Query({…})`: texts are turned into what the schema says, strictly. */
  query?: Q;
  /** Declared with `Body({…}, ignored)`; without one, only an empty body is accepted. */
  body?: B;
  /** Request headers of its own, by lower-case name. Others are not looked at. */
  headers?: H;
  response: R;
  /** Media types of the answer; anything but JSON is sent as the handler gives it. */
  produces?: string | readonly string[];
  /** Media type of the body when it is not JSON: the handler then reads `raw.request` itself. */
  consumes?: string;
  /** What the handler also reads where `consumes` is not JSON: the body as JSON. */
  jsonBody?: TSchema;
  bodyLimitBytes?: number;
  /** Not counted against the caller's rate: for probes. */
  unlimited?: boolean;
  /** Refusals of its own, beyond those any endpoint may give. */
  errors?: readonly ErrorCode[];
  handler(request: EndpointRequest<Q, B, H>): Promise<Static<R>>;
}

/** One of what a function of a service lists. */
export type Listed<List extends (...given: never[]) => Promise<readonly unknown[]>> = Awaited<
  ReturnType<List>
>[number];

/** `action` is left out where the path says it: /api/bots/update is bots.update. */
type EndpointAudit = 'none' | (AuditRule & { action?: string });

/** Every POST says what the audit log records of it. */
type ByMethod = { method: 'GET'; audit?: never } | { method: 'POST'; audit: EndpointAudit };

/** Keeps the types of one endpoint's parts together; it does nothing else. */
export function endpoint<
  Q extends TSchema,
  B extends TSchema,
  R extends TSchema,
  H extends TSchema,
>(definition: Endpoint<Q, B, R, H> & ByMethod): Endpoint {
  return definition as unknown as Endpoint;
}
