import { type Static, Type } from 'typebox';
import { type Caller, roles, scopes } from '../../../core/access/access.ts';
import { botsOfRole, rightsOf, scopeOfRole } from '../../../core/access/rights.ts';
import type { SetupLink } from '../../../manage/access/first-access.ts';
import type { Sessions, SignedIn } from '../../../manage/access/sessions.ts';
import { networkOf, sessionCookie } from '../../auth.ts';
import { type Endpoint, type EndpointRequest, get, post } from '../../endpoint.ts';
import { Body, Choice, Flag, Integer, Text } from '../../schemas.ts';
import { NewPassword, Username } from './users.ts';

const AreaScope = Choice([...scopes, 'none']);

export const Session = Type.Object({
  kind: Choice(['key', 'user'], { description: 'Whether the caller is a key or a user.' }),
  id: Integer('ID of the key or the user.'),
  name: Text('Name of the key or the user.'),
  scope: Choice(scopes, { description: 'What the caller may do; for a user, in chats.' }),
  role: Choice([...roles, ''], { description: 'The role of a user; "" for keys.' }),
  rights: Type.Object(
    { account: AreaScope, chats: AreaScope, notes: AreaScope, bots: AreaScope, service: AreaScope },
    { description: 'The scope of the caller in each area of the API.' },
  ),
  bot_ids: Type.Union([Type.Array(Type.Integer()), Type.Null()], {
    description: 'The bots the caller is limited to; null means all.',
  }),
  csrf_token: Text('Send it as X-CSRF-Token with every POST of this session; "" for keys.'),
});

const SetupToken = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'The token at the end of the setup link.',
});

type Raw = EndpointRequest['raw'];

export function sessionEndpoints(deps: {
  sessions: Sessions;
  setupLink: SetupLink;
  secureCookies: boolean;
}): Endpoint[] {
  const { sessions, setupLink } = deps;

  function setCookie({ request, reply }: Raw, value: string, maxAgeSeconds: number): void {
    // After a sign-in by https, also through a trusted proxy, the cookie is never sent over plain http.
    const isSecure = deps.secureCookies || request.protocol === 'https';
    reply.header(
      'set-cookie',
      `${sessionCookie}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${isSecure ? '; Secure' : ''}`,
    );
  }

  function welcome(raw: Raw, signedIn: SignedIn): Static<typeof Session> {
    setCookie(raw, signedIn.token, Math.floor(signedIn.lifetimeMs / 1_000));
    return ofSignedIn(signedIn);
  }

  return [
    post('Sessions', '/api/auth/sign-in', {
      audit: {},
      scope: 'public',
      summary: 'Sign in to the web UI',
      description:
        'Sets the session cookie. Repeated failures from one address or for one username have to wait, longer each time.',
      body: Body({
        username: Type.String({ minLength: 1, maxLength: 256, examples: ['anna'] }),
        password: Type.String({
          minLength: 1,
          maxLength: 1_024,
          examples: ['correct horse battery'],
        }),
      }),
      response: Session,
      errors: ['invalid_credentials', 'rate_limited'],
      async handler({ body, caller, raw }) {
        const address = networkOf(caller.address);
        return welcome(raw, await sessions.signIn({ ...body, address }));
      },
    }),
    post('Sessions', '/api/auth/sign-out', {
      audit: {},
      scope: 'read',
      chats: 'none',
      summary: 'Sign out',
      response: Type.Object({ signed_out: Type.Boolean() }),
      async handler({ raw }) {
        const token = raw.request.identity?.sessionToken ?? '';
        if (token !== '') await sessions.signOut(token);
        setCookie(raw, '', 0);
        return { signed_out: token !== '' };
      },
    }),
    get('Sessions', '/api/auth/session', {
      scope: 'read',
      chats: 'none',
      summary: 'Get the current session',
      description: 'Shows what the calling key or user is allowed to do.',
      response: Session,
      handler: async ({ caller, raw }) => ofCaller(caller, raw.request.identity?.csrfToken ?? ''),
    }),
    post('Sessions', '/api/auth/setup', {
      audit: {},
      scope: 'public',
      summary: 'Create the first admin',
      description:
        'Uses the setup link that the first start prints, and signs in. The link works once, within 24 hours, and only while there is no admin.',
      body: Body({
        token: SetupToken,
        username: Username,
        password: NewPassword,
      }),
      response: Session,
      errors: ['invalid_credentials', 'conflict'],
      async handler({ body, raw }) {
        return welcome(raw, await setupLink.use(body));
      },
    }),
    post('Sessions', '/api/auth/setup/check', {
      audit: 'none',
      scope: 'public',
      summary: 'Check the setup link',
      description: 'Checking does not use up the link.',
      body: Body({ token: SetupToken }),
      response: Type.Object({
        usable: Flag('False if the link is wrong or used, or there is an admin already.'),
      }),
      handler: async ({ body }) => ({ usable: await setupLink.isUsable(body.token) }),
    }),
  ];
}

function ofSignedIn({ user, csrfToken }: SignedIn): Static<typeof Session> {
  return {
    kind: 'user',
    id: user.id,
    name: user.username,
    scope: scopeOfRole(user.role),
    role: user.role,
    rights: rightsOf({ role: user.role, scope: 'read' }),
    bot_ids: botsOfRole(user.role, user.botIds),
    csrf_token: csrfToken,
  };
}

function ofCaller(caller: Caller, csrfToken: string): Static<typeof Session> {
  return {
    kind: caller.kind === 'user' ? 'user' : 'key',
    id: caller.id,
    name: caller.name,
    scope: caller.scope,
    role: caller.role ?? '',
    rights: rightsOf(caller),
    bot_ids: caller.botIds === null ? null : [...caller.botIds],
    csrf_token: csrfToken,
  };
}
