import type { QueryClient, QueryKey } from '@tanstack/react-query';

/**
 * Changes what a query holds. An answer that is on its way replaces that, or is put upon what there
 * was when it was asked for: once it is here, the same change is made again.
 */
export function changeData<Data>(
  client: QueryClient,
  queryKey: QueryKey,
  how: (data: Data) => Data,
): void {
  const change = () => {
    client.setQueryData<Data>(queryKey, (data) => (data === undefined ? data : how(data)));
  };
  change();
  const query = client.getQueryCache().find({ queryKey, exact: true });
  if (query?.state.fetchStatus === 'fetching') query.promise?.then(change, () => undefined);
}
