import { readCertificates } from '../../core/access/certificates.ts';
import { limits } from '../../core/limits.ts';
import { readAllowedUpdates } from '../../relay/pull/consumer-state.ts';
import type { StoredWebhook, WebhookOptions } from '../../store/delivery/webhooks.ts';
import { badRequest, EarlyReply } from './envelope.ts';
import { integerParam, type Params, textParam } from './params.ts';

/** The parameters of a setWebhook call. */
export interface AskedWebhook {
  url: string;
  secret: string;
  options: WebhookOptions & { certificate: string };
}

/** Throws the problem of a webhook; the address must not be empty. */
export async function readWebhook(params: Params): Promise<AskedWebhook> {
  const secret = textParam(params.secret_token);
  if (secret.length > limits.secretTokenLength) throw refused('secret token is too long');
  if (!/^[\w-]*$/.test(secret)) throw refused('secret token contains unallowed characters');
  const url = webhookUrl(textParam(params.url).trim());
  if (url === undefined) {
    throw refused('bad webhook: Failed to parse URL; it must look like https://example.com/hook');
  }
  const certificate = await certificateOf(params.certificate);
  if (certificate === undefined) {
    throw refused('bad webhook: the certificate must be a PEM file of at most 64 KB');
  }
  return { url, secret, options: { ...optionsOf(params), certificate, isSelfSet: true } };
}

/** A missing list keeps the former one; a missing number means the relay's default. */
function optionsOf(params: Params): WebhookOptions {
  const allowedUpdates = readAllowedUpdates(params.allowed_updates);
  const isGiven = textParam(params.max_connections).trim() !== '';
  return {
    maxConnections: isGiven
      ? Math.min(Math.max(integerParam(params.max_connections, 0), 1), 100)
      : 0,
    ...(allowedUpdates === undefined ? {} : { allowedUpdates }),
  };
}

/** Says whether a client set this webhook with these options. */
export function hasOptions(
  stored: StoredWebhook,
  { maxConnections, allowedUpdates, certificate }: WebhookOptions,
): boolean {
  return (
    stored.isSelfSet &&
    stored.maxConnections === maxConnections &&
    stored.certificate === certificate &&
    (allowedUpdates === undefined ||
      JSON.stringify(stored.allowedUpdates) === JSON.stringify(allowedUpdates))
  );
}

/** Returns the uploaded certificate, '' if there is none; undefined if it is invalid. */
async function certificateOf(given: unknown): Promise<string | undefined> {
  // Telegram accepts it only as an upload, and ignores a file ID or URL.
  if (!(given instanceof File)) return '';
  return given.size > largestCertificate ? undefined : readCertificates(await given.text());
}

const largestCertificate = 64 * 1024;

/** Like Telegram, reads a URL without a scheme as https. */
function webhookUrl(given: string): string | undefined {
  const hasScheme = /^https?:\/\/[^/]/i.test(given);
  if (!(hasScheme || bareAddress.test(given)) || /[\s\\]/.test(given)) return undefined;
  const url = URL.parse(hasScheme ? given : `https://${given}`);
  // A second scheme in front makes the first one the host: `https://http://example.com`.
  if (!url || /^https?$/.test(url.hostname)) return undefined;
  return hasScheme ? given : `https://${given}`;
}

const bareAddress = /^(?:localhost|(?:[\p{L}\p{N}-]+\.)+[\p{L}\p{N}-]+)(?::\d+)?(?:[/?#]|$)/iu;

const refused = (description: string) => new EarlyReply(badRequest(description));
