import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { gather } from '../api/client/gather.ts';
import {
  type LiveEvent,
  onLiveEvent,
  onLiveOpen,
  onLiveRefused,
  startLive,
} from '../api/client/live.ts';
import { readAgain } from '../api/client/read-again.ts';
import { sessionQuery } from '../api/session.ts';
import { keepLiveMetrics } from '../api/live-metrics.ts';

const gatherMs = 400;
/** What was read so long before the stream opened may have changed since. */
const lateMs = 1_000;

/** These know themselves what they missed; reading all of a long history again would move it. */
const onTheirOwn = new Set<unknown>(['session', 'messages']);

/** Keeps what is shown fresh: each event marks what it touches as stale, gathered into few reads. */
export function keepFresh(client: QueryClient): () => void {
  const stale = new Map<string, QueryKey>();
  const reads = gather(async () => {
    const keys = [...stale.values()];
    stale.clear();
    await Promise.all(keys.map((queryKey) => readAgain(client, { queryKey })));
  }, gatherMs);

  const stopEvents = onLiveEvent((event) => {
    for (const key of touchedBy(event)) {
      stale.set(JSON.stringify(key), key);
      reads.ask();
    }
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

function touchedBy({ type, data }: LiveEvent): QueryKey[] {
  const botId = data.bot_id;
  switch (type) {
    case 'bot':
      return [['bots'], ['attention']];
    case 'delivery':
      return [['deliveries', botId], ['bots'], ['attention']];
    case 'route':
      return [['routes'], ['attention']];
    case 'chat':
      return [['chats']];
    case 'message':
      return data['kind'] === 'sent' ? [['deliveries', botId, 'sends']] : [['updates', botId]];
    default:
      return [];
  }
}
