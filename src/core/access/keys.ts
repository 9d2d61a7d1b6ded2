import { randomBytes } from 'node:crypto';

export const keyPrefix = 'brs_';

/** The source of secrets; tests may pass in another one. */
export type RandomBytes = (size: number) => Buffer;

/** 256 random bits, as text that survives headers, cookies and addresses. */
export function newSecret(random: RandomBytes = randomBytes): string {
  return random(32).toString('base64url');
}

export function newApiKey(random: RandomBytes = randomBytes): string {
  return keyPrefix + newSecret(random);
}

/** The format of API keys: generated ones have 43 characters after the prefix, given ones at least 32. */
export function isApiKey(text: string): boolean {
  return /^brs_[!-~]{32,512}$/.test(text);
}

/** Shows enough to tell keys apart in a list, too little to use one. */
export function keyHint(key: string): string {
  return `${keyPrefix}…${key.slice(-4)}`;
}

/** Compares in constant time. The length of a secret is not secret, so a different length returns early. */
export function sameSecret(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  // The loop compares every character, even after the first difference.
  for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}
