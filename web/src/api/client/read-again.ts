import type { Query, QueryClient, QueryFilters } from '@tanstack/react-query';

/**
 * Refetches all matching queries. First loads and further pages finish before: their responses may
 * be older than the event, and a restart would lose the page that the user requested.
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
