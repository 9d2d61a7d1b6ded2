/*
 * Opens connections to Telegram: directly, or through the configured proxies. Addresses of this
 * machine and of private networks (a local Bot API server, the sandbox) are always reached
 * directly.
 */
import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { type Clock, systemClock } from '../clock.ts';
import type { PlatformProxies } from '../config.ts';
import { isReachedDirectly } from './proxy-exceptions.ts';
import { openTunnel, type Target } from './proxy-tunnel.ts';

export type Connect = buildConnector.connector;

const connectTimeoutMs = 10_000;
/** After this time the next proxy is tried in parallel; a slow one may still win. */
const headStartMs = 2_000;

export function createPlatformConnector(
  { proxies, exceptions }: Pick<PlatformProxies, 'proxies' | 'exceptions'>,
  clock: Clock = systemClock,
): Connect {
  // All connections use one connector, so that they share its cache of TLS sessions.
  const direct = buildConnector({ timeout: connectTimeoutMs, allowH2: false });
  if (proxies.length === 0) return direct;
  const tunnel = createTunnels(
    proxies.map((proxy) => new URL(proxy)),
    clock,
  );

  return (options, callback) => {
    const { hostname, protocol } = options;
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const isTls = protocol === 'https:';
    const port = Number(options.port || (isTls ? 443 : 80));
    if (isReachedDirectly(host, port, exceptions)) return direct(options, callback);
    tunnel({ host, port }).then(
      (socket) => {
        if (isTls) direct({ ...options, httpSocket: socket }, callback);
        else callback(null, socket);
      },
      (error: Error) => callback(error, null),
    );
  };
}

/** Begins with the proxy that worked last, then tries the others in their order. */
function createTunnels(proxies: readonly URL[], clock: Clock) {
  let last = proxies[0];

  return (target: Target): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const waiting = [...proxies].sort((a, b) => Number(b === last) - Number(a === last));
      const over = new AbortController();
      let inFlight = 0;

      function tryNext(): void {
        const proxy = waiting.shift();
        if (!proxy || over.signal.aborted) return;
        inFlight++;
        const cancel = clock.after(headStartMs, tryNext);
        openTunnel(proxy, target, { clock, timeoutMs: connectTimeoutMs, signal: over.signal })
          .finally(cancel)
          .then(
            (socket) => {
              if (over.signal.aborted) return void socket.destroy();
              over.abort();
              last = proxy;
              resolve(socket);
            },
            (error: unknown) => {
              inFlight--;
              tryNext();
              if (inFlight === 0) reject(error as Error);
            },
          );
      }
      tryNext();
    });
}
