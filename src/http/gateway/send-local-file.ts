import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LocalFile } from '../../core/ports.ts';
import { rangeOf } from '../request/byte-range.ts';
import { corsHeaders } from './send-envelope.ts';

/** Streams the file from disk, whole or one range of it. */
export async function sendLocalFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: LocalFile,
): Promise<FastifyReply> {
  const { sizeBytes } = file;
  const range = rangeOf(request.headers.range, sizeBytes);
  reply.headers({
    ...corsHeaders,
    'accept-ranges': 'bytes',
    'content-type': 'application/octet-stream',
    'content-security-policy': 'sandbox',
  });
  if (range === 'unsatisfiable') {
    await file.close();
    return reply.code(416).header('content-range', `bytes */${sizeBytes}`).send();
  }
  const length = range ? range.end - range.start + 1 : sizeBytes;
  reply.code(range ? 206 : 200).header('content-length', length);
  if (range) reply.header('content-range', `bytes ${range.start}-${range.end}/${sizeBytes}`);
  if (request.method === 'HEAD') {
    await file.close();
    return reply.send();
  }
  return reply.send(file.read(range));
}
