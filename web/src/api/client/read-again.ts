import type { Query, QueryClient, QueryFilters } from '@tanstack/react-query';

/**
 * Has everything that fits read again. What is read for the first time, or a further page, is let
 * end before: its answer may be older than what this is about, and beginning anew would give up
 * the page that somebody asked for.
 */
export async function readAgain(client: QueryClient, filters: QueryFilters): Promise<void> {
  const fitting = client.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' });
  const ending = new Set(fitting.filter(isLetEnd));
  const fits = filters.predicate ?? (() => true);
  await Promise.all([
    client.invalidateQueries({
      ...filters,
      predicate: (query) => !ending.has(query) && fits(query),
    }),
    ...[...ending].map(async (query) => {
      await query.promise?.catch(() => undefined);
      await client.invalidateQueries({ predicate: (one) => one === query });
    }),
  ]);
}

function isLetEnd({ state }: Query): boolean {
  return state.data === undefined || state.fetchMeta?.fetchMore !== undefined;
}
