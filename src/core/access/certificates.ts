import { X509Certificate } from 'node:crypto';

/** Returns the certificates in a PEM text. Anything else in it, such as a private key, is left out. */
export function splitPem(text: string): string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

/** Returns the certificates in an uploaded file and nothing else of it; undefined if it is not PEM. */
export function readCertificates(file: string): string | undefined {
  const certificates = splitPem(file);
  try {
    for (const pem of certificates) void new X509Certificate(pem);
  } catch {
    return undefined;
  }
  return certificates.length === 0 ? undefined : certificates.join('\n');
}
