import { type Reason, reason, unreachedCodes } from '../../core/reasons/reason.ts';
import { packReason } from '../../core/reasons/stored.ts';

const byCode = {
  ECONNREFUSED: 'connection_refused',
  ENOTFOUND: 'name_unresolved',
  EAI_AGAIN: 'name_lookup_failed',
  EHOSTUNREACH: 'no_route_to_host',
  ENETUNREACH: 'no_route_to_host',
  ETIMEDOUT: 'connection_timed_out',
  UND_ERR_CONNECT_TIMEOUT: 'connection_timed_out_10',
  ECONNRESET: 'connection_closed',
  EPIPE: 'connection_closed',
  UND_ERR_SOCKET: 'connection_closed',
  CERT_HAS_EXPIRED: 'certificate_expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate_self_signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate_self_signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate_chain_incomplete',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_other_name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'no_tls',
  ADDRESS_REFUSED: 'backend_not_allowed',
} as const;

/** True if nobody was there, so the update itself is not to blame. */
export const isUnreached = (error: unknown): boolean =>
  unreachedCodes.has(connectionFailure(error, '').code);

/**
 * Describes why a connection failed, in its stored form. `address` is host and port, never the
 * path.
 */
export const connectionWords = (error: unknown, address: string): string =>
  packReason(connectionFailure(error, address));

function connectionFailure(error: unknown, address: string): Reason {
  const { code, name, errors } = (error ?? {}) as {
    code?: string;
    name?: string;
    errors?: unknown[];
  };
  // Several addresses of one name were tried: the first failure represents all of them.
  if (errors?.[0]) return connectionFailure(errors[0], address);
  if (code !== undefined && Object.hasOwn(byCode, code)) {
    return reason(byCode[code as keyof typeof byCode], { address });
  }
  if (code?.startsWith('HPE_')) return reason('backend_not_http', { address });
  // Error messages of other code may quote the whole address, and with it what must stay secret.
  return reason('connection_failed', { address, cause: code ?? name ?? '' });
}

export function statusWords(status: number): string {
  const isRedirect = status >= 300 && status < 400;
  return packReason(reason(isRedirect ? 'backend_redirected' : 'backend_answered', { status }));
}

export function timeoutWords(timeoutMs: number): string {
  return packReason(reason('backend_timeout', { seconds: Math.round(timeoutMs / 1_000) }));
}
