import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Envelope } from './envelope.ts';

/** Any web page may call, as with Telegram: the token in the path is the only credential. */
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

/** Sends the response to a CORS preflight request. */
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

/** Sends through a reply that was hijacked from the framework. */
export function sendRaw(reply: FastifyReply, { status, body, retryAfterSeconds }: Envelope): void {
  reply.raw.writeHead(status, {
    ...headersOf(reply),
    ...corsHeaders,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  });
  reply.raw.end(body);
}

export function headersOf(reply: FastifyReply): OutgoingHttpHeaders {
  return reply.getHeaders() as OutgoingHttpHeaders;
}
