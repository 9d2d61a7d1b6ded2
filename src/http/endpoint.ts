import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { Caller, Scope } from '../core/access/access.ts';
import type { ChatRule } from '../core/access/chat-limits.ts';
import { type ApiGroup, type Area, areaOfGroup } from '../core/access/rights.ts';
import type { ErrorCode } from '../errors.ts';
import type { AuditRule } from '../manage/access/audit.ts';

/** The checked and parsed request for a handler. */
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
  /** Aborted when the caller disconnects or the service stops. */
  signal: AbortSignal;
  /** Handlers that need uploads, streams or headers use it. */
  raw: { request: FastifyRequest; reply: FastifyReply };
}

/**
 * One endpoint, declared once: validation, types, the OpenAPI document and the API reference
 * come from it.
 */
export interface Endpoint<
  Q extends TSchema = TSchema,
  B extends TSchema = TSchema,
  R extends TSchema = TSchema,
  H extends TSchema = TSchema,
> {
  method: 'GET' | 'POST';
  /** How the audit log records it; `none` for a POST that changes nothing, only a counter or only the sandbox. */
  audit?: EndpointAudit;
  path: string;
  /** The scope that the key needs; `public` needs no key and has no meaningful `caller`. */
  scope: Scope | 'public';
  /** Where a user's role has to include that scope: the area of the group, unless declared. */
  area: Area;
  /** How it keeps a key within its chats. Without a rule, it refuses keys that are limited to some. */
  chats?: ChatRule;
  /** The group in the API reference. */
  tag: ApiGroup;
  summary: string;
  description?: string;
  /** Declared with `Query({…})`: texts are converted strictly, as the schema says. */
  query?: Q;
  /** Declared with `Body({…}, ignored)`; without one, only an empty body is accepted. */
  body?: B;
  /** Request headers, by lower-case name. Others are ignored. */
  headers?: H;
  response: R;
  /** The name of the response in the OpenAPI document, if `schema-names.ts` does not have it. */
  responseName?: string;
  /** Media types of the response; anything but JSON is sent as the handler returns it. */
  produces?: string | readonly string[];
  /** Media type of a body that is not JSON: the handler then reads `raw.request` itself. */
  consumes?: string;
  /** The JSON body that is accepted in addition to `consumes`. */
  jsonBody?: TSchema;
  bodyLimitBytes?: number;
  /** If set, requests are not rate-limited: for probes. */
  unlimited?: boolean;
  /** Errors beyond those of every endpoint. */
  errors?: readonly ErrorCode[];
  handler(request: EndpointRequest<Q, B, H>): Promise<Static<R>>;
}

/** An entry of the list that a service function returns. */
export type Listed<List extends (...given: never[]) => Promise<readonly unknown[]>> = Awaited<
  ReturnType<List>
>[number];

/** Without `action`, the path gives the name: /api/bots/update is bots.update. */
export type EndpointAudit = 'none' | (AuditRule & { action?: string });

/** Keys that are limited to chats have at most the scope `send`, so these scopes need a rule. */
type Rights =
  | { scope: 'read' | 'send'; chats: ChatRule }
  | { scope: 'manage' | 'admin' | 'public'; chats?: never };

type Definition<Q extends TSchema, B extends TSchema, R extends TSchema, H extends TSchema> = Omit<
  Endpoint<Q, B, R, H>,
  'method' | 'path' | 'tag' | 'audit' | 'scope' | 'chats' | 'area'
> &
  Rights & { area?: Area };

/** Declares an endpoint that changes nothing; `tag` is its group in the API reference. */
export function get<Q extends TSchema, R extends TSchema, H extends TSchema>(
  tag: ApiGroup,
  path: string,
  definition: Definition<Q, never, R, H>,
): Endpoint {
  const area = areaOfGroup[tag];
  return { method: 'GET', path, tag, area, ...definition } as unknown as Endpoint;
}

/** Declares an endpoint with a body or an effect, and what the audit log records of it. */
export function post<Q extends TSchema, B extends TSchema, R extends TSchema, H extends TSchema>(
  tag: ApiGroup,
  path: string,
  definition: Definition<Q, B, R, H> & { audit: EndpointAudit },
): Endpoint {
  const area = areaOfGroup[tag];
  return { method: 'POST', path, tag, area, ...definition } as unknown as Endpoint;
}
