import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { createContext, useContext, useEffect } from 'react';
import { isSignedOut } from '../../api/error.ts';
import { sessionQuery, signOut } from '../../api/session.ts';
import type { Scope, Session } from '../../api/types.ts';
import { useAction } from '../../ui/use-action.ts';
import { allows } from './places.ts';

const nobody: Session = {
  kind: 'user',
  id: 0,
  name: '',
  scope: 'read',
  bot_ids: [],
  csrf_token: '',
};

/** A session that ended elsewhere leads to the sign-in, and from there back. */
export function useLeaveWhenSignedOut(): void {
  const client = useQueryClient();
  const navigate = useNavigate();
  useEffect(() => {
    function look(error: unknown): void {
      if (!isSignedOut(error)) return;
      client.setQueryData(sessionQuery.queryKey, null);
      void navigate({
        to: '/sign-in',
        search: { next: window.location.pathname + window.location.search },
      });
    }
    const stopQueries = client.getQueryCache().subscribe((event) => {
      if (event.type === 'updated' && event.action.type === 'error') look(event.action.error);
    });
    const stopMutations = client.getMutationCache().subscribe((event) => {
      if (event.type === 'updated' && event.action.type === 'error') look(event.action.error);
    });
    return () => {
      stopQueries();
      stopMutations();
    };
  }, [client, navigate]);
}

const SessionContext = createContext<Session>(nobody);
export const SessionProvider = SessionContext.Provider;

/** Read once for everything inside the frame: thousands of small parts ask for it. */
export function useFrameSession(): Session {
  return useSuspenseQuery(sessionQuery).data ?? nobody;
}

/** Who is signed in; pages inside the frame are only shown to someone. */
export function useSession(): Session {
  return useContext(SessionContext);
}

export function useMay(needed: Scope): boolean {
  return allows(useSession().scope, needed);
}

export function useSignOut() {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useAction({
    run: async () => {
      // First away from everything that asks the service for something, then out.
      await client.cancelQueries();
      await navigate({ to: '/sign-in' });
      await signOut();
      client.clear();
    },
  });
}
