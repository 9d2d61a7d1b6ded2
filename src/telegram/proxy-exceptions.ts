/*
 * Decides which hosts are reached without a proxy.
 *
 * Invariant: no name is looked up. Where Telegram is blocked, DNS answers are forged or never come.
 */
import ipaddr from 'ipaddr.js';
import { addressLiteral, isAllowedAddress } from './address-policy.ts';

const publicOnly = { mode: 'public' as const, allow: [] };
/** Names that only a machine or its own network assigns. */
const localName = /^[^.]+$|\.(localhost|local|internal|lan|home\.arpa)$/;

export function isReachedDirectly(
  host: string,
  port: number,
  exceptions: readonly string[],
): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  const address = addressLiteral(name);
  if (address ? !isAllowedAddress(address, publicOnly) : localName.test(name)) return true;
  return exceptions.some((entry) => {
    const [, inBrackets, plain, onlyPort] = entryShape.exec(entry) ?? [];
    const wanted = inBrackets ?? plain ?? entry;
    if (onlyPort !== undefined && Number(onlyPort) !== port) return false;
    return wanted === '*' || (address ? isSame(address, wanted) : isPart(name, wanted));
  });
}

/** `host`, `host:port` or `[address]:port`; an address of IPv6 without brackets has no port. */
const entryShape = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/;

function isPart(name: string, wanted: string): boolean {
  const end = wanted.replace(/^\*?\./, '');
  return name === end || name.endsWith(`.${end}`);
}

function isSame(text: string, wanted: string): boolean {
  const address = ipaddr.process(text);
  if (!ipaddr.isValidCIDR(wanted)) {
    return ipaddr.isValid(wanted) && ipaddr.process(wanted).toString() === address.toString();
  }
  const [base, bits] = ipaddr.parseCIDR(wanted);
  return base.kind() === address.kind() && address.match(base, bits);
}
