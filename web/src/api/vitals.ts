import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type { LiveMetricsAnswer } from '../../../src/http/api/stats/live-metrics-schema.ts';
import { get } from './client/client.ts';
import { type LiveSlice, onLiveSlice } from './client/live.ts';

export type Vitals = Static<typeof LiveMetricsAnswer>;

const keptSeconds = 600;
/** So much the service tells again to whoever was away for a moment. */
const longestPauseSeconds = 10;

export const vitalsQuery = queryOptions({
  queryKey: ['vitals'],
  async queryFn({ signal }) {
    // A slice that ends after this was read, and is heard before the answer is here, belongs to it.
    const heard: LiveSlice[] = [];
    const stop = onLiveSlice((slice) => heard.push(slice));
    try {
      return heard.reduce(appended, await get<Vitals>('/api/vitals', {}, signal));
    } finally {
      stop();
    }
  },
});

/** The last ten minutes grow as time goes on, whether someone looks at them or not. */
export function keepPulse(client: QueryClient): () => void {
  const { queryKey } = vitalsQuery;
  return onLiveSlice((slice) => {
    const known = client.getQueryData(queryKey);
    if (!known) return;
    if (joins(known, slice)) client.setQueryData(queryKey, appended(known, slice));
    // What was missed meanwhile is read before it goes on, by whoever looks at it next.
    else void client.invalidateQueries({ queryKey }, { cancelRefetch: false });
  });
}

function joins({ slices }: Vitals, { at }: LiveSlice): boolean {
  const last = slices.at(-1);
  return !last || at - last.at <= longestPauseSeconds;
}

function appended(known: Vitals, slice: LiveSlice): Vitals {
  const last = known.slices.at(-1);
  if (last && last.at >= slice.at) return known;
  const slices = known.slices.filter(({ at }) => at > slice.at - keptSeconds);
  return { ...known, slices: [...slices, slice] };
}
