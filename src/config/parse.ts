import ipaddr from 'ipaddr.js';
import { type Reason, reason, reasonText } from '../core/reasons/reason.ts';

/** The problem of a value, as the end of the sentence "<setting> …". */
export class SettingProblem extends Error {
  readonly why: Reason;

  constructor(why: Reason) {
    super(reasonText(why));
    this.why = why;
  }
}

function refuse(why: Reason): never {
  throw new SettingProblem(why);
}

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      refuse(reason('setting_not_in_range', { least: min, most: max }));
    }
    return value;
  };
}

export function onOff(text: string): boolean {
  const word = text.toLowerCase();
  if (['on', 'true', 'yes', '1'].includes(word)) return true;
  if (['off', 'false', 'no', '0'].includes(word)) return false;
  return refuse(reason('setting_not_on_off'));
}

export function oneOf<T extends string>(words: readonly T[]): (text: string) => T {
  return (text) =>
    words.find((word) => word === text.toLowerCase()) ??
    refuse(reason('setting_not_one_of', { choices: words }));
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
  if (!(value > 0)) refuse(reason('setting_no_duration'));
  return value;
}

const unitsBytes: Record<string, number> = { '': 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 };

export function bytes(text: string): number {
  const match = /^(\d{1,15})\s*(|kb|mb|gb|tb)$/.exec(text.toLowerCase());
  const value = Number(match?.[1]) * (unitsBytes[match?.[2] ?? 'none'] ?? Number.NaN);
  if (!Number.isSafeInteger(value) || value < 1) {
    refuse(reason('setting_no_size'));
  }
  return value;
}

export function hostName(text: string): string {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (ipaddr.isValid(bare) || /^(?!-)[A-Za-z0-9.-]{1,253}$/.test(bare)) return bare;
  return refuse(reason('setting_no_host'));
}

/** Parses a base address: its path is kept, a trailing slash is not. */
export function httpUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return refuse(reason('setting_no_http_address'));
  }
  if (url.username || url.password) refuse(reason('setting_with_credentials'));
  if (url.search || url.hash) refuse(reason('setting_with_query'));
  return url.href.replace(/\/+$/, '');
}

export function postgresUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:')) {
    refuse(reason('setting_no_postgres_address'));
  }
  return text;
}

export function botToken(text: string): string {
  if (!/^\d+:[A-Za-z0-9_-]+$/.test(text)) {
    refuse(reason('setting_no_bot_token'));
  }
  return text;
}

export function adminKey(text: string): string {
  if (!/^brs_[\x21-\x7e]{32,508}$/.test(text)) {
    refuse(reason('setting_no_admin_key'));
  }
  return text;
}

export function masterKey(text: string): string {
  if (text.length < 32) refuse(reason('setting_too_short', { least: 32 }));
  return text;
}

export function masterKeys(text: string): string[] {
  return words(text).map(masterKey);
}

export function network(text: string): string {
  const cidr = text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`;
  if (!ipaddr.isValidCIDR(cidr)) refuse(reason('setting_no_network', { given: text }));
  return cidr;
}

export interface BackendPolicy {
  mode: 'private-ok' | 'public';
  /** Networks allowed in addition to the mode, as CIDR. */
  allow: string[];
}

export function backendPolicy(text: string): BackendPolicy {
  const [mode, ...networks] = words(text);
  if (mode !== 'private-ok' && mode !== 'public') {
    return refuse(reason('setting_no_backend_policy'));
  }
  return { mode, allow: networks.map(network) };
}

export function proxies(text: string): string[] {
  return words(text).map((word) =>
    isProxy(word) ? word : refuse(reason('setting_no_proxy_address')),
  );
}

/** Parses proxies that are set for other programs: an unusable one must not stop the service. */
export function inheritedProxies(text: string): { proxies: string[]; isUnusable: boolean } {
  const given = words(text).map((word) => (word.includes('://') ? word : `http://${word}`));
  const usable = given.filter(isProxy);
  return { proxies: usable, isUnusable: usable.length < given.length };
}

function isProxy(text: string): boolean {
  const url = URL.parse(text);
  return proxyProtocols.has(url?.protocol ?? '') && url?.hostname !== '';
}

const proxyProtocols = new Set(['http:', 'https:', 'socks5:', 'socks5h:']);

export function hosts(text: string): string[] {
  return words(text).map((word) => word.toLowerCase());
}

/** Parses the networks of proxies whose X-Forwarded-For is trusted. */
export function trustedProxies(text: string): string[] {
  return text.toLowerCase() === 'off' ? [] : words(text).map(network);
}

export function plainText(text: string): string {
  return text;
}

function words(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}
