import { connect } from 'node:net';

export interface Load {
  requestsPerSecond: number;
  requests: number;
}

/**
 * Keeps `connections` busy with one request each for a while. It uses plain sockets and minimal
 * parsing, so that the server is the limit, not this process.
 */
export async function load(options: {
  address: string;
  /** Requested in turn, by any connection that is free. */
  paths: readonly string[];
  headers: Record<string, string>;
  connections: number;
  durationMs: number;
}): Promise<Load> {
  const url = new URL(options.address);
  const lines = Object.entries(options.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const asked = options.paths.map((path) =>
    Buffer.from(`GET ${path} HTTP/1.1\r\nhost: ${url.host}\r\n${lines.join('')}\r\n`),
  );
  let turn = 0;
  const next = () => asked[turn++ % asked.length] as Buffer;
  const begin = performance.now();
  const end = begin + options.durationMs;
  const counts = await Promise.all(
    Array.from({ length: options.connections }, () => oneConnection(url, next, end)),
  );
  const requests = counts.reduce((sum, count) => sum + count, 0);
  return { requests, requestsPerSecond: requests / ((performance.now() - begin) / 1_000) };
}

function oneConnection(url: URL, next: () => Buffer, end: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let count = 0;
    let missing = -1;
    let head = '';
    const socket = connect(Number(url.port), url.hostname, () => socket.write(next()));
    socket.setNoDelay(true);
    socket.on('error', reject);
    socket.on('close', () => resolve(count));
    socket.on('data', (chunk: Buffer) => {
      if (missing < 0) {
        head += chunk.toString('latin1');
        const bodyAt = head.indexOf('\r\n\r\n') + 4;
        if (bodyAt < 4) return;
        if (!head.startsWith('HTTP/1.1 200')) {
          reject(new Error(head.slice(0, 500)));
          return;
        }
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
        missing = length - (head.length - bodyAt);
      } else {
        missing -= chunk.length;
      }
      if (missing > 0) return;
      count += 1;
      missing = -1;
      head = '';
      if (performance.now() < end) socket.write(next());
      else socket.destroy();
    });
  });
}
