import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RelayError } from '../errors.ts';
import { parseJson } from './untrusted-json.ts';

/** Bodies are JSON. An empty one is nothing, whatever type it claims to have. */
export function installBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, bytes: Buffer) =>
      bytes.length === 0 ? undefined : parseJson(bytes),
  );
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: AsyncIterable<Buffer>) => {
    if (request.routeOptions.config.endpoint?.consumes !== undefined) return payload;
    if (request.headers['content-length'] === '0') return undefined;
    for await (const chunk of payload) {
      if (chunk.length > 0) throw notJson(request);
    }
    return undefined;
  });
}

function notJson(request: FastifyRequest): RelayError {
  if (request.routeOptions.config.endpoint?.body === undefined) {
    return new RelayError(
      'invalid_request',
      'This endpoint takes no body: give its parameters in the query.',
      { details: [{ field: 'body', problem: 'is not taken' }] },
    );
  }
  return new RelayError(
    'unsupported_media_type',
    'The body must be JSON: send it with the header content-type: application/json.',
  );
}
