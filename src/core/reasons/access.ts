import type { Sentences } from './shape.ts';

/** Who may do what. */
export const accessReasons = {
  key_needed: 'An API key is needed: send it as the header Authorization: Bearer brs_….',
  key_invalid: 'This API key is not valid here: it is mistyped, disabled, expired or deleted.',
  webhook_unknown: 'No webhook with this secret is registered for this bot.',
  session_misused:
    'Another page asked for this with your session: open the web page itself, or use an API key.',
  csrf_token_wrong:
    'The header X-CSRF-Token is missing or not the one of this session: read it from GET /api/auth/session.',
  scope_too_low: ({ needed, scope }: { needed: string; scope: string }) =>
    `This needs the scope "${needed}" and yours is "${scope}": use a key with that scope.`,
  bot_not_of_key: ({ bot_id }: { bot_id: number }) =>
    `This key may not touch bot ${bot_id}: use a key whose bot list has it, or one without a list.`,
  all_bots_needed:
    'This holds for all bots, and this key is limited to some: use one without a list.',
  beyond_bots_of_key:
    'This key is limited to some bots and may not touch what reaches beyond them.',
  key_may_not_add_bots:
    'This key is limited to certain bots and may not add others: use one without a list.',
  chat_not_of_key: ({ chat_id }: { chat_id: number }) =>
    `None of the bots this key may touch is in chat ${chat_id}: use another key, or give the bot_id of one that is.`,
  tag_not_of_key: ({ tag_id }: { tag_id: number }) =>
    `Tag ${tag_id} belongs to bots this key may not touch: use a key whose bot list has one of them.`,
  no_such_key: ({ key_id }: { key_id: number }) => `There is no API key ${key_id}.`,
  only_admin_key: ({ key_id }: { key_id: number }) =>
    `Key ${key_id} is the only admin key, and there is no admin user: create another admin key first.`,
  expiry_past: 'expires_at must be in the future.',
  setup_link_invalid:
    'This set-up link is not valid, has expired or was used: sign in, or add a user with the command "bot-relay users add".',
  user_exists: ({ username }: { username: string }) => `There is already a user ${username}.`,
  wrong_name_or_password: 'This name and password do not fit together: check both.',
  user_changed: 'This user was changed meanwhile: try again.',
  current_password_wrong: 'The current password is not right.',
  too_many_sign_ins: ({ seconds }: { seconds: number }) =>
    `Too many attempts to sign in: try again in ${seconds} s.`,
  no_such_user: ({ user_id }: { user_id: number }) => `There is no user ${user_id}.`,
  only_admin: ({ username }: { username: string }) =>
    `${username} is the only admin: make another user an admin first.`,
} satisfies Sentences;
