import type { InferDataFromTag, QueryClient, QueryKey } from '@tanstack/react-query';

/**
 * Changes the data of a query. A pending answer would overwrite the change or build on the
 * data from before: once it arrives, the same change is made again.
 */
export function changeData<
  Data = unknown,
  Key extends QueryKey = QueryKey,
  Known = InferDataFromTag<Data, Key>,
>(client: QueryClient, queryKey: Key, how: (data: NoInfer<Known>) => NoInfer<Known>): void {
  const change = () => {
    client.setQueryData<Known>(queryKey as QueryKey, (data) =>
      data === undefined ? data : how(data),
    );
  };
  change();
  const query = client.getQueryCache().find({ queryKey, exact: true });
  if (query?.state.fetchStatus === 'fetching') query.promise?.then(change, () => undefined);
}
