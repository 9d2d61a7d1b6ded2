import type { Query, QueryClient } from '@tanstack/react-query';
import { gather } from '../api/client/gather.ts';
import { onLiveEvent, onLiveOpen, onLiveRefused, startLive } from '../api/client/live.ts';
import { readAgain } from '../api/client/read-again.ts';
import { createTouched } from '../api/client/refresh-on.ts';
import { sessionQuery } from '../api/session.ts';
import { keepLiveMetrics } from '../api/live-metrics.ts';

const gatherMs = 400;

/** These queries find out themselves what they missed; refetching a long history would move it. */
const onTheirOwn = new Set<unknown>(['session', 'messages']);

/** True for data that was read before the stream opened and may have changed since. */
const wasRead = ({ state }: Query) => state.fetchStatus === 'idle';

/** Keeps data fresh: queries name in `meta` the events that concern them; reads are combined. */
export function keepFresh(client: QueryClient, withMetrics: boolean): () => void {
  const touched = createTouched();
  const reads = gather(() => readAgain(client, { predicate: touched.take() }), gatherMs);
  const stopEvents = onLiveEvent((event) => {
    touched.add(event);
    reads.ask();
  });
  const stopLiveMetrics = keepLiveMetrics(client);
  let isFirst = true;
  const stopOpen = onLiveOpen(() => {
    const isRead = isFirst ? wasRead : () => true;
    isFirst = false;
    const isOutdated = (query: Query) => !onTheirOwn.has(query.queryKey[0]) && isRead(query);
    void readAgain(client, { predicate: isOutdated });
  });
  const stopRefused = onLiveRefused(
    () => void client.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  );
  const stopStream = startLive(withMetrics);
  return () => {
    stopEvents();
    stopLiveMetrics();
    stopOpen();
    stopRefused();
    stopStream();
    reads.stop();
  };
}
