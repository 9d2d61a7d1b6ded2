import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/client/error.ts';

/*
 * The cache of all queries. Live events keep the data fresh, so nothing is refetched just because
 * time passed. The service may run on this machine, so the browser's online state does not matter.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      networkMode: 'always',
      refetchOnWindowFocus: false,
      retry: (count, error) => isTransient(error) && count < 3,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

function isTransient(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.status === 0 || error.status === 429 || error.status >= 502;
}
