import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface RoundTrips {
  /** The address of the same database through this proxy. */
  url: string;
  /** Returns how often a client sent something after the server had answered, over all connections. */
  count(): number;
  close(): void;
}

/** A proxy to a PostgreSQL that counts round trips: statements that are sent together count as one. */
export async function countRoundTrips(databaseUrl: string): Promise<RoundTrips> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let trips = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let isAnswered = true;
    client.on('data', () => {
      if (isAnswered) trips++;
      isAnswered = false;
    });
    upstream.on('data', () => (isAnswered = true));
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.setNoDelay(true);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    count: () => trips,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
