import { TLSSocket } from 'node:tls';
import type { BackendPolicy } from '../config.ts';
import { guardedConnector } from './guarded-agent.ts';

const timeoutMs = 5_000;

/** Returns when the certificate of an https address expires; undefined if the server cannot be reached. */
export function certificateEnd(
  address: string,
  policy: BackendPolicy,
): Promise<number | undefined> {
  const { hostname, host, port, protocol } = new URL(address);
  const connect = guardedConnector({
    policy,
    connectTimeoutMs: timeoutMs,
    acceptsAnyCertificate: true,
  });
  return new Promise((resolve) => {
    connect({ hostname, host, protocol, port: port || '443' }, (_error, socket) => {
      if (!socket) {
        resolve(undefined);
        return;
      }
      const end =
        socket instanceof TLSSocket ? Date.parse(socket.getPeerCertificate().valid_to) : Number.NaN;
      socket.destroy();
      resolve(Number.isNaN(end) ? undefined : end);
    });
  });
}
