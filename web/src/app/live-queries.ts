import type { QueryClient } from '@tanstack/react-query';
import { gather } from '../api/client/gather.ts';
import { onLiveEvent, onLiveOpen, onLiveRefused, startLive } from '../api/client/live.ts';
import { readAgain } from '../api/client/read-again.ts';
import { createTouched } from '../api/client/refresh-on.ts';
import { sessionQuery } from '../api/session.ts';
import { keepLiveMetrics } from '../api/live-metrics.ts';

const gatherMs = 400;
/** Data read this long before the stream opened may be outdated. */
const lateMs = 1_000;

/** These find out themselves what they missed; rereading a long history would move it. */
const onTheirOwn = new Set<unknown>(['session', 'messages']);

/** Keeps data fresh: queries name in `meta` the events that concern them; reads are combined. */
export function keepFresh(client: QueryClient): () => void {
  const touched = createTouched();
  const reads = gather(() => readAgain(client, { predicate: touched.take() }), gatherMs);
  const stopEvents = onLiveEvent((event) => {
    touched.add(event);
    reads.ask();
  });
  const stopLiveMetrics = keepLiveMetrics(client);
  const startedAt = performance.now();
  let wasOpen = false;
  const stopOpen = onLiveOpen(() => {
    // At the first opening, everything was just loaded.
    if (wasOpen || performance.now() - startedAt > lateMs) {
      void readAgain(client, { predicate: ({ queryKey }) => !onTheirOwn.has(queryKey[0]) });
    }
    wasOpen = true;
  });
  const stopRefused = onLiveRefused(
    () => void client.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  );
  const stopStream = startLive();
  return () => {
    stopEvents();
    stopLiveMetrics();
    stopOpen();
    stopRefused();
    stopStream();
    reads.stop();
  };
}
