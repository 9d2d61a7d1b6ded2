import { reason } from '../core/reasons/reason.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorBody, type ErrorCode, isMissingReference, RelayError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { drain, hasUnreadBody } from './drain.ts';

/** The only place that maps codes to HTTP statuses. */
export const statusOf: Record<ErrorCode, number> = {
  invalid_request: 400,
  malformed_json: 400,
  token_refused: 400,
  unauthorized: 401,
  invalid_credentials: 401,
  csrf_failed: 403,
  insufficient_scope: 403,
  bot_not_allowed: 403,
  chat_not_allowed: 403,
  app_forbidden: 403,
  not_found: 404,
  bot_not_found: 404,
  route_not_found: 404,
  app_not_found: 404,
  tag_not_found: 404,
  message_not_found: 404,
  chat_not_found: 404,
  key_not_found: 404,
  user_not_found: 404,
  delivery_not_found: 404,
  method_not_allowed: 405,
  token_taken: 409,
  bot_exists: 409,
  app_exists: 409,
  too_many_apps: 409,
  bot_disabled: 409,
  management_disabled: 409,
  long_poll_disabled: 409,
  sandbox_disabled: 409,
  no_previous_webhook: 409,
  conflict: 409,
  idempotency_mismatch: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  platform_refused: 422,
  rate_limited: 429,
  platform_rate_limited: 429,
  internal: 500,
  bad_setting: 500,
  data_dir_locked: 500,
  schema_too_new: 500,
  secret_key_mismatch: 500,
  platform_unreachable: 502,
  shutting_down: 503,
  database_unavailable: 503,
  platform_timeout: 504,
};

export function errorBody(error: RelayError, requestId: string): ErrorBody {
  return {
    error: error.message,
    code: error.code,
    reason_code: error.reason.code,
    params: error.reason.params,
    ...(error.details ? { details: error.details } : {}),
    request_id: requestId,
    ...(error.platform ? { platform: error.platform } : {}),
  };
}

export function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  thrown: unknown,
  logger: Logger,
): FastifyReply {
  const error = asRelayError(thrown);
  const status = statusOf[error.code];
  if (status === 500) {
    logger.error(
      { err: thrown, request_id: request.id, route: request.routeOptions.url },
      'request failed with an internal error',
    );
  }
  if (isMissingReference(thrown)) {
    // The usual cause is a deletion at the same moment; if it repeats, it is a bug.
    const about = { err: thrown, request_id: request.id, route: request.routeOptions.url };
    logger.warn(about, 'request refers to something that was deleted');
  }
  const retryAfterSeconds = error.retryAfterSeconds ?? (status === 503 ? 5 : undefined);
  if (retryAfterSeconds !== undefined) {
    reply.header('retry-after', String(Math.max(1, Math.ceil(retryAfterSeconds))));
  }
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (error.allow) reply.header('allow', error.allow);
  // Internal errors are logged; the caller gets the request ID to find them.
  const shown = status === 500 ? new RelayError('internal', reason('internal_error')) : error;
  reply
    .code(status)
    .header('cache-control', 'no-store')
    .header('content-type', 'application/json; charset=utf-8')
    .serializer(JSON.stringify);
  const body = errorBody(shown, request.id);
  if (!hasUnreadBody(request.raw)) return reply.send(body);
  drain(request.raw).then(
    () => reply.send(body),
    () => reply.send(body),
  );
  return reply;
}

/** Turns errors of Fastify and of the databases into errors of the service. */
function asRelayError(thrown: unknown): RelayError {
  if (thrown instanceof RelayError) return thrown;
  if (isMissingReference(thrown)) {
    return new RelayError('conflict', reason('deleted_meanwhile'), { cause: thrown });
  }
  const { code, statusCode } = (thrown ?? {}) as { code?: string; statusCode?: number };
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
    case 'FST_REQ_FILE_TOO_LARGE':
      return new RelayError('payload_too_large', reason('body_too_large'));
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new RelayError('unsupported_media_type', reason('body_not_json'));
    case 'FST_ERR_BAD_URL':
      return new RelayError('invalid_request', reason('url_invalid'));
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new RelayError('invalid_request', reason('body_length_wrong'));
    default:
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new RelayError('invalid_request', reason('request_unclear'), {
      cause: thrown,
    });
  }
  return new RelayError('internal', reason('unexpected'), { cause: thrown });
}

export function installErrorHandler(app: FastifyInstance, logger: Logger): void {
  app.setErrorHandler((error, request, reply) => sendError(request, reply, error, logger));
}
