import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Static } from 'typebox';
import type { VitalsAnswer } from '../../../src/http/schemas/vitals.ts';
import { get } from './client.ts';
import { type LiveSlice, onLiveSlice } from './live.ts';

export type Vitals = Static<typeof VitalsAnswer>;

const mostSlices = 300;

export const vitalsQuery = queryOptions({
  queryKey: ['vitals'],
  queryFn: ({ signal }) => get<Vitals>('/api/vitals', {}, signal),
  // What the stream told while nobody looked was not kept.
  staleTime: 2_000,
});

/** The last ten minutes, growing as time goes on. */
export function useVitals() {
  const client = useQueryClient();
  useEffect(
    () =>
      onLiveSlice((slice) => {
        client.setQueryData(vitalsQuery.queryKey, (known) => known && appended(known, slice));
      }),
    [client],
  );
  return useQuery(vitalsQuery);
}

function appended(known: Vitals, slice: LiveSlice): Vitals {
  const last = known.slices.at(-1);
  if (last && last.at >= slice.at) return known;
  return { ...known, slices: [...known.slices, slice].slice(-mostSlices) };
}
