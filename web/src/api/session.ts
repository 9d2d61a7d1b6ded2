import { queryOptions } from '@tanstack/react-query';
import { get, post, rememberCsrfToken } from './client/client.ts';
import { isSignedOut } from './client/error.ts';
import type { Session } from './client/types.ts';

/** The signed-in user; null if nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      return remember(await get('/api/auth/session', {}, signal));
    } catch (error) {
      if (isSignedOut(error)) return null;
      throw error;
    }
  },
});

export async function signIn(body: { username: string; password: string }): Promise<Session> {
  return remember(await post('/api/auth/sign-in', { body }));
}

/** Asks whether a setup link is still valid. */
export const setupLinkQuery = (token: string) =>
  queryOptions({
    queryKey: ['setup-link', token],
    queryFn: ({ signal }) => post('/api/auth/setup/check', { body: { token }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: token !== '',
    retry: false,
  });

export async function openSetupLink(body: {
  token: string;
  username: string;
  password: string;
}): Promise<Session> {
  return remember(await post('/api/auth/setup', { body }));
}

export async function signOut(): Promise<void> {
  await post('/api/auth/sign-out');
  rememberCsrfToken('');
}

function remember(session: Session): Session {
  rememberCsrfToken(session.csrf_token);
  return session;
}
