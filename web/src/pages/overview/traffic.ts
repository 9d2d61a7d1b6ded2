import { useSyncExternalStore } from 'react';
import { onLiveEvent } from '../../api/live.ts';

const seconds = 120;

/** Messages per second of the last two minutes, and all since the page was opened. */
export interface Traffic {
  /** Unix seconds, one per sample. */
  at: number[];
  incoming: number[];
  outgoing: number[];
  totalIn: number;
  totalOut: number;
}

const listeners = new Set<() => void>();
let traffic: Traffic = empty();
let nowIn = 0;
let nowOut = 0;

function empty(): Traffic {
  const end = Math.floor(Date.now() / 1_000);
  const at = Array.from({ length: seconds }, (_, index) => end - seconds + 1 + index);
  return { at, incoming: at.map(() => 0), outgoing: at.map(() => 0), totalIn: 0, totalOut: 0 };
}

/** Counting begins when this file is loaded and never stops: it costs next to nothing. */
onLiveEvent(({ type, data }) => {
  if (type !== 'message') return;
  if (data['kind'] === 'sent') nowOut += 1;
  else nowIn += 1;
});

window.setInterval(() => {
  const at = Math.floor(Date.now() / 1_000);
  traffic = {
    at: [...traffic.at.slice(1), at],
    incoming: [...traffic.incoming.slice(1), nowIn],
    outgoing: [...traffic.outgoing.slice(1), nowOut],
    totalIn: traffic.totalIn + nowIn,
    totalOut: traffic.totalOut + nowOut,
  };
  nowIn = 0;
  nowOut = 0;
  for (const listener of listeners) listener();
}, 1_000);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useTraffic(): Traffic {
  return useSyncExternalStore(subscribe, () => traffic);
}
