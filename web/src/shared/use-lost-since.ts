import { useSyncExternalStore } from 'react';
import { liveLostSince, onLiveState } from '../api/client/live.ts';

/** Since when the page cannot reach the service; undefined while it can. */
export function useLostSince(): number | undefined {
  return useSyncExternalStore(onLiveState, liveLostSince);
}
