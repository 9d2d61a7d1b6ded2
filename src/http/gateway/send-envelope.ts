import type { FastifyReply } from 'fastify';
import type { Envelope } from './envelope.ts';

/** Like the platform: the token in the path is the only credential, so any web page may call. */
export const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'content-length, content-type, date, retry-after',
};

export function sendEnvelope(
  reply: FastifyReply,
  { status, body, retryAfterSeconds }: Envelope,
): FastifyReply {
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
  return reply
    .code(status)
    .headers(corsHeaders)
    .header('content-type', 'application/json')
    .send(body);
}

/** The answer to a CORS preflight request. */
export function sendPreflight(reply: FastifyReply, methods: string): FastifyReply {
  return reply
    .code(204)
    .headers({
      ...corsHeaders,
      allow: methods,
      'access-control-allow-methods': methods,
      'access-control-allow-headers': '*',
      'access-control-max-age': '86400',
    })
    .send();
}
