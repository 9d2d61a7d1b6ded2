import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A backend that takes updates, or rejects them while it is broken. */
export interface Backend {
  url: string;
  /** Texts and headers of accepted updates. */
  taken: { text: string; replay: boolean }[];
  broken: boolean;
  /** While it is broken, it asks for so long a pause; 0: for none. */
  retryAfterSeconds: number;
  /** The status of its answer to HEAD. */
  headStatus: number;
  close(): Promise<void>;
}

export async function startBackend(): Promise<Backend> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      if (backend.broken) {
        const { retryAfterSeconds: pause } = backend;
        response
          .writeHead(500, pause > 0 ? { 'retry-after': String(pause) } : {})
          .end('out of order');
        return;
      }
      // A check asks for no more than the head.
      if (request.method === 'HEAD') {
        response.writeHead(backend.headStatus).end();
        return;
      }
      const update = JSON.parse(body) as { message?: { text?: string } };
      backend.taken.push({
        text: update.message?.text ?? '',
        replay: request.headers['x-bot-relay-replay'] !== undefined,
      });
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const backend: Backend = {
    url: `http://127.0.0.1:${port}/updates`,
    taken: [],
    broken: false,
    retryAfterSeconds: 0,
    headStatus: 200,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return backend;
}
