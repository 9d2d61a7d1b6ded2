import { type Reason, reason } from '../../core/reasons/reason.ts';
import {
  type ErrorBody,
  type ErrorCode,
  type FieldProblem,
  type PlatformRefusal,
  RelayError,
} from '../../errors.ts';
import { errorBody } from '../error-handler.ts';

interface Extras {
  details?: FieldProblem[];
  platform?: PlatformRefusal;
}

const wrongType = reason('wrong_type', { types: ['integer'] });
const noChat = 'Bad Request: chat not found';

const examples: Record<ErrorCode, [why: Reason, extras?: Extras]> = {
  invalid_request: [
    reason('input_wrong', { field: 'chat_id', problem: wrongType, more: 0 }),
    { details: [{ field: 'chat_id', problem: wrongType }] },
  ],
  malformed_json: [reason('body_malformed', { position: 17 })],
  token_refused: [reason('token_refused', { description: 'Unauthorized' })],
  unauthorized: [reason('key_needed')],
  invalid_credentials: [reason('wrong_name_or_password')],
  csrf_failed: [reason('csrf_token_wrong')],
  insufficient_scope: [reason('scope_too_low', { needed: 'manage', scope: 'read' })],
  bot_not_allowed: [reason('bot_not_of_key', { bot_id: 2 })],
  chat_not_allowed: [reason('chat_not_readable', { chat_id: -1001234567890 })],
  app_forbidden: [reason('app_disabled', { app: 'analytics' })],
  not_found: [reason('nothing_here')],
  bot_not_found: [reason('unknown_bot', { bot_id: 7 })],
  route_not_found: [reason('no_such_route', { route_id: 7 })],
  app_not_found: [reason('no_such_app', { app_id: 5 })],
  tag_not_found: [reason('no_such_tag', { tag_id: 7 })],
  message_not_found: [reason('no_such_message', { chat_id: 42, message_id: 7 })],
  chat_not_found: [reason('unknown_chat', { bot_id: 3, chat_id: 7 })],
  key_not_found: [reason('no_such_key', { key_id: 7 })],
  user_not_found: [reason('no_such_user', { user_id: 7 })],
  delivery_not_found: [reason('no_dead_letters', { bot_id: 3 })],
  method_not_allowed: [
    reason('method_not_taken', { path: '/api/bots', methods: ['GET'], method: 'DELETE' }),
  ],
  bot_exists: [
    reason('bot_exists', { bot_id: 3, platform_id: 123456789 }),
    { details: [{ id: 3 }] },
  ],
  app_exists: [reason('app_name_taken', { bot_id: 3, name: 'analytics' })],
  too_many_apps: [reason('too_many_apps', { most: 100 })],
  token_taken: [reason('token_taken', { bot_id: 3 }), { details: [{ id: 3 }] }],
  bot_disabled: [reason('bot_disabled', { bot_id: 3 })],
  management_disabled: [reason('management_off', { bot_id: 3 })],
  long_poll_disabled: [reason('long_poll_off', { bot_id: 3 })],
  sandbox_disabled: [reason('sandbox_disabled')],
  no_previous_webhook: [reason('no_previous_webhook', { bot_id: 3 })],
  conflict: [reason('user_exists', { username: 'anna' })],
  idempotency_mismatch: [reason('key_reused')],
  payload_too_large: [reason('body_too_large')],
  unsupported_media_type: [reason('body_not_json')],
  platform_refused: [
    reason('platform_refused', { description: noChat, refusal: 'no_chat' }),
    { platform: { error_code: 400, description: noChat } },
  ],
  rate_limited: [reason('too_many_requests', { per_second: 200, seconds: 1 })],
  platform_rate_limited: [
    reason('platform_wait', { seconds: 12 }),
    {
      platform: {
        error_code: 429,
        description: 'Too Many Requests: retry after 12',
        parameters: { retry_after: 12 },
      },
    },
  ],
  platform_unreachable: [
    reason('platform_nothing_sent', {
      cause: reason('platform_unreachable', { cause: 'ECONNREFUSED' }),
    }),
  ],
  platform_timeout: [
    reason('platform_outcome_unknown', { cause: reason('platform_no_answer', { seconds: 30 }) }),
  ],
  shutting_down: [reason('shutting_down')],
  database_unavailable: [reason('database_unreachable')],
  internal: [reason('internal_error')],
  // These codes occur only at the start of the service.
  bad_setting: [reason('internal_error')],
  data_dir_locked: [reason('internal_error')],
  schema_too_new: [reason('internal_error')],
  secret_key_mismatch: [reason('internal_error')],
};

export function errorExample(code: ErrorCode): ErrorBody {
  const [why, extras] = examples[code];
  return errorBody(new RelayError(code, why, extras), 'q3Jx0a9B-1k');
}
