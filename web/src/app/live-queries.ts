import type { QueryClient } from '@tanstack/react-query';
import { gather } from '../api/client/gather.ts';
import { onLiveEvent, onLiveOpen, onLiveRefused, startLive } from '../api/client/live.ts';
import { readAgain } from '../api/client/read-again.ts';
import { createTouched } from '../api/client/refresh-on.ts';
import { sessionQuery } from '../api/session.ts';
import { keepLiveMetrics } from '../api/live-metrics.ts';

const gatherMs = 400;
/** What was read so long before the stream opened may have changed since. */
const lateMs = 1_000;

/** These know themselves what they missed; reading all of a long history again would move it. */
const onTheirOwn = new Set<unknown>(['session', 'messages']);

/** Keeps what is shown fresh: queries say in `meta` which events touch them, and few reads follow. */
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
    // A first opening finds everything just loaded.
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
