import type { RefusalCode } from '../../../../src/core/reasons/platform.ts';
import type { ErrorCode } from '../../../../src/errors.ts';

/** By the code of the answer; where it is empty, the service's own sentence says it best. */
export const errors: Record<ErrorCode | 'offline' | 'unanswered', string> = {
  offline: 'The service cannot be reached. Is it running?',
  unanswered: 'The service does not answer. Wait, or try again.',
  invalid_request: '',
  malformed_json: 'The service could not read what the page sent. Load the page again.',
  unauthorized: 'Your session has ended. Sign in again.',
  invalid_credentials: '',
  csrf_failed: 'This page is older than your session. Load it again.',
  insufficient_scope: 'Your account may look at this but not change it. Ask an administrator.',
  bot_not_allowed: 'This bot is not assigned to you. Ask an administrator to assign it.',
  not_found: 'It is no longer there. Load the page again to see what is.',
  bot_not_found: 'There is no such bot any more. The list of bots shows those that are here.',
  route_not_found: 'This route is gone already. Load the page again.',
  tag_not_found: 'This tag is gone already.',
  message_not_found: 'This message is not stored here: it is older than the bot, or was removed.',
  chat_not_found: 'This chat is not known here yet. It appears with its next message.',
  key_not_found: 'This key is gone already.',
  user_not_found: 'Nobody of that kind is known here.',
  delivery_not_found: 'It is no longer waiting: delivered, or discarded by somebody else.',
  method_not_allowed: 'The service does not know this request. Load the page again.',
  token_refused: 'Telegram does not accept this token. Copy it again from @BotFather.',
  token_taken: 'A bot with this token is here already.',
  bot_disabled: 'This bot is disabled. Enable it first.',
  management_disabled: 'Chat management is off for this bot. Switch it on in its settings.',
  long_poll_disabled: 'Reading with getUpdates is off for this bot. Switch it on in its settings.',
  sandbox_disabled: 'The sandbox is switched off. Start the service with RELAY_SANDBOX=on.',
  conflict: '',
  idempotency_mismatch: '',
  payload_too_large: 'That is too large.',
  unsupported_media_type: 'The service does not take this kind of content.',
  platform_refused: 'Telegram refused.',
  rate_limited: 'Too many requests in a short time. Wait a moment and try again.',
  platform_rate_limited: 'Telegram asks to slow down. Wait a moment and try again.',
  platform_unreachable: 'Telegram cannot be reached from the service. Check its network.',
  platform_timeout:
    'Telegram did not answer in time. It may have been done: look before repeating.',
  shutting_down: 'The service is restarting. Try again in a moment.',
  bad_setting: 'A setting of the service is wrong. Its log tells which.',
  data_dir_locked: 'Another service uses the same data. Stop one of them.',
  schema_too_new: 'The data was written by a newer version. Update the service.',
  secret_key_mismatch: 'The secret key does not fit the data. Restore the one it was made with.',
  no_previous_webhook: 'There is no earlier webhook to put back.',
  database_unavailable: 'The service cannot use its database right now.',
  internal: 'Something went wrong inside the service. Its log tells more by the request number.',
};

/** What Telegram refuses most often, and what to do about it. */
export const refusals: Record<RefusalCode, string> = {
  no_rights:
    'The bot lacks a right for this. Give it one in Telegram: in the chat, or in the settings of the business account.',
  no_chat: 'Telegram knows no such chat, or the bot was never in it.',
  not_there: 'The bot is not in this chat. Add it there again.',
  blocked: 'This person has stopped the bot: it can write again once they start it.',
  message_gone: 'The message no longer exists in Telegram.',
  too_old: 'Telegram lets bots delete messages for 48 hours only, and not every one.',
  unchanged: 'Nothing would change: it says this already.',
  is_admin: 'This is an administrator: take their rights away first.',
  no_person: 'Telegram knows no such person in this chat.',
  too_large: 'The file is larger than Telegram takes from bots (50 MB).',
  account_too_late:
    'Telegram lets a bot answer for a business account for 24 hours after the customer last wrote.',
  account_over: 'The business account no longer lets the bot answer in its name.',
  bad_picture: 'Telegram cannot show this as a picture. Send it as a file.',
};

/** Several fields are wrong; a list of them follows. */
export const severalProblems = 'Some fields need correcting:';

/** Fields as forms call them. The API's own names are not for readers. */
export const fieldNames: Record<string, string> = {
  username: 'Name',
  password: 'Password',
  name: 'Name',
  description: 'Description',
  token: 'Token',
  webhook_mode: 'Webhook',
  proxy_enabled: 'Backend',
  backend_url: 'Backend address',
  secret_token: 'Secret',
  source_bot_id: 'Receiving bot',
  target_bot_id: 'Sending bot',
  target_chat_id: 'Destination chat',
  source_chat_id: 'Chat',
  condition_value: 'Condition',
  api_url: 'Address',
  api_key: 'Key',
  model: 'Model',
  text: 'Text',
  caption: 'Caption',
  tag: 'Tag',
  color: 'Colour',
  expires_at: 'Expiry',
  bot_ids: 'Bots',
};

/** What a field may hold, where the service answers with a pattern. */
export const fieldForms: Record<string, string> = {
  username: 'Use letters, digits and . _ @ + - only, without spaces.',
  token: 'A token is digits, a colon and letters, such as 123456:ABC-DEF.',
  secret_token: 'Use letters, digits, _ and - only.',
};
