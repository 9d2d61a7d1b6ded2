import { reason } from '../../../core/reasons/reason.ts';
import { type Static, Type } from 'typebox';
import { roles } from '../../../core/access/access.ts';
import { maxId } from '../../../core/limits.ts';
import { invalidField } from '../../../errors.ts';
import { stateOf } from '../../../manage/access/audit-subjects.ts';
import type { Users } from '../../../manage/access/users.ts';
import { type Endpoint, type Listed, get, post } from '../../endpoint.ts';
import { isoTime } from '../../../core/iso-time.ts';
import {
  Body,
  Choice,
  Flag,
  Id,
  Integer,
  List,
  Moment,
  Optional,
  Query,
  Text,
} from '../../schemas.ts';

export const Username = Text(
  'Username for signing in: letters, digits and . _ @ + -; case does not matter.',
  'anna',
  { minLength: 1, maxLength: 64, pattern: '^[\\p{L}\\p{N}._@+-]+$' },
);

export const NewPassword = Text('At least 8 characters.', 'correct horse battery', {
  minLength: 8,
  maxLength: 1_024,
});

const BotIds = List(
  Id('Bot ID.'),
  'The bots assigned to the user. Ignored for admins, who have all.',
  [1],
  { maxItems: 1_000, uniqueItems: true },
);

export const TelegramUserId = Integer(
  'ID of the same person in Telegram, so that conversations of the person are those of the user; 0 for none.',
  0,
  { minimum: 0, maximum: maxId },
);

export const User = Type.Object({
  id: Id('User ID.'),
  username: Type.String({ examples: ['anna'] }),
  role: Choice(roles, {
    description:
      'viewer: reads; agent: answers in chats; manager: manages bots and chats; admin: everything. All but admins have the assigned bots only. user is the older name of manager.',
  }),
  bot_ids: List(Type.Integer(), 'Assigned bots; empty for admins.'),
  disabled: Flag('Whether the user is disabled.'),
  telegram_user_id: Integer('ID of the same person in Telegram; 0 if not known.', 0),
  has_password: Flag(
    'Without a password nobody can sign in as this user, such as after an import.',
  ),
  created_at: Moment('Creation time.'),
  last_sign_in_at: Moment('Last sign-in; "" means never.'),
});

export function userEndpoints({ users }: { users: Users }): Endpoint[] {
  return [
    get('Users', '/api/auth/users', {
      scope: 'admin',
      summary: 'List users',
      response: Type.Array(User),
      handler: async ({ caller }) => (await users.list(caller)).map(toResource),
    }),
    post('Users', '/api/auth/users/create', {
      audit: {},
      scope: 'admin',
      summary: 'Add a user',
      body: Body(
        {
          username: Username,
          password: NewPassword,
          role: Optional.Choice(roles, { default: 'user' }),
          bot_ids: Type.Optional(BotIds),
          telegram_user_id: Type.Optional(TelegramUserId),
        },
        ['id', 'disabled', 'has_password', 'created_at', 'last_sign_in_at'],
      ),
      response: User,
      errors: ['conflict', 'bot_not_found', 'bot_not_allowed'],
      handler: async ({ body, caller }) =>
        toResource(
          await users.create(caller, {
            username: body.username,
            password: body.password,
            ...(body.role === undefined ? {} : { role: body.role }),
            ...(body.bot_ids === undefined ? {} : { botIds: body.bot_ids }),
            ...(body.telegram_user_id === undefined
              ? {}
              : { telegramUserId: body.telegram_user_id }),
          }),
        ),
    }),
    post('Users', '/api/auth/users/update', {
      audit: { before: stateOf.user },
      scope: 'admin',
      summary: 'Update a user',
      description: 'Omitted fields keep their value. Disabling a user ends all their sessions.',
      body: Body(
        {
          id: Id('User ID.'),
          role: Optional.Choice(roles, { examples: ['agent'] }),
          bot_ids: Type.Optional(BotIds),
          disabled: Type.Optional(Type.Boolean()),
          telegram_user_id: Type.Optional(TelegramUserId),
        },
        ['username', 'has_password', 'created_at', 'last_sign_in_at'],
      ),
      response: User,
      errors: ['user_not_found', 'bot_not_found', 'bot_not_allowed', 'conflict'],
      handler: async ({ body, caller }) =>
        toResource(
          await users.update(caller, {
            id: body.id,
            ...(body.role === undefined ? {} : { role: body.role }),
            ...(body.bot_ids === undefined ? {} : { botIds: body.bot_ids }),
            ...(body.disabled === undefined ? {} : { disabled: body.disabled }),
            ...(body.telegram_user_id === undefined
              ? {}
              : { telegramUserId: body.telegram_user_id }),
          }),
        ),
    }),
    post('Users', '/api/auth/users/delete', {
      audit: { before: stateOf.user, removes: true },
      scope: 'admin',
      summary: 'Delete a user',
      description: 'Ends all their sessions. Returns the deleted user.',
      query: Query({ id: Id('User ID.') }),
      response: User,
      errors: ['user_not_found', 'bot_not_allowed', 'conflict'],
      handler: async ({ caller, query }) => toResource(await users.remove(caller, query.id)),
    }),
    post('Users', '/api/auth/users/password', {
      audit: { before: stateOf.user },
      scope: 'read',
      area: 'account',
      chats: 'none',
      summary: 'Change a password',
      description:
        "Change your own with `current_password`; an admin sets another user's by `id`. All other sessions of that user end.",
      body: Body({
        id: Optional.Id('The user whose password an admin sets. Default: yourself.'),
        current_password: Optional.Text('Required for your own password.', undefined, {
          minLength: 1,
          maxLength: 1_024,
        }),
        password: NewPassword,
      }),
      response: User,
      errors: ['user_not_found', 'invalid_credentials', 'insufficient_scope', 'bot_not_allowed'],
      async handler({ body, caller, raw }) {
        const keepSession = raw.request.identity?.sessionToken ?? '';
        const isOwn = body.id === undefined || (caller.kind === 'user' && caller.id === body.id);
        if (!isOwn) {
          const { id = 0, password } = body;
          return toResource(await users.setPassword(caller, { id, password, keepSession: '' }));
        }
        if (caller.kind !== 'user') throw invalidField('id', reason('key_has_no_password'));
        if (body.current_password === undefined) {
          throw invalidField('current_password', reason('own_password_needed'));
        }
        return toResource(
          await users.changeOwnPassword(caller, {
            current: body.current_password,
            password: body.password,
            keepSession,
          }),
        );
      },
    }),
  ];
}

function toResource(user: Listed<Users['list']>): Static<typeof User> {
  return {
    id: user.id,
    username: user.username,
    role: user.role,
    bot_ids: user.botIds ?? [],
    disabled: user.disabled,
    telegram_user_id: user.telegramUserId,
    has_password: user.passwordHash !== '',
    created_at: isoTime(user.createdAt),
    last_sign_in_at: isoTime(user.lastSignInAt),
  };
}
