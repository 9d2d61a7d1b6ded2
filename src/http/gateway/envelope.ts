import { type ErrorCode, type PlatformRefusal, RelayError } from '../../errors.ts';

/** A response in the form of the Bot API: the HTTP status equals `error_code`. */
export interface Envelope {
  status: number;
  body: string;
  retryAfterSeconds?: number;
}

export type FailureParameters = NonNullable<PlatformRefusal['parameters']>;

export function success(result: unknown, description?: string): Envelope {
  return {
    status: 200,
    body: JSON.stringify({ ok: true, result, ...(description ? { description } : {}) }),
  };
}

/** A successful response whose result is already JSON. */
export function successOf(json: string): Envelope {
  return { status: 200, body: `{"ok":true,"result":${json}}` };
}

export function failure(
  status: number,
  description: string,
  parameters?: FailureParameters,
): Envelope {
  const body = JSON.stringify({
    ok: false,
    error_code: status,
    description,
    ...(parameters ? { parameters } : {}),
  });
  const retryAfterSeconds = parameters?.retry_after;
  return { status, body, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
}

export const badRequest = (description: string) => failure(400, `Bad Request: ${description}`);
export const notFound = () => failure(404, 'Not Found');
export const methodNotAllowed = (allowed: string) =>
  failure(405, `Method Not Allowed: use ${allowed}`);
export const unauthorized = (why: string) => failure(401, `Unauthorized: ${why}`);
export const malformedToken = () => unauthorized('invalid token specified');
export const botDisabled = () =>
  failure(
    409,
    'Conflict: bot is disabled in the relay; enable it on its page or with POST /api/bots/toggle-disabled',
  );

/** Thrown to answer early. */
export class EarlyReply extends Error {
  readonly envelope: Envelope;

  constructor(envelope: Envelope) {
    super('refused');
    this.envelope = envelope;
  }
}

const firstWords: Partial<Record<ErrorCode, [status: number, words: string]>> = {
  invalid_request: [400, 'Bad Request'],
  malformed_json: [400, 'Bad Request'],
  unauthorized: [401, 'Unauthorized'],
  bot_not_found: [401, 'Unauthorized'],
  app_not_found: [404, 'Not Found'],
  not_found: [404, 'Not Found'],
  method_not_allowed: [405, 'Method Not Allowed'],
  app_forbidden: [403, 'Forbidden'],
  bot_disabled: [409, 'Conflict'],
  conflict: [409, 'Conflict'],
  payload_too_large: [413, 'Request Entity Too Large'],
  platform_unreachable: [502, 'Bad Gateway'],
  platform_timeout: [504, 'Gateway Timeout'],
  shutting_down: [503, 'Service Unavailable'],
  database_unavailable: [503, 'Service Unavailable'],
};

/** Turns errors of the service into Telegram's form; undefined for unexpected errors. */
export function envelopeOf(error: unknown): Envelope | undefined {
  if (error instanceof EarlyReply) return error.envelope;
  if (!(error instanceof RelayError)) return undefined;
  const { code, message, platform, retryAfterSeconds } = error;
  if (code === 'rate_limited' || code === 'platform_rate_limited') {
    const seconds = Math.max(1, Math.ceil(retryAfterSeconds ?? 1));
    return failure(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
  }
  if (platform) return failure(platform.error_code, platform.description, platform.parameters);
  const [status, words] = firstWords[code] ?? [];
  if (status === undefined || words === undefined) return undefined;
  const envelope = failure(status, message.startsWith(words) ? message : `${words}: ${message}`);
  return retryAfterSeconds === undefined ? envelope : { ...envelope, retryAfterSeconds };
}
