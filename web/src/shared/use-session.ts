import { type Query, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { createContext, useContext, useEffect, useRef } from 'react';
import { ApiError, isSignedOut } from '../api/client/error.ts';
import { sessionQuery, signOut } from '../api/session.ts';
import type { Scope, Session } from '../api/client/types.ts';
import { useAction } from './use-action.ts';
import { forgetDrafts } from './stored/drafts.ts';
import { forgetEntries } from './stored/recent.ts';
import { allows, type Area } from './allows.ts';

const nobody: Session = {
  kind: 'user',
  id: 0,
  name: '',
  scope: 'read',
  role: '',
  rights: { account: 'none', chats: 'none', notes: 'none', bots: 'none', service: 'none' },
  bot_ids: [],
  csrf_token: '',
};

/** Error codes after which the session is refetched, because it or its rights changed. */
const outdated = new Set(['csrf_failed', 'insufficient_scope', 'bot_not_allowed']);

/** Leads to the sign-in page when the session ended elsewhere, and from there back. */
export function useLeaveWhenSignedOut(): void {
  const client = useQueryClient();
  const navigate = useNavigate();
  const isOver = useSuspenseQuery(sessionQuery).data === null;
  useEffect(() => {
    const key = sessionQuery.queryKey;
    function look(event: { type: string; action?: { type: string; error?: unknown } }): void {
      if (event.type !== 'updated' || event.action?.type !== 'error') return;
      const { error } = event.action;
      if (isSignedOut(error)) client.setQueryData(key, null);
      else if (error instanceof ApiError && outdated.has(error.code)) {
        void client.invalidateQueries({ queryKey: key });
      }
    }
    const stopQueries = client.getQueryCache().subscribe(look);
    const stopMutations = client.getMutationCache().subscribe(look);
    return () => {
      stopQueries();
      stopMutations();
    };
  }, [client]);
  useEffect(() => {
    if (!isOver) return;
    const { pathname, search } = window.location;
    void navigate({ to: '/sign-in', search: { next: pathname + search } });
  }, [isOver, navigate]);
}

/** Clears cached data, which must not stay for another user, or for one with other rights. */
export function useForgetOthers(): void {
  const client = useQueryClient();
  const session = useSuspenseQuery(sessionQuery).data;
  const who = session && JSON.stringify([session.id, session.rights, session.bot_ids]);
  const before = useRef(who);
  useEffect(() => {
    if (!who || before.current === who) return;
    before.current = who;
    const isOld = ({ queryKey }: Query) => queryKey[0] !== sessionQuery.queryKey[0];
    client.removeQueries({ type: 'inactive', predicate: isOld });
    void client.resetQueries({ predicate: isOld });
  }, [client, who]);
}

const SessionContext = createContext<Session>(nobody);
export const SessionProvider = SessionContext.Provider;

/** Reads the session once for all pages, because thousands of components use it. */
export function useFrameSession(): Session {
  return useSuspenseQuery(sessionQuery).data ?? nobody;
}

/** The signed-in user; pages inside the frame always have one. */
export function useSession(): Session {
  return useContext(SessionContext);
}

/** Whether the user may call endpoints of an area that need this scope. */
export function useMay(area: Area, scope: Scope): boolean {
  return allows(useSession(), { area, scope });
}

/** Users limited to certain bots cannot add bots. */
export function useMayAddBots(): boolean {
  const session = useSession();
  return allows(session, { area: 'bots', scope: 'manage' }) && session.bot_ids === null;
}

export function useSignOut() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const router = useRouter();
  return useAction({
    run: async () => {
      // First leave all pages that send requests, then sign out.
      await client.cancelQueries();
      await navigate({ to: '/sign-in' });
      try {
        await signOut();
      } catch (error) {
        if (!isSignedOut(error)) {
          // The user is still signed in and must see it.
          router.history.back();
          throw error;
        }
      }
      client.clear();
      forgetDrafts();
      forgetEntries();
    },
  });
}
