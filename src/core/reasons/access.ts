import type { Sentences } from './shape.ts';

export const accessReasons = {
  key_needed: 'API key required. Send it in the header Authorization: Bearer brs_….',
  key_invalid:
    'Invalid API key: it is mistyped, disabled, expired or deleted. Check it, or use another key.',
  key_not_bearer: 'Send the API key as Authorization: Bearer brs_….',
  webhook_unknown: 'Wrong webhook secret for this bot.',
  session_misused:
    'This request came from another site. Use the web UI itself, or send an API key.',
  csrf_token_wrong:
    'The X-CSRF-Token header is missing or wrong. Read the token from GET /api/auth/session.',
  scope_too_low: ({ needed, scope }: { needed: string; scope: string }) =>
    `This needs the scope "${needed}", and yours is "${scope}". Use a key with that scope.`,
  role_lacks_right: ({ role }: { role: string }) =>
    `The role "${role}" does not include this. Ask an admin for another role.`,
  bot_not_of_key: ({ bot_id }: { bot_id: number }) =>
    `This key has no access to bot ${bot_id}. Use a key that lists this bot, or one without a bot list.`,
  all_bots_needed:
    'This affects all bots, and this key is limited to some. Use a key without a bot list.',
  beyond_bots_of_key:
    'This affects bots that this key has no access to. Use a key without a bot list.',
  key_may_not_add_bots:
    'This key is limited to some bots and cannot add others. Use a key without a bot list.',
  chat_not_of_key: ({ chat_id }: { chat_id: number }) =>
    `No bot of this key is in chat ${chat_id}. Use another key, or set bot_id to a bot in that chat.`,
  chat_not_readable: ({ chat_id }: { chat_id: number }) =>
    `This key may not read chat ${chat_id}. Use a key with this chat in read_chats, or one without that list.`,
  chat_not_writable: ({ chat_id }: { chat_id: number }) =>
    `This key may not write to chat ${chat_id}. Use a key with this chat in write_chats, or one without that list.`,
  all_chats_needed:
    'This concerns all chats, and this key is limited to some. Use a key without read_chats and write_chats.',
  file_not_of_chat:
    'This key is limited to some chats. Name the message that has the file in chat_id and message_id.',
  name_a_chat: 'This key is limited to some chats. Name one of them in chat_id.',
  chat_limited_scope: 'a key with read_chats or write_chats can have the scope read or send',
  daily_writes_used: ({ daily_writes }: { daily_writes: number }) =>
    `This key has made its ${daily_writes} changes of today (UTC). Wait until tomorrow, or use another key.`,
  tag_not_of_key: ({ tag_id }: { tag_id: number }) =>
    `Tag ${tag_id} belongs to bots that this key has no access to. Use a key that lists one of them.`,
  no_such_key: ({ key_id }: { key_id: number }) =>
    `Unknown API key ${key_id}. List keys with GET /api/auth/api-keys.`,
  only_admin_key: ({ key_id }: { key_id: number }) =>
    `Key ${key_id} is the only admin key, and no user is an admin. Create another admin key first.`,
  expiry_past: 'expires_at must be in the future.',
  setup_link_invalid:
    'This setup link is invalid, expired or already used, or there is an admin. Sign in, set a password with "bot-relay users password <name>", or add an admin with "bot-relay users add <name> --role admin".',
  user_exists: ({ username }: { username: string }) =>
    `The username ${username} is taken. Choose another.`,
  wrong_name_or_password: 'Wrong username or password.',
  user_changed: 'This user was changed at the same time. Try again.',
  current_password_wrong: 'The current password is wrong.',
  too_many_sign_ins: ({ seconds }: { seconds: number }) =>
    `Too many sign-in attempts. Try again in ${seconds} s.`,
  person_is_user: ({ username }: { username: string }) =>
    `${username} is this person in Telegram already. Remove it there first.`,
  no_such_user: ({ user_id }: { user_id: number }) =>
    `Unknown user ${user_id}. List users with GET /api/auth/users.`,
  only_admin: ({ username }: { username: string }) =>
    `${username} is the only admin. Make another user an admin first.`,
} satisfies Sentences;
