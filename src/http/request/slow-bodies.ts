import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../clock.ts';
import { hasUnreadBody } from '../drain.ts';

const answeredMs = 10_000;
const unknownMs = 30_000;

/*
 * Uploads may take as long as they like, so the server itself sets no time for a request. That is
 * for authenticated callers: others could hold a connection forever with a body that never comes.
 */

/** Ends the connection of a body that is not there in time. */
function giveUpAfter(clock: Clock, message: IncomingMessage, ms: number): void {
  if (!hasUnreadBody(message)) return;
  const cancel = clock.after(ms, () => message.destroy());
  message.once('end', cancel).once('close', cancel);
}

/** For a request that anyone may make. */
export function expectBodySoon(clock: Clock, message: IncomingMessage): void {
  giveUpAfter(clock, message, unknownMs);
}

/** Who has the answer and goes on sending, refused or not, may do so for a moment only. */
export function installSlowBodies(app: FastifyInstance, clock: Clock): void {
  app.addHook('onResponse', (request, _reply, done) => {
    giveUpAfter(clock, request.raw, answeredMs);
    done();
  });
}
