import type { dataTagSymbol, QueryClient, QueryKey } from '@tanstack/react-query';

/**
 * Changes the data of a query. A pending response would overwrite the change or build on older
 * data: once it arrives, the same change is made again.
 */
export function changeData<Data>(
  client: QueryClient,
  queryKey: QueryKey & { [dataTagSymbol]?: Data },
  how: (data: NoInfer<Data>) => NoInfer<Data>,
): void {
  const change = () => {
    client.setQueryData<Data>(queryKey as QueryKey, (data) =>
      data === undefined ? data : how(data),
    );
  };
  change();
  const query = client.getQueryCache().find({ queryKey, exact: true });
  if (query?.state.fetchStatus === 'fetching') query.promise?.then(change, () => undefined);
}
