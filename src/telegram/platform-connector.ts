/*
 * How connections to the platform are opened: directly, or through the proxies of the settings, in their
 * order. Addresses of this machine and of private networks (a Bot API server of one's own, the sandbox)
 * are always reached directly.
 */
import { buildConnector } from 'undici';
import type { PlatformProxies } from '../config.ts';
import { addressLiteral, isAllowedAddress } from './address-policy.ts';
import { createNameResolver, type ResolveName } from './name-resolver.ts';
import { openTunnel } from './proxy-tunnel.ts';

export type Connect = buildConnector.connector;

const connectTimeoutMs = 10_000;

export function createPlatformConnector(
  { proxies, exceptions }: PlatformProxies,
  resolve: ResolveName = createNameResolver(),
): Connect {
  // One for all connections, so that they share their cache of TLS sessions.
  const direct = buildConnector({ timeout: connectTimeoutMs, allowH2: false });
  if (proxies.length === 0) return direct;
  const urls = proxies.map((proxy) => new URL(proxy));

  async function isDirect(host: string): Promise<boolean> {
    if (host === 'localhost' || isException(host, exceptions)) return true;
    const literal = addressLiteral(host);
    // A name that does not resolve here may do so at the proxy.
    const addresses = literal ? [literal] : await resolve(host).catch(() => []);
    return addresses.some((address) => !isAllowedAddress(address, publicOnly));
  }

  async function tunnel(host: string, port: number) {
    let failure: unknown;
    for (const proxy of urls) {
      try {
        return await openTunnel(proxy, { host, port }, connectTimeoutMs);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  return (options, callback) => {
    const { hostname, protocol } = options;
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const isTls = protocol === 'https:';
    const port = Number(options.port || (isTls ? 443 : 80));
    void (async () => {
      try {
        if (await isDirect(host)) return direct(options, callback);
        const socket = await tunnel(host, port);
        if (isTls) direct({ ...options, httpSocket: socket }, callback);
        else callback(null, socket);
      } catch (error) {
        callback(error as Error, null);
      }
    })();
  };
}

const publicOnly = { mode: 'public', allow: [] } as const satisfies {
  mode: string;
  allow: string[];
};

/** As NO_PROXY is commonly read: a name, the end of a name, or `*`. */
function isException(host: string, exceptions: readonly string[]): boolean {
  return exceptions.some((entry) => {
    const name = entry.replace(/^\*?\./, '').toLowerCase();
    return entry === '*' || host === name || host.endsWith(`.${name}`);
  });
}
