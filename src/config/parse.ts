import ipaddr from 'ipaddr.js';

/** What is wrong with a value, as the end of the sentence "<setting> …". */
export class SettingProblem extends Error {}

function refuse(problem: string): never {
  throw new SettingProblem(problem);
}

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      refuse(`must be a whole number from ${min} to ${max}`);
    }
    return value;
  };
}

export function onOff(text: string): boolean {
  const word = text.toLowerCase();
  if (['on', 'true', 'yes', '1'].includes(word)) return true;
  if (['off', 'false', 'no', '0'].includes(word)) return false;
  return refuse('must be on or off');
}

export function oneOf<T extends string>(words: readonly T[]): (text: string) => T {
  return (text) =>
    words.find((word) => word === text.toLowerCase()) ??
    refuse(`must be one of ${words.join(', ')}`);
}

const unitsMs: Record<string, number> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

export function durationMs(text: string): number {
  const match = /^(\d{1,9})\s*([smhd])$/.exec(text.toLowerCase());
  const value = Number(match?.[1]) * (unitsMs[match?.[2] ?? ''] ?? Number.NaN);
  if (!(value > 0)) refuse('must be a number and a unit (s, m, h or d) above zero');
  return value;
}

const unitsBytes: Record<string, number> = { '': 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 };

export function bytes(text: string): number {
  const match = /^(\d{1,15})\s*(|kb|mb|gb|tb)$/.exec(text.toLowerCase());
  const value = Number(match?.[1]) * (unitsBytes[match?.[2] ?? 'none'] ?? Number.NaN);
  if (!Number.isSafeInteger(value) || value < 1) {
    refuse('must be a size above zero, in bytes or with KB, MB, GB or TB');
  }
  return value;
}

export function hostName(text: string): string {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (ipaddr.isValid(bare) || /^(?!-)[A-Za-z0-9.-]{1,253}$/.test(bare)) return bare;
  return refuse('must be an address or a host name of this machine, without port');
}

/** A base address: its path is kept, a trailing slash is not. */
export function httpUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return refuse('must be an address that starts with http:// or https://');
  }
  if (url.username || url.password) refuse('must not hold a user name or password');
  if (url.search || url.hash) refuse('must not hold "?" or "#"');
  return url.href.replace(/\/+$/, '');
}

export function postgresUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:')) {
    refuse('must be an address that starts with postgres://');
  }
  return text;
}

export function botToken(text: string): string {
  if (!/^\d+:[A-Za-z0-9_-]+$/.test(text)) {
    refuse('must be a bot token: digits, a colon, then letters, digits, "_" or "-"');
  }
  return text;
}

export function adminKey(text: string): string {
  if (!/^brs_[\x21-\x7e]{32,508}$/.test(text)) {
    refuse('must be brs_ followed by at least 32 characters without spaces');
  }
  return text;
}

export function masterKey(text: string): string {
  if (text.length < 32) refuse('must have at least 32 characters');
  return text;
}

export function masterKeys(text: string): string[] {
  return words(text).map(masterKey);
}

export function network(text: string): string {
  const cidr = text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`;
  if (!ipaddr.isValidCIDR(cidr)) refuse(`must list networks such as 10.0.0.0/8, not "${text}"`);
  return cidr;
}

export interface BackendPolicy {
  mode: 'private-ok' | 'public';
  /** Networks allowed beyond the mode, as CIDR. */
  allow: string[];
}

export function backendPolicy(text: string): BackendPolicy {
  const [mode, ...networks] = words(text);
  if (mode !== 'private-ok' && mode !== 'public') {
    return refuse('must be private-ok or public, and may go on with networks to allow');
  }
  return { mode, allow: networks.map(network) };
}

/** Whose X-Forwarded-For is believed. */
export function trustedProxies(text: string): string[] {
  return text.toLowerCase() === 'off' ? [] : words(text).map(network);
}

export function plainText(text: string): string {
  return text;
}

function words(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}
