import { X509Certificate } from 'node:crypto';

/** The certificates in a PEM text. Whatever else is in it, such as a private key, is left out. */
export function splitPem(text: string): string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

/** The certificates in an uploaded file, and nothing else of it; undefined when it is not PEM. */
export function readCertificates(file: string): string | undefined {
  const certificates = splitPem(file);
  try {
    for (const pem of certificates) void new X509Certificate(pem);
  } catch {
    return undefined;
  }
  return certificates.length === 0 ? undefined : certificates.join('\n');
}
