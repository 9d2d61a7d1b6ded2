import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { onLiveEvent } from '../../api/live.ts';

/** What bots do reaches the telephones with the relay's own events. */
export function useWorldEvents(): void {
  const client = useQueryClient();
  useEffect(() => {
    let timer: number | undefined;
    const stop = onLiveEvent(() => {
      timer ??= window.setTimeout(() => {
        timer = undefined;
        void client.invalidateQueries({ queryKey: ['sandbox'] });
      }, 120);
    });
    return () => {
      stop();
      window.clearTimeout(timer);
    };
  }, [client]);
}

/** Bots may answer without the relay knowing (a program of their own), so phones also look. */
export const lookAgainMs = 1_500;
