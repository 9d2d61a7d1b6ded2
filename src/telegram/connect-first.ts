/*
 * Connects to the first of several addresses that answers (RFC 8305): the next one is tried as soon
 * as the one before failed or stayed silent for a moment, while the earlier attempts continue.
 */
import type { Socket } from 'node:net';
import { isIPv6 } from 'node:net';
import type { Clock } from '../clock.ts';

export type Connected = (error: Error | null, socket: Socket | null) => void;

const silentMs = 300;
const maxAttempts = 6;

export function connectFirst(
  clock: Clock,
  addresses: readonly string[],
  connect: (address: string, connected: Connected) => void,
  connected: Connected,
): void {
  const waiting = alternating(addresses).slice(0, maxAttempts);
  let pending = 0;
  let isDone = false;
  let cancelNext = () => {};

  function finish(error: Error | null, socket: Socket | null): void {
    isDone = true;
    cancelNext();
    connected(error, socket);
  }

  function next(): void {
    cancelNext();
    const address = waiting.shift();
    if (address === undefined) return;
    pending++;
    cancelNext = waiting.length === 0 ? () => {} : clock.after(silentMs, next);
    connect(address, (error, socket) => {
      pending--;
      if (isDone) socket?.destroy();
      else if (!error) finish(null, socket);
      else if (waiting.length > 0) next();
      else if (pending === 0) finish(error, null);
    });
  }

  next();
}

/**
 * Orders addresses with IPv6 and IPv4 in turn, beginning with the first, so that one broken kind
 * costs one try.
 */
function alternating(addresses: readonly string[]): string[] {
  const [first = ''] = addresses;
  const same = addresses.filter((address) => isIPv6(address) === isIPv6(first));
  const other = addresses.filter((address) => isIPv6(address) !== isIPv6(first));
  return same
    .flatMap((address, index) => [address, ...other.slice(index, index + 1)])
    .concat(other.slice(same.length));
}
