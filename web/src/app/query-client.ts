import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/client/error.ts';

/*
 * Live events keep what is shown fresh, so nothing is fetched again just because time passed.
 * The service may stand on this very machine: whether the browser sees the internet does not matter.
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
