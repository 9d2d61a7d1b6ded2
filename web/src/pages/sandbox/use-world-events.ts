import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { gather } from '../../api/client/gather.ts';
import { onLiveEvent } from '../../api/client/live.ts';

const gatherMs = 120;

/** Actions of bots reach the phones through the relay's events. */
export function useWorldEvents(): void {
  const client = useQueryClient();
  useEffect(() => {
    const reads = gather(() => client.invalidateQueries({ queryKey: ['sandbox'] }), gatherMs);
    const stop = onLiveEvent(reads.ask);
    return () => {
      stop();
      reads.stop();
    };
  }, [client]);
}

/** The interval at which phones poll, because a bot may answer from its own app without the relay. */
export const lookAgainMs = 1_500;
