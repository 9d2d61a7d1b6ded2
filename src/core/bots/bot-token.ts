import { maxId, tokenPattern } from '../limits.ts';
import type { Reason } from '../reasons/reason.ts';

const tokenShape = new RegExp(tokenPattern, 'u');

export function isBotToken(text: string): boolean {
  return tokenShape.test(text);
}

/** The part before the colon names the bot and stays the same when its token is replaced. */
export function tokenOwner(token: string): string {
  return token.slice(0, token.indexOf(':'));
}

/** The bot's ID on the platform, read from its token; 0 if that is no ID. */
export function platformIdOf(token: string): number {
  const id = Number(tokenOwner(token));
  return Number.isSafeInteger(id) && id <= maxId ? id : 0;
}

/** Shows enough to recognise a bot by, and is useless to anyone else. */
export function maskToken(token: string): string {
  return `${tokenOwner(token)}:***`;
}

/** Shorter secrets are accepted, as Telegram accepts them, but can be guessed. */
export const safeSecretLength = 16;

export function isShortSecret(secret: string): boolean {
  return secret !== '' && secret.length < safeSecretLength;
}

export function maskSecret(secret: string): string {
  return secret === '' ? '' : '***';
}

/**
 * Returns an address as callers see it who may not see secrets: its scheme, host and port. Many
 * programs put a token or a key of their own into the rest.
 */
export function maskAddress(address: string): string {
  if (address === '') return '';
  const url = URL.parse(address);
  if (!url) return '***';
  const user = url.username === '' && url.password === '' ? '' : '***@';
  const path = url.pathname === '/' || url.pathname === '' ? '/' : '/***';
  const query = url.search === '' ? '' : '?***';
  const hash = url.hash === '' ? '' : '#***';
  return `${url.protocol}//${user}${url.host}${path}${query}${hash}`;
}

/** Masks every address inside a text, and tokens. */
export function maskAddressesIn(text: string): string {
  return text
    .replace(/\bhttps?:\/\/[^\s"'<>]+/gi, maskAddress)
    .replace(/(?<!\d)(\d{3,20})(?::|%3a)[A-Za-z0-9_-]{8,}/gi, '$1:***');
}

/** Masks every text of a reason. */
export function maskReason(detail: Reason | null): Reason | null {
  return maskTexts(detail) as Reason | null;
}

function maskTexts(value: unknown): unknown {
  if (typeof value === 'string') return maskAddressesIn(value);
  if (Array.isArray(value)) return value.map(maskTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, maskTexts(part)]));
}

/** Says whether a text is the result of `maskAddress`, and so cannot be called. */
export function isMaskedAddress(address: string): boolean {
  return /\*\*\*@|\/\*\*\*(?:$|[?#])|[?#]\*\*\*/.test(address);
}
