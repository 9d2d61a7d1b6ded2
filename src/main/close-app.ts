import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
// Sockets need real time, even if a test controls the clock of the rest.
import { systemClock as clock } from '../clock.ts';

const lookEveryMs = 50;
const timeoutMs = 3_000;

/**
 * Prepares the closing of an app. Node closes idle connections once, when the closing begins: a
 * connection that is busy then is kept for its next request, and one without any request so far
 * (browsers open those in advance) never counts as idle. So connections without a request are
 * closed repeatedly while the app closes, and after a timeout all that are left.
 */
export function closerOf(app: FastifyInstance): () => Promise<void> {
  const unused = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  app.server.on('request', ({ socket }: IncomingMessage) => unused.delete(socket));

  return async () => {
    const until = clock.monotonic() + timeoutMs;
    let cancel = () => {};
    const look = () => {
      if (clock.monotonic() >= until) app.server.closeAllConnections();
      app.server.closeIdleConnections();
      for (const socket of unused) socket.destroy();
      cancel = clock.after(lookEveryMs, look);
    };
    try {
      const closed = app.close();
      // Requests that just arrived are still read, so that their clients learn that the service
      // stops.
      cancel = clock.after(lookEveryMs, look);
      await closed;
    } finally {
      cancel();
    }
  };
}
