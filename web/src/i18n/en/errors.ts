import type { RefusalCode } from '../../../../src/core/reasons/platform.ts';
import type { ErrorCode } from '../../../../src/errors.ts';

/** Texts by error code; for an empty one, the service's sentence is shown. */
export const errors: Record<ErrorCode | 'offline' | 'unanswered', string> = {
  offline: 'The service is unreachable. Check that it is running.',
  unanswered: 'The service does not answer. Try again.',
  invalid_request: '',
  malformed_json: 'The service could not read the request. Reload the page.',
  unauthorized: 'Your session has ended. Sign in again.',
  invalid_credentials: '',
  csrf_failed: 'This page is out of date. Reload it.',
  insufficient_scope: 'Your account cannot change this. Ask an administrator.',
  bot_not_allowed: 'This bot is not assigned to you. Ask an administrator to assign it.',
  chat_not_allowed: 'Your access does not include this chat. Ask an administrator.',
  app_forbidden: 'The app may not do this.',
  not_found: 'Not found. Reload the page.',
  bot_not_found: 'Bot not found. Choose another bot from the list.',
  route_not_found: 'Route not found. Reload the page.',
  app_not_found: 'App not found. Reload the page.',
  tag_not_found: 'Tag not found. Reload the page.',
  message_not_found: 'Message not stored. It is older than the bot, or deleted.',
  chat_not_found: 'Chat not found. It appears with its next message.',
  key_not_found: 'Key not found. Reload the page.',
  user_not_found: 'Person not found. Reload the page.',
  delivery_not_found: 'Already delivered or discarded. Reload the page.',
  method_not_allowed: 'The service does not support this request. Reload the page.',
  token_refused: 'Telegram rejected this token. Copy it again from @BotFather.',
  token_taken: 'A bot with this token already exists.',
  bot_exists: 'This bot is registered with another token. Replace the token there.',
  app_exists: 'This bot already has an app with this name.',
  too_many_apps: 'This bot already has 100 apps. Delete one first.',
  bot_disabled: 'This bot is disabled. Enable it first.',
  management_disabled: 'Chat management is off for this bot. Turn it on in its settings.',
  long_poll_disabled:
    'Apps cannot call getUpdates for this bot. Turn on “Let apps call getUpdates” in its settings.',
  sandbox_disabled: 'The sandbox is off. Start the service with RELAY_SANDBOX=on.',
  conflict: '',
  idempotency_mismatch: '',
  payload_too_large: 'Too large. Send less data.',
  unsupported_media_type: 'Unsupported content type. Reload the page.',
  platform_refused: 'Telegram rejected the request.',
  rate_limited: 'Too many requests. Try again in a moment.',
  platform_rate_limited: 'Telegram limits requests. Try again in a moment.',
  platform_unreachable: 'Telegram is unreachable. Check the network of the service.',
  platform_timeout: 'Telegram did not answer in time. Check the result before you repeat this.',
  shutting_down: 'The service is restarting. Try again in a moment.',
  bad_setting: 'A setting of the service is invalid. See the log of the service.',
  data_dir_locked: 'Another service uses this data directory. Stop one of them.',
  schema_too_new: 'A newer version wrote this data. Update the service.',
  secret_key_mismatch: 'The secret key does not match the data. Restore the original key.',
  no_previous_webhook: 'No previous webhook to restore.',
  database_unavailable: 'The database is unavailable. Check the log of the service.',
  internal: 'Internal error. Search the log of the service for the request number.',
};

/** Frequent errors of Telegram, and what to do. */
export const refusals: Record<RefusalCode, string> = {
  topic_gone:
    'The bot cannot write into this topic: it was deleted, the person switched topics off, or its first message is gone.',
  topic_closed:
    'The topic is closed or hidden. Reopen it, or give the bot the right to manage topics.',
  no_topics: 'The chat has no topics.',
  upgraded: 'The group became a supergroup with a new ID. Open the new chat.',
  no_rights:
    'The bot lacks a right for this. Grant it in the chat, or in the settings of the business account.',
  no_chat:
    'Chat not found in Telegram. Ask the person to start the bot, or add the bot to the group.',
  not_there: 'The bot is not in this chat. Add it first.',
  blocked: 'The bot cannot write to this person. Ask them to start or unblock it.',
  message_gone: 'The message no longer exists in Telegram.',
  too_old: 'Telegram only deletes messages of the last 48 hours, and not all of those.',
  unchanged: 'The new text is the same as the old one.',
  is_admin: 'This person is an administrator. Remove their rights first.',
  no_person: 'Telegram does not know this person in this chat.',
  too_large: 'The file is larger than 50 MB, the limit for bots.',
  account_too_late:
    'More than 24 hours since the last message of the customer: the bot cannot answer for the account.',
  account_over:
    'The business account no longer lets the bot answer. Ask its owner to connect the bot.',
  bad_picture: 'Telegram cannot show this as a photo. Send it as a file.',
};

/** A list of the fields follows. */
export const severalProblems: string = 'Correct these fields:';

/** Fields of the API as forms name them. */
export const fieldNames: Record<string, string> = {
  username: 'Username',
  password: 'Password',
  name: 'Name',
  description: 'Description',
  token: 'Token',
  webhook_mode: 'Webhook',
  proxy_enabled: 'Backend',
  backend_url: 'Backend URL',
  secret_token: 'Secret token',
  source_bot_id: 'Source bot',
  target_bot_id: 'Target bot',
  target_chat_id: 'Target chat',
  target_thread_id: 'Target topic',
  source_thread_id: 'Source topic',
  source_chat_id: 'Source chat',
  condition_value: 'Condition',
  api_url: 'API URL',
  api_key: 'API key',
  model: 'Model',
  text: 'Text',
  caption: 'Caption',
  tag: 'Tag',
  color: 'Color',
  expires_at: 'Expiry',
  bot_ids: 'Bots',
};

/** The allowed values of a field whose API error shows a pattern. */
export const fieldForms: Record<string, string> = {
  username: 'Use only letters, digits and . _ @ + - without spaces.',
  token: 'Invalid token. Use digits, a colon and letters, for example 123456:ABC-DEF.',
  secret_token: 'Use only letters, digits, _ and -.',
};
