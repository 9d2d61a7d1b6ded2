import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { LiveMetrics } from '../../../src/api-types.ts';
import { get } from './client/client.ts';
import { type LiveBucket, onLiveBucket } from './client/live.ts';

export type { LiveMetrics };

const cachedSeconds = 600;
/** The service repeats the buckets of this many seconds after a reconnect. */
const maxPauseSeconds = 10;

export const liveMetricsQuery = queryOptions({
  queryKey: ['live-metrics'],
  async queryFn({ signal }) {
    // A bucket that arrives by event before the response to this request is appended to it.
    const received: LiveBucket[] = [];
    const stop = onLiveBucket((bucket) => received.push(bucket));
    try {
      return received.reduce(appended, await get('/api/live-metrics', {}, signal));
    } finally {
      stop();
    }
  },
});

/** Updates the last ten minutes even while they are not shown. */
export function keepLiveMetrics(client: QueryClient): () => void {
  const { queryKey } = liveMetricsQuery;
  return onLiveBucket((bucket) => {
    const known = client.getQueryData(queryKey);
    if (!known) return;
    if (joins(known, bucket)) client.setQueryData(queryKey, appended(known, bucket));
    // Missed buckets are read before the next ones are appended.
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
