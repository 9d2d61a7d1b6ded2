import { randomBytes } from 'node:crypto';

export const keyPrefix = 'brs_';

/** Where secrets come from; tests may hand in another source. */
export type RandomBytes = (size: number) => Buffer;

/** 256 random bits, as text that survives headers, cookies and addresses. */
export function newSecret(random: RandomBytes = randomBytes): string {
  return random(32).toString('base64url');
}

export function newApiKey(random: RandomBytes = randomBytes): string {
  return keyPrefix + newSecret(random);
}

/** What an API key may look like: ours have 43 characters after the prefix, given ones at least 32. */
export function isApiKey(text: string): boolean {
  return /^brs_[!-~]{32,512}$/.test(text);
}

/** Enough to tell keys apart in a list, too little to use one. */
export function keyHint(key: string): string {
  return `${keyPrefix}…${key.slice(-4)}`;
}

/** In constant time; that two secrets differ in length is no secret. */
export function sameSecret(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  // Every character is looked at, wherever the first difference is.
  for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}
