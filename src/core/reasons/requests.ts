import type { Sentences } from './shape.ts';

const checkWords = { database: 'the database', bots: 'bot supervision' };

export interface Check {
  check: keyof typeof checkWords;
}

export const requestReasons = {
  /** Text of somebody else, or of an older version, which is shown as it is. */
  verbatim: ({ text }: { text: string }) => text,
  body_compressed: 'Compressed bodies are not accepted. Send plain JSON without content-encoding.',
  body_not_taken: 'This endpoint takes no body. Send its parameters in the query.',
  body_not_json: 'The body must be JSON. Send it with the header content-type: application/json.',
  batch_too_long: ({ most }: { most: number }) =>
    `The batch is too long: at most ${most} requests. Send several.`,
  body_needed: 'A JSON body is required.',
  body_not_utf8: 'The body is not valid UTF-8. Send JSON in UTF-8.',
  body_malformed: ({ position }: { position: number | null }) =>
    `The body is not valid JSON${position === null ? '' : ` at position ${position}`}. Check quotes, commas and brackets.`,
  body_too_large: 'The body is too large for this endpoint. Send less.',
  body_length_wrong: 'The body does not have the length that content-length says.',
  body_no_update: 'The body is not an update.',
  form_unreadable: 'The form is not valid multipart/form-data.',
  form_or_json_needed:
    'Send a form with the file (multipart/form-data), or JSON with a file_id (application/json).',
  file_too_large: ({ most_bytes }: { most_bytes: number }) =>
    `The file is too large: at most ${most_bytes} bytes.`,
  url_invalid: 'The path is not a valid URL.',
  request_unclear: 'The request is not valid.',
  headers_too_long: 'The URL and headers are too long: at most 16 KB.',
  request_too_late: 'The request took too long to arrive.',
  not_http: 'This is not an HTTP request.',
  client_gone: 'The client closed the connection before the answer.',
  method_not_taken: ({
    path,
    methods,
    method,
  }: {
    path: string;
    methods: readonly string[];
    method: string;
  }) => `${method} is not allowed for ${path}. Use ${methods.join(' or ')}.`,
  nothing_at: ({ path }: { path: string }) =>
    `Nothing found at ${path}. Endpoints are listed at /docs/api.`,
  nothing_here: 'Nothing found at this address.',
  no_such_file: 'File not found.',
  too_many_requests: ({ per_second, seconds }: { per_second: number; seconds: number }) =>
    `Too many requests (limit: ${per_second} per second). Try again in ${seconds} s.`,
  too_many_streams: ({ most }: { most: number }) =>
    `Too many open event streams (limit: ${most}). Close one first.`,
  too_many_streams_in_all: ({ most }: { most: number }) =>
    `This node serves ${most} event streams, the most it can. Try again later.`,
  shutting_down: 'The service is stopping. Try again in a moment.',
  check_silent: ({ check }: Check) => `${checkWords[check]} does not answer`,
  check_failed: ({ check }: Check) => `${checkWords[check]} is not available`,
  service_stopping: 'the service is stopping',
  deleted_meanwhile: 'What this request refers to was deleted meanwhile.',
  internal_error: 'Internal error. Search the log for this request_id.',
  unexpected: 'unexpected',
  key_reused:
    'This Idempotency-Key was used in the last 24 hours with a different request. Use a new one.',
  first_request_cut_off:
    'The first request with this Idempotency-Key was interrupted and may have taken effect. Check before you send it with a new key.',
  database_unreachable:
    'The database cannot be reached. Try again in a few seconds; a change in flight may have been saved.',
  database_disk_full: 'The database disk is full. Free some space, then try again.',
  database_read_only:
    'The database server accepts no writes. Check that it is the primary, then try again.',
  database_disk_failed:
    'The database cannot write to its disk. Check the disk and its permissions, then try again.',
  database_too_slow:
    'The query took too long and was stopped. Ask for less, such as one bot or a shorter time.',
  database_upgraded: ({ schema, known }: { schema: number; known: number }) =>
    `A newer Bot Relay has upgraded the database to schema ${schema}. This node supports up to schema ${known}. Start the newer version on it.`,
  database_crowded: 'Too many long queries are running. Try again in a few seconds.',
  /** A refusal in the words of the sandbox, which has its own codes and values. */
  sandbox_refused: ({ text }: { refusal: string; values: object; text: string }) => text,
  sandbox_disabled: 'The sandbox is off. Start the service with RELAY_SANDBOX=on.',
  sandbox_limited_key: 'The sandbox shows all practice bots. Use a key without a bot list.',
} satisfies Sentences;
