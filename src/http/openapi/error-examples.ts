import type { ErrorCode, ErrorDetail, PlatformRefusal } from '../../errors.ts';

interface Example {
  error: string;
  details?: ErrorDetail[];
  platform?: PlatformRefusal;
}

const examples: Partial<Record<ErrorCode, Example>> = {
  invalid_request: {
    error: 'chat_id must be a whole number.',
    details: [
      {
        field: 'chat_id',
        problem: 'must be a whole number',
        reason_code: 'wrong_type',
        params: { types: ['integer'] },
      },
    ],
  },
  malformed_json: {
    error: 'The body is not valid JSON (at position 17): check quotes, commas and brackets.',
  },
  token_refused: { error: 'The platform does not know this token: copy it again from BotFather.' },
  unauthorized: {
    error: 'An API key is needed: send it as the header Authorization: Bearer brs_….',
  },
  invalid_credentials: { error: 'This name and password do not fit together: check both.' },
  csrf_failed: { error: 'The header X-CSRF-Token is missing or not the one of this session.' },
  insufficient_scope: {
    error: 'This needs the scope "manage" and yours is "read": use a key with that scope.',
  },
  bot_not_allowed: { error: 'This key may not touch bot 2: use a key whose bot list has it.' },
  bot_not_found: { error: 'There is no bot 7.' },
  route_not_found: { error: 'There is no route 7.' },
  tag_not_found: { error: 'There is no tag 7.' },
  message_not_found: { error: 'There is no message 7 in this chat.' },
  chat_not_found: { error: 'This bot has not seen the chat 7.' },
  key_not_found: { error: 'There is no API key 7.' },
  user_not_found: { error: 'There is no user 7.' },
  method_not_allowed: { error: '/api/bots takes GET, not DELETE.' },
  token_taken: { error: 'This token is registered already, as bot 3.', details: [{ id: 3 }] },
  bot_disabled: { error: 'Bot 3 is disabled: enable it first.' },
  conflict: { error: 'There is already one of that name.' },
  idempotency_mismatch: {
    error: 'This Idempotency-Key was used with another body: use a new one.',
  },
  payload_too_large: { error: 'The body is larger than this endpoint takes.' },
  unsupported_media_type: {
    error: 'The body must be JSON: send it with the header content-type: application/json.',
  },
  platform_refused: {
    error: 'Telegram refused: Bad Request: chat not found',
    platform: { error_code: 400, description: 'Bad Request: chat not found' },
  },
  rate_limited: { error: 'Too many requests: at most 200 a second on average. Try again in 1 s.' },
  platform_rate_limited: {
    error: 'Telegram asks to wait 12 s.',
    platform: { error_code: 429, description: 'Too Many Requests: retry after 12' },
  },
  internal: { error: 'Something went wrong here: the log tells more by this request_id.' },
  platform_unreachable: { error: 'Telegram cannot be reached: nothing was sent.' },
  platform_timeout: { error: 'Telegram did not answer in time: whether it acted is unknown.' },
  no_previous_webhook: { error: 'No webhook of bot 3 was removed here: there is none to restore.' },
  database_unavailable: {
    error:
      'The database cannot be reached: try again in a few seconds. A change that was under way may have been made.',
  },
  shutting_down: { error: 'The service is stopping: try again in a moment.' },
};

/** An answer as a caller would see it. */
export function errorExamples(code: ErrorCode) {
  const { error, ...extras } = examples[code] ?? {
    error: `Refused: ${code.replaceAll('_', ' ')}.`,
  };
  return { error, code, ...extras, request_id: 'q3Jx0a9B-1k' };
}
