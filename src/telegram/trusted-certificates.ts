import { createHash, X509Certificate } from 'node:crypto';
import {
  checkServerIdentity,
  type ConnectionOptions,
  createSecureContext,
  getCACertificates,
} from 'node:tls';
import { splitPem } from '../core/access/certificates.ts';

type Trust = Required<Pick<ConnectionOptions, 'checkServerIdentity' | 'secureContext'>>;

// Each entry holds all public authorities: it takes over a megabyte, and creating it blocks for
// milliseconds.
const maxCached = 32;
const cached = new Map<string, Trust>();

/**
 * Returns TLS options that trust these certificates (PEM) in addition to public authorities.
 * Created once per text; the last used are cached.
 */
export function trusting(certificate: string): Trust {
  const key = createHash('sha256').update(certificate).digest('base64');
  const trust = cached.get(key) ?? makeTrust(certificate);
  cached.delete(key);
  cached.set(key, trust);
  if (cached.size > maxCached) cached.delete(cached.keys().next().value as string);
  return trust;
}

/** A server that presents a trusted certificate is accepted, whatever its name. */
function makeTrust(certificate: string): Trust {
  const trusted = splitPem(certificate);
  const prints = new Set(trusted.map((pem) => new X509Certificate(pem).fingerprint256));
  return {
    secureContext: createSecureContext({
      ca: [...getCACertificates('default'), ...trusted],
      allowPartialTrustChain: true,
    }),
    checkServerIdentity: (host, shown) =>
      prints.has(shown.fingerprint256) ? undefined : checkServerIdentity(host, shown),
  };
}
