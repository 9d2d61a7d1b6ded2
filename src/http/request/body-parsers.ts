import { reason } from '../../core/reasons/reason.ts';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RelayError } from '../../errors.ts';
import { parseJson } from './untrusted-json.ts';

/** Parses JSON bodies. An empty body counts as none, whatever its content type. */
export function installBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) => {
      if (bytes.length === 0) return undefined;
      const encoding = request.headers['content-encoding'];
      if (encoding === undefined || /^identity$/i.test(encoding)) return parseJson(bytes);
      throw new RelayError('unsupported_media_type', reason('body_compressed'));
    },
  );
  app.addContentTypeParser('*', (request: FastifyRequest, payload: IncomingMessage, done) => {
    if (request.routeOptions.config.endpoint?.consumes !== undefined) {
      done(null, payload);
      return;
    }
    const finish = (error: Error | null) => {
      payload.off('data', onData).off('end', onEnd).off('error', finish);
      done(error);
    };
    const onEnd = () => finish(null);
    const onData = (chunk: Buffer) => {
      if (chunk.length > 0) finish(notJson(request));
    };
    payload.on('data', onData).on('end', onEnd).on('error', finish);
  });
}

function notJson(request: FastifyRequest): RelayError {
  if (request.routeOptions.config.endpoint?.body === undefined) {
    return new RelayError('invalid_request', reason('body_not_taken'), {
      details: [{ field: 'body', problem: reason('not_taken') }],
    });
  }
  return new RelayError('unsupported_media_type', reason('body_not_json'));
}
