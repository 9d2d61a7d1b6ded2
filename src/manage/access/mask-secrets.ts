import { maskAddress, maskToken } from '../../core/bots/bot-token.ts';
import { redactText } from '../../logger.ts';

const secretName =
  /(?:^|_)(?:token|secret|password|key|hash|sealed|cookie|authorization)$|(?:Token|Secret|Password|Key|Hash)$/;
const addressName = /(?:^|_)url$|Url$/;
const userInfo = /\/\/[^/@\s]+@/g;

/** Returns a copy with all secrets masked, recognised by field names and by the format of texts. */
export function maskSecrets(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value).replace(userInfo, '//***@');
  if (Array.isArray(value)) return value.map(maskSecrets);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      secretName.test(name) ? cover(part) : maskPart(name, part),
    ]),
  );
}

function maskPart(name: string, part: unknown): unknown {
  return typeof part === 'string' && addressName.test(name) ? maskAddress(part) : maskSecrets(part);
}

function cover(secret: unknown): unknown {
  if (typeof secret !== 'string' || secret === '') return secret === '' ? '' : '***';
  // The owner of a token is not secret.
  return /^\d+:/.test(secret) ? maskToken(secret) : '***';
}
