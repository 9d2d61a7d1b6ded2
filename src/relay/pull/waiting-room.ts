import type { Clock } from '../../clock.ts';
import { RelayError } from '../../errors.ts';

/** Where polls wait, one for each consumer: who comes later ends the one who waits. */
export interface WaitingRoom {
  /**
   * Calls `look` after each wake-up until it gives something. Resolves with that, or with undefined
   * when the time is up, the client went away or the room closed.
   */
  wait<T>(options: WaitOptions<T>): Promise<T | undefined>;
  /** Ends the poll of this name with the words for one that another poll ended. */
  end(name: string): void;
  readonly size: number;
  close(): void;
}

export interface WaitOptions<T> {
  name: string;
  timeoutMs: number;
  signal: AbortSignal | undefined;
  look: () => Promise<T | undefined>;
  /** Hands over the function to wake by; called once, at once. */
  onWake: (wake: () => void) => void;
}

interface Guest {
  leave(error?: Error): void;
}

export function createWaitingRoom(clock: Clock): WaitingRoom {
  const guests = new Map<string, Guest>();
  let closed = false;

  return {
    get size() {
      return guests.size;
    },
    wait<T>({ name, timeoutMs, signal, look, onWake }: WaitOptions<T>) {
      if (closed || signal?.aborted) return Promise.resolve(undefined);
      guests.get(name)?.leave(displaced());
      return new Promise<T | undefined>((resolve, reject) => {
        let looking = false;
        let again = false;
        let left = false;

        function leave(error?: Error, found?: T): void {
          if (left) return;
          left = true;
          cancelTimer();
          signal?.removeEventListener('abort', onAbort);
          if (guests.get(name) === guest) guests.delete(name);
          if (error) reject(error);
          else resolve(found);
        }

        async function wake(): Promise<void> {
          again = true;
          if (looking) return;
          looking = true;
          try {
            while (again && !left) {
              again = false;
              const found = await look();
              if (found !== undefined) leave(undefined, found);
            }
          } catch (error) {
            leave(error as Error);
          } finally {
            looking = false;
          }
        }

        const guest: Guest = { leave };
        const onAbort = () => leave();
        const cancelTimer = clock.after(timeoutMs, () => leave());
        signal?.addEventListener('abort', onAbort, { once: true });
        guests.set(name, guest);
        onWake(() => void wake());
      });
    },
    end: (name) => guests.get(name)?.leave(displaced()),
    close() {
      closed = true;
      for (const guest of [...guests.values()]) guest.leave();
    },
  };
}

function displaced(): RelayError {
  return new RelayError(
    'conflict',
    'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
  );
}
