/*
 * Connects to a host through a proxy, by SOCKS5 (RFC 1928, RFC 1929) or by HTTP's CONNECT. The
 * proxy resolves the name: where Telegram is blocked, its name often does not resolve locally
 * either.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '../clock.ts';

export class ProxyRefused extends Error {
  readonly code = 'PROXY_REFUSED';

  /** Names the proxy by host and port only: its address may hold a password. */
  constructor(proxy: URL, why: string) {
    super(`The proxy ${proxy.host} refused the connection: ${why}`);
    this.name = 'ProxyRefused';
  }
}

export interface Target {
  host: string;
  port: number;
}

const socksVersion = 5;
const longestHead = 16 * 1024;

/** Returns a socket whose other end is the target; TLS, if any, is up to the caller. */
export async function openTunnel(
  proxy: URL,
  target: Target,
  { clock, timeoutMs, signal }: { clock: Clock; timeoutMs: number; signal: AbortSignal },
): Promise<Socket> {
  const socket = reach(proxy);
  const giveUp = () => socket.destroy(new ProxyRefused(proxy, 'no answer'));
  const cancel = clock.after(timeoutMs, giveUp);
  signal.addEventListener('abort', giveUp);
  try {
    await once(socket, proxy.protocol === 'https:' ? 'secureConnect' : 'connect');
    const ask = proxy.protocol.startsWith('socks5') ? askSocks : askHttp;
    await ask(proxy, socket, target);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
    cancel();
  }
}

function reach(proxy: URL): Socket {
  const host = proxy.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(proxy.port || defaultPorts[proxy.protocol]);
  return proxy.protocol === 'https:'
    ? connectTls({ host, port, servername: host })
    : connect({ host, port });
}

const defaultPorts: Record<string, number> = {
  'http:': 80,
  'https:': 443,
  'socks5:': 1080,
  'socks5h:': 1080,
};

async function askSocks(proxy: URL, socket: Socket, { host, port }: Target): Promise<void> {
  const user = Buffer.from(decodeURIComponent(proxy.username));
  const password = Buffer.from(decodeURIComponent(proxy.password));
  const reader = createReader(proxy, socket);
  const methods = user.length > 0 ? [0, 2] : [0];
  socket.write(Buffer.from([socksVersion, methods.length, ...methods]));
  const [version, method] = await reader.take(2);
  if (version !== socksVersion) throw new ProxyRefused(proxy, 'it does not speak SOCKS5');
  if (method === 2) {
    socket.write(Buffer.from([1, user.length, ...user, password.length, ...password]));
    const [, status] = await reader.take(2);
    if (status !== 0) throw new ProxyRefused(proxy, 'wrong username or password');
  } else if (method !== 0) throw new ProxyRefused(proxy, 'it asks for a username and password');
  const name = Buffer.from(host);
  socket.write(Buffer.from([socksVersion, 1, 0, 3, name.length, ...name, port >> 8, port & 255]));
  const [, reply, , kind = 0] = await reader.take(4);
  if (reply !== 0) throw new ProxyRefused(proxy, socksReplies[reply ?? 0] ?? `reply ${reply}`);
  const addressLength = kind === 1 ? 4 : kind === 4 ? 16 : ((await reader.take(1))[0] ?? 0);
  await reader.take(addressLength + 2);
  reader.end();
}

const socksReplies: Record<number, string> = {
  1: 'general failure',
  2: 'not allowed',
  3: 'network unreachable',
  4: 'host unreachable',
  5: 'connection refused',
  6: 'timed out',
};

async function askHttp(proxy: URL, socket: Socket, { host, port }: Target): Promise<void> {
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const authorization =
    proxy.username === ''
      ? ''
      : `Proxy-Authorization: Basic ${Buffer.from(credentials).toString('base64')}\r\n`;
  socket.write(`CONNECT ${address} HTTP/1.1\r\nHost: ${address}\r\n${authorization}\r\n`);
  const reader = createReader(proxy, socket);
  const head = await reader.takeUntil('\r\n\r\n');
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1]);
  if (!(status >= 200 && status < 300)) {
    throw new ProxyRefused(proxy, Number.isNaN(status) ? 'no HTTP answer' : `status ${status}`);
  }
  reader.end();
}

/** Reads exactly the requested bytes: the bytes after them belong to the target. */
function createReader(proxy: URL, socket: Socket) {
  let bytes: Buffer = Buffer.alloc(0);
  let failure: Error | undefined;
  let wake = () => {};
  const onData = (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    wake();
  };
  const onEnd = (error?: Error) => {
    failure ??=
      error instanceof Error ? error : new ProxyRefused(proxy, 'it closed the connection');
    wake();
  };
  socket.on('data', onData);
  socket.once('error', onEnd);
  socket.once('close', () => onEnd());

  async function until(isThere: () => boolean): Promise<void> {
    while (!isThere()) {
      if (failure) throw failure;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  function cut(length: number): Buffer {
    const taken = bytes.subarray(0, length);
    bytes = bytes.subarray(length);
    return taken;
  }

  return {
    async take(length: number): Promise<Buffer> {
      await until(() => bytes.length >= length);
      return cut(length);
    },
    async takeUntil(end: string): Promise<string> {
      await until(() => bytes.includes(end) || bytes.length > longestHead);
      const at = bytes.indexOf(end);
      if (at < 0) throw new ProxyRefused(proxy, 'its answer is too long');
      return cut(at + end.length).toString('latin1');
    },
    /** Returns the socket as if nothing had been read. */
    end(): void {
      socket.off('data', onData);
      socket.off('error', onEnd);
      socket.pause();
      if (bytes.length > 0) socket.unshift(bytes);
    },
  };
}
