import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../clock.ts';
import { hasUnreadBody } from '../drain.ts';

const answeredMs = 10_000;
const unknownMs = 30_000;

/*
 * Limits the time for request bodies. Uploads may take any time, so the server sets no request
 * timeout. Without this limit, unauthenticated callers could hold a connection forever with a body
 * that never arrives.
 */

/** Closes the connection when the body does not arrive in time. */
function giveUpAfter(clock: Clock, message: IncomingMessage, ms: number): void {
  if (!hasUnreadBody(message)) return;
  const cancel = clock.after(ms, () => message.destroy());
  message.once('end', cancel).once('close', cancel);
}

/** Limits the time for the body of a request without authentication. */
export function expectBodySoon(clock: Clock, message: IncomingMessage): void {
  giveUpAfter(clock, message, unknownMs);
}

/** After the response, a client may continue sending only for a moment. */
export function installSlowBodies(app: FastifyInstance, clock: Clock): void {
  app.addHook('onResponse', (request, _reply, done) => {
    giveUpAfter(clock, request.raw, answeredMs);
    done();
  });
}
