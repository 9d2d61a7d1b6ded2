const byCode: Record<string, (place: string) => string> = {
  ECONNREFUSED: (place) => `connection refused by ${place}: is the backend running?`,
  ENOTFOUND: (place) => `the name in ${place} does not resolve`,
  EAI_AGAIN: (place) => `the name in ${place} could not be looked up just now`,
  EHOSTUNREACH: (place) => `no route to ${place}`,
  ENETUNREACH: (place) => `no route to ${place}`,
  ETIMEDOUT: (place) => `no connection to ${place} in time`,
  UND_ERR_CONNECT_TIMEOUT: (place) => `no connection to ${place} within 10 s`,
  ECONNRESET: (place) => `${place} closed the connection before it answered`,
  EPIPE: (place) => `${place} closed the connection before it answered`,
  UND_ERR_SOCKET: (place) => `${place} closed the connection before it answered`,
  CERT_HAS_EXPIRED: (place) => `the certificate of ${place} has expired`,
  DEPTH_ZERO_SELF_SIGNED_CERT: (place) => `the certificate of ${place} is self-signed`,
  SELF_SIGNED_CERT_IN_CHAIN: (place) => `the certificate of ${place} is self-signed`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: (place) => `the certificate chain of ${place} is incomplete`,
  ERR_TLS_CERT_ALTNAME_INVALID: (place) => `the certificate of ${place} is for another name`,
  ERR_SSL_WRONG_VERSION_NUMBER: (place) => `${place} does not speak TLS: should it be http?`,
};

/** A failed connection in words a person can act on. `place` is host and port, never the path. */
export function connectionWords(error: unknown, place: string): string {
  const { code, name, errors } = (error ?? {}) as {
    code?: string;
    name?: string;
    errors?: unknown[];
  };
  // Several addresses of one name were tried: the first failure speaks for all.
  if (errors?.[0]) return connectionWords(errors[0], place);
  if (code === 'ADDRESS_REFUSED') {
    return `${place} is not allowed as a backend by the RELAY_BACKENDS setting`;
  }
  const words = code === undefined ? undefined : byCode[code];
  if (words) return words(place);
  if (code?.startsWith('HPE_')) return `${place} answered something that is not HTTP`;
  // Messages of others may quote the whole address, and with it what must stay secret.
  return `the connection to ${place} failed (${code ?? name ?? 'for an unknown reason'})`;
}

export function statusWords(status: number): string {
  if (status >= 300 && status < 400) {
    return `answered ${status}: redirects are not followed, set backend_url to the final address`;
  }
  return `answered ${status}`;
}

export function timeoutWords(timeoutMs: number): string {
  return `no answer within ${Math.round(timeoutMs / 1_000)} s`;
}
