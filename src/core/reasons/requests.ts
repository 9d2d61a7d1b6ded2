import type { Sentences } from './shape.ts';

const checkWords = { database: 'the database', bots: 'the running of bots' };

interface Check {
  check: keyof typeof checkWords;
}

/** What the service says of a request as such. */
export const requestReasons = {
  /** Words of somebody else, or of an older version: shown as they are. */
  verbatim: ({ text }: { text: string }) => text,
  body_compressed:
    'A compressed body is not taken: send the JSON as it is, without content-encoding.',
  body_not_taken: 'This endpoint takes no body: give its parameters in the query.',
  body_not_json: 'The body must be JSON: send it with the header content-type: application/json.',
  body_needed: 'A JSON body is needed.',
  body_not_utf8: 'The body is not UTF-8 text: send JSON in UTF-8.',
  body_malformed: ({ position }: { position: number | null }) =>
    `The body is not valid JSON (${position === null ? 'it ends too early or is not JSON at all' : `at position ${position}`}): check quotes, commas and brackets.`,
  body_too_large: 'The body is larger than this endpoint takes.',
  body_length_wrong: 'The body is not as long as content-length says.',
  body_no_update: 'The body is no update.',
  form_unreadable: 'The form cannot be read.',
  form_or_json_needed:
    'Send a form with the file (multipart/form-data), or JSON with a file_id (application/json).',
  file_too_large: ({ most_bytes }: { most_bytes: number }) =>
    `A file may have at most ${most_bytes} bytes.`,
  url_invalid: 'The path is not a valid URL.',
  request_unclear: 'The request cannot be understood.',
  headers_too_long: 'The address and the headers are too long: 16 KB at most.',
  request_too_late: 'The request did not come in time.',
  not_http: 'This is not an HTTP request.',
  client_gone: 'The client went away before it was answered.',
  method_not_taken: ({
    path,
    methods,
    method,
  }: {
    path: string;
    methods: readonly string[];
    method: string;
  }) => `${path} takes ${methods.join(' or ')}, not ${method}.`,
  nothing_at: ({ path }: { path: string }) => `There is nothing at ${path}.`,
  nothing_here: 'There is nothing here.',
  no_such_file: 'There is no such file.',
  too_many_requests: ({ per_second, seconds }: { per_second: number; seconds: number }) =>
    `Too many requests: at most ${per_second} a second on average. Try again in ${seconds} s.`,
  too_many_streams: ({ most }: { most: number }) =>
    `At most ${most} streams of events may be open at once: close one first.`,
  shutting_down: 'The service is stopping: try again in a moment.',
  check_silent: ({ check }: Check) => `${checkWords[check]} does not answer`,
  check_failed: ({ check }: Check) => `${checkWords[check]} is not available`,
  service_stopping: 'the service is stopping',
  internal_error: 'Something went wrong here: the log tells more by this request_id.',
  unexpected: 'unexpected',
  key_reused: 'This Idempotency-Key was used within 24 hours with another request: use a new one.',
  first_request_cut_off:
    'The first request with this Idempotency-Key was cut off: whether it took effect is not known. Look before you send again with a new key.',
  database_unreachable:
    'The database cannot be reached: try again in a few seconds. A change that was under way may have been made.',
  database_disk_full: 'The disk of the database is full: free some space, then try again.',
  database_disk_failed:
    'The database cannot write to its disk: check the disk and its permissions, then try again.',
  database_too_slow:
    'This took too long and was stopped: ask for less, for example one bot or a shorter time.',
  database_crowded: 'Too many long searches are running: try again in a few seconds.',
  /** In the words of the sandbox, which has codes and values of its own. */
  sandbox_refused: ({ text }: { refusal: string; values: object; text: string }) => text,
  sandbox_disabled: 'The sandbox is switched off here: start the service with RELAY_SANDBOX=on.',
  sandbox_limited_key:
    'The sandbox shows all practice bots: use a key that is not limited to certain bots.',
} satisfies Sentences;
