import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers on a free port of this machine until it is closed, whatever is still connected. */
export interface LocalServer {
  url: string;
  port: number;
  server: Server;
  close(): Promise<void>;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Without a listener, one may be added later. */
export async function serve(listener?: Listener): Promise<LocalServer> {
  const server = createServer();
  if (listener) {
    server.on('request', (request, response) => {
      // The client has disconnected, or the request was invalid.
      Promise.resolve(listener(request, response)).catch(() => response.destroy());
    });
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    server,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** For a program that cannot choose one itself; nobody else has it at the moment. */
export async function freePort(): Promise<number> {
  const { port, close } = await serve();
  await close();
  return port;
}
