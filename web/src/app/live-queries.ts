import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { type LiveEvent, onLiveEvent, onLiveOpen, startLive } from '../api/live.ts';

const gatherMs = 400;

/** Keeps what is shown fresh: each event marks what it touches as stale, gathered into few reads. */
export function keepFresh(client: QueryClient): () => void {
  const stale = new Map<string, QueryKey>();
  let timer: number | undefined;

  function flush(): void {
    timer = undefined;
    const keys = [...stale.values()];
    stale.clear();
    for (const queryKey of keys) void client.invalidateQueries({ queryKey });
  }

  function mark(queryKey: QueryKey): void {
    stale.set(JSON.stringify(queryKey), queryKey);
    timer ??= window.setTimeout(flush, gatherMs);
  }

  const stopEvents = onLiveEvent((event) => {
    for (const key of touchedBy(event)) mark(key);
  });
  let wasOpen = false;
  const stopOpen = onLiveOpen(() => {
    // The first opening finds everything just loaded.
    if (wasOpen)
      void client.invalidateQueries({ predicate: (query) => query.queryKey[0] !== 'session' });
    wasOpen = true;
  });
  const stopStream = startLive();
  return () => {
    stopEvents();
    stopOpen();
    stopStream();
    window.clearTimeout(timer);
  };
}

function touchedBy({ type, data }: LiveEvent): QueryKey[] {
  const botId = data.bot_id;
  switch (type) {
    case 'bot':
      return [['bots'], ['bot', botId], ['attention']];
    case 'delivery':
      return [['deliveries', botId], ['bots'], ['attention']];
    case 'route':
      return [['routes'], ['attention']];
    case 'chat':
      return [['chats']];
    case 'message':
      return [['updates', botId]];
    default:
      return [];
  }
}
