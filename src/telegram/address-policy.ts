import { type Reason, reason } from '../core/reasons/reason.ts';
import ipaddr from 'ipaddr.js';
import type { BackendPolicy } from '../config.ts';
import { limits } from '../core/limits.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Addresses of cloud metadata services; the link-local ones are refused by range. */
const metadata = new Set([
  'fd00:ec2::254',
  'fd20:ce::254',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
]);
/** Ranges that are never a backend, on any network. */
const neverRanges = new Set(['unspecified', 'broadcast', 'multicast', 'linkLocal']);
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Returns true if the relay may connect to this address on behalf of a user. */
export function isAllowedAddress(text: string, policy: BackendPolicy): boolean {
  if (!ipaddr.isValid(text)) return false;
  // An IPv4 address written as IPv6 is checked as the IPv4 address that it reaches.
  const address = ipaddr.process(text);
  const isIn = (network: string) => {
    const [base, bits] = ipaddr.parseCIDR(network);
    return base.kind() === address.kind() && address.match(base, bits);
  };
  if (policy.allow.some(isIn)) return true;
  const range = address.range();
  if (neverRanges.has(range) || metadata.has(address.toString())) return false;
  const reached = embedded(address, range);
  if (reached && !isAllowedAddress(reached, policy)) return false;
  if (policy.mode === 'private-ok') return true;
  return range === 'unicast' && (address.kind() === 'ipv4' || address.match(...globalUnicast));
}

/** Returns the IPv4 address that a translator (NAT64, SIIT, 6to4, the old ::a.b.c.d) turns this one into. */
function embedded(address: Address, range: string): string | undefined {
  const bytes = address.toByteArray();
  if (range === '6to4') return bytes.slice(2, 6).join('.');
  const isOld = range === 'unicast' && bytes.length === 16 && !bytes.slice(0, 12).some(Boolean);
  const endsInIt = isOld || range === 'rfc6052' || range === 'rfc6145';
  return endsInIt ? bytes.slice(12).join('.') : undefined;
}

/** A host of a URL that is an address, not a name. */
export function addressLiteral(host: string): string | undefined {
  const bare = host.startsWith('[') ? host.slice(1, -1) : host;
  return ipaddr.isValid(bare) ? bare : undefined;
}

/** Returns the problem of a URL that a user wants updates sent to; undefined if there is none. */
export function checkBackendUrl(text: string, policy: BackendPolicy): Reason | undefined {
  const words = { example: 'https://example.com/updates', secretField: 'secret_token' };
  return checkCalledUrl(text, policy, words);
}

/** Checks any URL that the relay calls for a user. */
export function checkCalledUrl(
  text: string,
  policy: BackendPolicy,
  words: { example: string; secretField: string },
): Reason | undefined {
  if (text.length > limits.backendUrlLength) {
    return reason('too_long', { most: limits.backendUrlLength });
  }
  // A URL parser would silently drop these characters.
  if (/[\s\p{Cc}]/u.test(text)) return reason('spaces_in_address');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    return reason('not_an_address', { example: words.example });
  }
  if (url.username || url.password) {
    return reason('credentials_in_address', { instead: words.secretField });
  }
  const literal = addressLiteral(url.hostname);
  if (literal && !isAllowedAddress(literal, policy)) {
    return reason('address_not_allowed');
  }
  return undefined;
}
