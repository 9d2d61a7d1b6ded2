import { type Reason, reason } from '../core/reasons/reason.ts';
import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Clock } from '../clock.ts';
import type { Caller } from '../core/access/access.ts';
import { sameSecret } from '../core/access/keys.ts';
import { requireRight, type Right } from '../core/access/rights.ts';
import { RelayError } from '../errors.ts';
import type { ApiKeys } from '../manage/access/api-keys.ts';
import type { Sessions } from '../manage/access/sessions.ts';
import { createRateLimiter } from './request/rate-limit.ts';

export const sessionCookie = 'relay_session';
export const clientHeader = 'x-client-name';
export const countedHeader = 'x-relay-counted';

/** The caller of a request, and the data of its session. */
export interface Authenticated {
  caller: Caller;
  /** Set for sessions only. */
  csrfToken: string;
  sessionToken: string;
}

/** Authenticates requests. Keys and sessions are looked up for every request. */
export interface Gate {
  /** Returns a caller with the right; throws 401, 403 or 429. */
  admit(request: FastifyRequest, reply: FastifyReply, right: Right): Promise<Authenticated>;
  /** Checks the caller again after a wait; throws 401 or 403. */
  admitAgain(request: FastifyRequest, right: Right): Promise<Caller>;
  /** The caller, if any; for public paths. */
  identify(request: FastifyRequest): Promise<Authenticated | undefined>;
  /** Counts a request without a valid key, session, bot token or secret. */
  limitAddress(request: FastifyRequest, reply: FastifyReply): void;
  /** The value of `countedHeader` for a call that the service makes for a request it has counted. */
  counted: string;
}

export interface GateDeps {
  apiKeys: ApiKeys;
  sessions: Sessions;
  clock: Clock;
  rateLimits: { perKeyPerSecond: number; perAddressPerSecond: number };
}

export function createGate(deps: GateDeps): Gate {
  const perKey = createRateLimiter({
    clock: deps.clock,
    policy: 'key',
    perSecond: deps.rateLimits.perKeyPerSecond,
  });
  const perAddress = createRateLimiter({
    clock: deps.clock,
    policy: 'address',
    perSecond: deps.rateLimits.perAddressPerSecond,
  });

  const counted = randomBytes(24).toString('base64url');
  const isCounted = ({ headers: { [countedHeader]: header } }: FastifyRequest) =>
    typeof header === 'string' && sameSecret(header, counted);

  async function identify(request: FastifyRequest): Promise<Authenticated | undefined> {
    const { authorization } = request.headers;
    if (authorization !== undefined) {
      const secret = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
      if (secret === undefined) return undefined;
      const caller = await deps.apiKeys.authenticate(secret, request.ip);
      if (!caller) return undefined;
      const client = clientOf(request.headers[clientHeader]);
      return { caller: client ? { ...caller, client } : caller, csrfToken: '', sessionToken: '' };
    }
    const sessionToken = readCookie(request.headers.cookie, sessionCookie);
    if (sessionToken === undefined) return undefined;
    const session = await deps.sessions.authenticate(sessionToken, request.ip);
    return session && { ...session, sessionToken };
  }

  function limitAddress(request: FastifyRequest, reply: FastifyReply): void {
    perAddress.take(networkOf(request.ip), reply);
  }

  return {
    identify,
    limitAddress,
    counted,
    async admit(request, reply, right) {
      const identity = await identify(request);
      if (!identity) {
        limitAddress(request, reply);
        throw new RelayError('unauthorized', missingKeyReason(request));
      }
      if (!isCounted(request)) perKey.take(`${identity.caller.kind}:${identity.caller.id}`, reply);
      if (identity.sessionToken !== '') refuseForged(request, identity);
      requireRight(identity.caller, right);
      return identity;
    },
    async admitAgain(request, right) {
      const identity = await identify(request);
      if (!identity) throw new RelayError('unauthorized', missingKeyReason(request));
      requireRight(identity.caller, right);
      return identity.caller;
    },
  };
}

/** Names the program that uses a key, for the audit log and the author of messages. */
function clientOf(header: string | string[] | undefined): string | undefined {
  const name =
    typeof header === 'string' ? header.replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '') : '';
  return name.trim().slice(0, 64) || undefined;
}

/** Browsers send the cookie with requests of any page, so requests of other sites are refused. */
function refuseForged({ headers, method }: FastifyRequest, { csrfToken }: Authenticated): void {
  // Other ports and names of the same site get the cookie too, and some GET requests change something.
  const from = headers['sec-fetch-site'];
  if (from === 'cross-site' || from === 'same-site') {
    throw new RelayError('csrf_failed', reason('session_misused'));
  }
  if (method === 'GET' || method === 'HEAD') return;
  const shown = headers['x-csrf-token'];
  if (typeof shown === 'string' && sameSecret(shown, csrfToken)) return;
  throw new RelayError('csrf_failed', reason('csrf_token_wrong'));
}

/** A household or machine has a whole /64 of IPv6, so that counts as one address. */
export function networkOf(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const groups = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${groups.join(':')}::/64`;
}

function missingKeyReason(request: FastifyRequest): Reason {
  const { authorization } = request.headers;
  if (authorization === undefined) return reason('key_needed');
  return reason(/^Bearer /i.test(authorization) ? 'key_invalid' : 'key_not_bearer');
}

export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined;
  for (const part of header.split(';')) {
    const separator = part.indexOf('=');
    if (separator > 0 && part.slice(0, separator).trim() === name) {
      return part.slice(separator + 1).trim();
    }
  }
  return undefined;
}
