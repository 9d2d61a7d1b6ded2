import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
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

/** Who is signed in; pages inside the frame are only shown to someone. */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data ?? nobody;
}

export function useMay(needed: Scope): boolean {
  return allows(useSession().scope, needed);
}

export function useSignOut() {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useAction({
    run: async () => {
      await signOut();
      await navigate({ to: '/sign-in' });
      client.clear();
    },
  });
}
