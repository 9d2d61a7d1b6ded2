import { useSyncExternalStore } from 'react';
import { liveLostSince, onLiveState } from '../api/client/live.ts';

/** Returns since when the service is unreachable; undefined while it is reachable. */
export function useLostSince(): number | undefined {
  return useSyncExternalStore(onLiveState, liveLostSince);
}
