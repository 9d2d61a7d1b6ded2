import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { LiveMetrics } from '../../../src/api-types.ts';
import { get } from './client/client.ts';
import { type LiveBucket, onLiveBucket } from './client/live.ts';

export type { LiveMetrics };

const cachedSeconds = 600;
/** So much the service tells again to whoever was away for a moment. */
const maxPauseSeconds = 10;

export const liveMetricsQuery = queryOptions({
  queryKey: ['vitals'],
  async queryFn({ signal }) {
    // A bucket that ends after this was read, and is heard before the answer is here, belongs to it.
    const received: LiveBucket[] = [];
    const stop = onLiveBucket((bucket) => received.push(bucket));
    try {
      return received.reduce(appended, await get('/api/vitals', {}, signal));
    } finally {
      stop();
    }
  },
});

/** The last ten minutes grow as time goes on, whether someone looks at them or not. */
export function keepLiveMetrics(client: QueryClient): () => void {
  const { queryKey } = liveMetricsQuery;
  return onLiveBucket((bucket) => {
    const known = client.getQueryData(queryKey);
    if (!known) return;
    if (joins(known, bucket)) client.setQueryData(queryKey, appended(known, bucket));
    // What was missed meanwhile is read before it goes on, by whoever looks at it next.
    else void client.invalidateQueries({ queryKey }, { cancelRefetch: false });
  });
}

function joins({ slices }: LiveMetrics, { at }: LiveBucket): boolean {
  const last = slices.at(-1);
  return !last || at - last.at <= maxPauseSeconds;
}

function appended(known: LiveMetrics, bucket: LiveBucket): LiveMetrics {
  const last = known.slices.at(-1);
  if (last && last.at >= bucket.at) return known;
  const slices = known.slices.filter(({ at }) => at > bucket.at - cachedSeconds);
  return { ...known, slices: [...slices, bucket] };
}
