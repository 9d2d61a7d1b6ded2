/*
 * Guards connections to addresses that users enter (backends, language models).
 *
 * Invariant: a socket is opened only to an address that was itself checked. Names are resolved
 * here, every address is checked, and the connection goes to the checked address, so a name that
 * resolves differently a moment later changes nothing. Redirects are not followed by undici.
 */
import { Agent, buildConnector, Client } from 'undici';
import { type Clock, systemClock } from '../clock.ts';
import type { BackendPolicy } from '../config.ts';
import { addressLiteral, isAllowedAddress } from './address-policy.ts';
import { type Connected, connectFirst } from './connect-first.ts';
import { createNameResolver, type ResolveName } from './name-resolver.ts';
import { trusting } from './trusted-certificates.ts';

export class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED';
  readonly host: string;

  constructor(host: string) {
    super(`The RELAY_BACKENDS setting does not allow connections to ${host}.`);
    this.name = 'AddressRefused';
    this.host = host;
  }
}

export interface GuardedAgentOptions {
  policy: BackendPolicy;
  /** Resolves a name to all its addresses; the system's resolver if omitted. */
  resolve?: ResolveName;
  clock?: Clock;
  connectTimeoutMs?: number;
  /** PEM of certificates that are trusted in addition to those of public authorities; '' for none. */
  certificate?: string;
  /** Set by callers that only look at the certificate. */
  acceptsAnyCertificate?: true;
}

/** All agents of the process share one resolver, because they share the threads that it saves. */
const resolveBySystem = createNameResolver();

const connection = { pipelining: 1, keepAliveTimeout: 15_000, allowH2: false } as const;
const mostConnectors = 32;

export function createGuardedAgent(options: GuardedAgentOptions): Agent {
  return new Agent({ ...connection, connections: 40, connect: guardedConnector(options) });
}

/** Opens single connections; those that trust the same certificate share their TLS sessions. */
export function guardedConnections(options: Omit<GuardedAgentOptions, 'certificate'>) {
  const connectors = new Map<string, buildConnector.connector>();
  return (origin: string, certificate: string): Client => {
    let connect = connectors.get(certificate);
    if (!connect) {
      connect = guardedConnector({ ...options, certificate });
      if (connectors.size >= mostConnectors) connectors.clear();
      connectors.set(certificate, connect);
    }
    return new Client(origin, { ...connection, connect });
  };
}

export function guardedConnector(options: GuardedAgentOptions): buildConnector.connector {
  const { policy, resolve = resolveBySystem, connectTimeoutMs = 10_000 } = options;
  const { clock = systemClock } = options;
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    allowH2: false,
    ...(options.certificate ? trusting(options.certificate) : {}),
    ...(options.acceptsAnyCertificate ? { rejectUnauthorized: false } : {}),
  });

  async function checkedAddresses(hostname: string): Promise<string[]> {
    const literal = addressLiteral(hostname);
    const addresses = literal ? [literal] : await resolve(hostname);
    if (addresses.length === 0) throw new Error(`${hostname} has no address`);
    if (!addresses.every((address) => isAllowedAddress(address, policy))) {
      throw new AddressRefused(hostname);
    }
    return addresses;
  }

  return (target, connected) => {
    const named = addressLiteral(target.hostname) === undefined;
    const attempt = (hostname: string, tried: Connected): void => {
      const pinned = { ...target, hostname };
      // The certificate is still checked against the requested name.
      if (named) pinned.servername ??= target.hostname;
      connect(pinned, (error, socket) => {
        const reached = socket?.remoteAddress;
        if (reached === undefined || isAllowedAddress(reached, policy)) {
          tried(error, socket);
          return;
        }
        socket?.destroy();
        tried(new AddressRefused(target.hostname), null);
      });
    };
    const done: Connected = (error, socket) =>
      socket ? connected(null, socket) : connected(error ?? new Error('no connection'), null);
    checkedAddresses(target.hostname).then(
      (addresses) => connectFirst(clock, addresses, attempt, done),
      (error: Error) => connected(error, null),
    );
  };
}
