import { reason } from '../../../core/reasons/reason.ts';
import { Readable } from 'node:stream';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { requireChats } from '../../../core/access/chat-limits.ts';
import { invalidField, RelayError } from '../../../errors.ts';
import type { MessageActions } from '../../../manage/messages/message-actions.ts';
import type { MediaMessage } from '../../../manage/messages/send-calls.ts';
import { type Endpoint, post } from '../../endpoint.ts';
import { registerEndpoint } from '../../register-endpoint.ts';
import { createBodyReader, createQueryReader } from '../../request/request-input.ts';
import { asJsonSchema } from '../../schemas.ts';
import { SentMessage } from './message-schema.ts';
import { FileIdBody, UploadFields, UploadForm } from './message-action-schema.ts';
import { actionErrors } from './message-actions.ts';

const maxBytes = 2_000_000_000;
const readFields = createQueryReader(asJsonSchema(UploadFields));
const readBody = createBodyReader(asJsonSchema(FileIdBody));

/** Forms are accepted only here. */
export function installUploads(app: FastifyInstance, deps: { actions: MessageActions }): void {
  void app.register(async (scope) => {
    await scope.register(multipart, {
      limits: { files: 1, fields: 20, fieldSize: 16_384, parts: 21, fileSize: maxBytes },
      // Some clients send no file name.
      isPartAFile: (field, _type, name) => field === 'file' || name !== undefined,
    });
    registerEndpoint(scope, sendMediaEndpoint(deps));
  });
}

function sendMediaEndpoint({ actions }: { actions: MessageActions }): Endpoint {
  return post('Messages', '/api/messages/send-media', {
    audit: {},
    scope: 'send',
    chats: 'filtered',
    summary: 'Send media',
    description:
      'Upload a file as `multipart/form-data`, with the file as the last field; it is streamed to Telegram. Or send `application/json` with the `file_id` of a file that the bot has seen.',
    consumes: 'multipart/form-data',
    body: UploadForm,
    jsonBody: FileIdBody,
    response: SentMessage,
    errors: [...actionErrors],
    async handler({ caller, raw: { request } }) {
      if (!request.isMultipart()) {
        const { file_id, ...message } = readBody(jsonOf(request));
        requireChats(caller, 'writes', message.chat_id as number);
        return actions.sendMedia(caller, { ...message, file: file_id } as MediaMessage);
      }
      const parts = request.parts();
      const { fields, part } = await readForm(parts);
      const { file } = part;
      try {
        const message = fieldsBefore(fields) as unknown as MediaMessage;
        requireChats(caller, 'writes', message.chat_id);
        file.once('limit', () => file.destroy(tooLarge()));
        const whole = Readable.from(untilTheEnd(file, parts), { objectMode: false });
        const upload = { file: whole, name: part.filename || 'file', type: part.mimetype };
        return await actions.sendMedia(caller, { ...message, file: upload });
      } finally {
        // Reads the rest, so that the caller can read the answer.
        file.resume();
      }
    },
  });
}

type Parts = ReturnType<FastifyRequest['parts']>;

/** The fields before the file, and the unread file. */
async function readForm(parts: Parts) {
  const fields: Record<string, string> = {};
  for (;;) {
    const part = await nextOf(parts);
    if (!part) throw invalidField('file', reason('file_missing'));
    if (part.type === 'field') fields[part.fieldname] = textOf(part.value);
    else if (part.fieldname === 'file') return { fields, part };
    else {
      part.file.resume();
      throw invalidField(part.fieldname, reason('other_file_field'));
    }
  }
}

/** A field that says it is JSON arrives parsed. */
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

async function nextOf(parts: Parts) {
  try {
    const { value, done } = await parts.next();
    return done ? undefined : value;
  } catch (error) {
    throw new RelayError('invalid_request', reason('form_unreadable'), {
      details: [{ field: 'body', problem: reason('not_a_form') }],
      cause: error,
    });
  }
}

/** A field may be missing or come after the file: that is not known before the file is read. */
function fieldsBefore(fields: Record<string, string>) {
  const { required = [] } = asJsonSchema(UploadFields);
  const missing = required.filter((name) => !(name in fields));
  const [first] = missing;
  if (first === undefined) return readFields(fields);
  const problem = reason('missing_before_file');
  const why = reason('input_wrong', { field: first, problem, more: 0 });
  throw new RelayError('invalid_request', why, {
    details: missing.map((field) => ({ field, problem })),
  });
}

/** The file. Fields after it would come too late for the platform, so there may be none. */
async function* untilTheEnd(file: Readable, parts: Parts) {
  for await (const chunk of file) yield chunk as Buffer;
  const late = await nextOf(parts);
  if (late) throw invalidField(late.fieldname, reason('after_the_file'));
}

function jsonOf(request: FastifyRequest): unknown {
  const type = request.headers['content-type'] ?? '';
  if (request.body === undefined || type.startsWith('application/json')) return request.body;
  throw new RelayError('unsupported_media_type', reason('form_or_json_needed'));
}

function tooLarge(): RelayError {
  return new RelayError('payload_too_large', reason('file_too_large', { most_bytes: maxBytes }));
}
