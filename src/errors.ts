import { type Reason, reason, reasonText } from './core/reasons/reason.ts';

/** Stable error codes; only `http/error-handler.ts` maps them to HTTP statuses. */
export type ErrorCode =
  | 'invalid_request'
  | 'malformed_json'
  | 'unauthorized'
  | 'invalid_credentials'
  | 'csrf_failed'
  | 'insufficient_scope'
  | 'bot_not_allowed'
  | 'chat_not_allowed'
  | 'app_forbidden'
  | 'not_found'
  | 'bot_not_found'
  | 'route_not_found'
  | 'app_not_found'
  | 'tag_not_found'
  | 'message_not_found'
  | 'chat_not_found'
  | 'key_not_found'
  | 'user_not_found'
  | 'delivery_not_found'
  | 'method_not_allowed'
  | 'token_refused'
  | 'token_taken'
  | 'bot_exists'
  | 'app_exists'
  | 'too_many_apps'
  | 'bot_disabled'
  | 'management_disabled'
  | 'long_poll_disabled'
  | 'sandbox_disabled'
  | 'no_previous_webhook'
  | 'conflict'
  | 'idempotency_mismatch'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'platform_refused'
  | 'rate_limited'
  | 'platform_rate_limited'
  | 'platform_unreachable'
  | 'platform_timeout'
  | 'shutting_down'
  | 'database_unavailable'
  | 'bad_setting'
  | 'data_dir_locked'
  | 'schema_too_new'
  | 'secret_key_mismatch'
  | 'internal';

export interface FieldProblem {
  field?: string;
  problem?: Reason;
  [key: string]: unknown;
}

/** A field problem in the form that callers receive. */
export interface ErrorDetail {
  field?: string;
  problem?: string;
  reason_code?: string;
  params?: object;
  [key: string]: unknown;
}

export interface ErrorBody {
  error: string;
  code: ErrorCode;
  reason_code: string;
  params: object;
  details?: ErrorDetail[];
  request_id: string;
  platform?: PlatformRefusal;
}

/** Telegram's own error, passed on with 422, 429, 502 and 504. */
export interface PlatformRefusal {
  error_code: number;
  description: string;
  parameters?: { retry_after?: number; migrate_to_chat_id?: number };
}

interface RelayErrorExtras {
  details?: FieldProblem[];
  platform?: PlatformRefusal;
  retryAfterSeconds?: number;
  allow?: string;
  cause?: unknown;
}

/** A failure that a caller is told about: its reason becomes a sentence the caller can act on. */
export class RelayError extends Error {
  readonly code: ErrorCode;
  readonly reason: Reason;
  readonly details: ErrorDetail[] | undefined;
  readonly platform: PlatformRefusal | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly allow: string | undefined;

  constructor(code: ErrorCode, why: Reason, extras: RelayErrorExtras = {}) {
    super(reasonText(why), extras.cause === undefined ? undefined : { cause: extras.cause });
    this.name = 'RelayError';
    this.code = code;
    this.reason = why;
    this.details = extras.details?.map(toDetail);
    this.platform = extras.platform;
    this.retryAfterSeconds = extras.retryAfterSeconds;
    this.allow = extras.allow;
  }
}

function toDetail({ problem, ...about }: FieldProblem): ErrorDetail {
  if (problem === undefined) return about;
  const { code, params } = problem;
  return { ...about, problem: reasonText(problem), reason_code: code, params };
}

export function invalidField(field: string, problem: Reason): RelayError {
  return new RelayError('invalid_request', reason('field_wrong', { field, problem }), {
    details: [{ field, problem }],
  });
}

/** A field whose value does not fit what is there. */
export function conflictingField(field: string, problem: Reason): RelayError {
  return new RelayError('conflict', problem, { details: [{ field, problem }] });
}

/** True if the connection to the database was lost, so that a write may or may not have happened. */
export function isOutage(error: unknown): error is RelayError {
  return error instanceof RelayError && error.code === 'database_unavailable';
}

// SQLite's codes for too big, constraint, mismatch, range.
const refusingCodes = new Set([18, 19, 20, 25]);

/** True if the database will never accept this row: its values, or the rows it refers to, are wrong. */
export function isRefusedRow(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  if (typeof errcode === 'number') return refusingCodes.has(errcode & 0xff);
  return typeof code === 'string' && /^2[23]...$/.test(code);
}

/**
 * True if the row that a new row refers to was deleted between the check and the write, on either
 * database.
 */
export function isMissingReference(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  return code === '23503' || errcode === 787;
}

/** The message was sent but not recorded. The error must not suggest a retry. */
export function sentUnrecorded(cause: unknown): RelayError {
  return new RelayError('platform_timeout', reason('sent_unrecorded'), { cause });
}

/** Returns a code for an error, because its message might contain secrets, such as a token in a path. */
export function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (typeof code === 'string' && code !== '') return code;
  return typeof name === 'string' ? name : 'unknown error';
}

/** True if this process, or the whole system, may open no more files. */
export function isOutOfFiles(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === 'EMFILE' || code === 'ENFILE';
}
