import multipart, { type MultipartFile } from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidField, RelayError } from '../../errors.ts';
import type { MediaMessage, MessageActions } from '../../manage/message-actions.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { registerEndpoint } from '../register-endpoint.ts';
import { createBodyReader, createQueryReader } from '../request-input.ts';
import { asJsonSchema } from '../schemas.ts';
import { Message } from '../schemas/message.ts';
import { FileIdBody, SendMediaBody, UploadFields } from '../schemas/message-action.ts';
import { actionErrors } from './message-actions.ts';

const mostBytes = 2_000_000_000;
const readFields = createQueryReader(asJsonSchema(UploadFields));
const readBody = createBodyReader(asJsonSchema(FileIdBody));

/** Forms are read only here; everywhere else they stay refused. */
export function installUploads(app: FastifyInstance, deps: { actions: MessageActions }): void {
  void app.register(async (scope) => {
    await scope.register(multipart, {
      limits: { files: 1, fields: 10, fieldSize: 8_192, parts: 11, fileSize: mostBytes },
    });
    registerEndpoint(scope, sendMediaEndpoint(deps));
  });
}

function sendMediaEndpoint({ actions }: { actions: MessageActions }): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/api/messages/send-media',
    scope: 'send',
    tag: 'Messages',
    summary: 'Send a photo, document or other media',
    description:
      'As a form (`multipart/form-data`) with the file as its last field, passed on to the platform as it arrives; or as `application/json` with the `file_id` of a file the bot has seen.',
    consumes: 'multipart/form-data',
    body: SendMediaBody,
    response: Message,
    errors: [...actionErrors],
    async handler({ caller, raw: { request } }) {
      if (!request.isMultipart()) {
        const { file_id, ...message } = readBody(jsonOf(request));
        return actions.sendMedia(caller, { ...message, file: file_id } as MediaMessage);
      }
      const { fields, part } = await readForm(request);
      const { file } = part;
      try {
        const message = readFields(fields) as unknown as MediaMessage;
        file.once('limit', () => file.destroy(tooLarge()));
        const upload = { file, name: part.filename || 'file', type: part.mimetype };
        return await actions.sendMedia(caller, { ...message, file: upload });
      } finally {
        // Whatever was not sent runs out, so that the caller can read the answer.
        file.resume();
      }
    },
  });
}

/** The fields before the file, and the file, of which nothing is read yet. */
async function readForm(request: FastifyRequest) {
  const fields: Record<string, string> = {};
  try {
    for await (const part of request.parts()) {
      if (part.type === 'file') {
        if (part.fieldname === 'file') return { fields, part: part as MultipartFile };
        part.file.resume();
        throw invalidField(part.fieldname, 'is not a known file field: the file goes into "file"');
      }
      fields[part.fieldname] = String(part.value);
    }
  } catch (error) {
    if (error instanceof RelayError) throw error;
    throw new RelayError('invalid_request', 'The form cannot be read.', {
      details: [{ field: 'body', problem: 'is not a form as multipart/form-data' }],
      cause: error,
    });
  }
  throw invalidField('file', 'is missing: it is the last field of the form');
}

function jsonOf(request: FastifyRequest): unknown {
  const type = request.headers['content-type'] ?? '';
  if (request.body === undefined || type.startsWith('application/json')) return request.body;
  throw new RelayError(
    'unsupported_media_type',
    'Send a form with the file (multipart/form-data), or JSON with a file_id (application/json).',
  );
}

function tooLarge(): RelayError {
  return new RelayError('payload_too_large', `A file may have at most ${mostBytes} bytes.`);
}
