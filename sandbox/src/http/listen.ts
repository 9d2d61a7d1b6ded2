import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ListenOptions {
  /** 0 chooses a free port. */
  port?: number;
  /** Loopback by default: a client of the control API can act as any user. */
  host?: string;
  /** A local socket instead of a port. */
  path?: string;
}

export interface Listening {
  /** Empty for a local socket. */
  url: string;
  port: number;
  close(): Promise<void>;
}

export async function listen(
  listener: RequestListener,
  options: ListenOptions,
): Promise<Listening> {
  const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: 0 }, listener);
  const host = options.host ?? '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    const done = (): void => {
      server.off('error', reject);
      resolve();
    };
    if (options.path !== undefined) server.listen(options.path, done);
    else server.listen({ port: options.port ?? 0, host, backlog: 2048 }, done);
  });
  const port = options.path === undefined ? (server.address() as AddressInfo).port : 0;
  const shown = host.includes(':') ? `[${host}]` : host;
  return {
    url: port ? `http://${shown}:${port}` : '',
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
