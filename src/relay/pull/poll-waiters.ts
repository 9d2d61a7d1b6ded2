import { reason } from '../../core/reasons/reason.ts';
import type { Clock } from '../../clock.ts';
import { RelayError } from '../../errors.ts';

/** Lets polls wait, one for each consumer: a later poll ends the earlier one. */
export interface PollWaiters {
  /**
   * Calls `look` after each wake-up until it returns something, and resolves with that. Resolves
   * with undefined if the time is up, the client disconnected or the waiters were closed.
   */
  wait<T>(options: WaitOptions<T>): Promise<T | undefined>;
  /** Makes the poll of this name look again. */
  wake(name: string): void;
  /**
   * A poll of this name began to wait, on this node or another. All nodes hear of all polls in the
   * same order, including their own: so of two polls that begin at once, all nodes end the same
   * one.
   */
  onAnnounced(name: string, id: string): void;
  has(name: string): boolean;
  /** Ends the polls whose names begin with `prefix`, with an empty answer. */
  dismiss(prefix: string): void;
  readonly size: number;
  close(): void;
}

export interface WaitOptions<T> {
  name: string;
  /** Distinguishes this poll from others of its name. */
  id: string;
  timeoutMs: number;
  signal: AbortSignal | undefined;
  look: () => Promise<T | undefined>;
  /** Receives the function that wakes the poll; called once, immediately. */
  onWake: (wake: () => void) => void;
}

interface Waiter {
  id: string;
  since: number;
  /**
   * True once the poll heard its own announcement: announcements after that come from later polls.
   */
  announced: boolean;
  wake(): void;
  leave(error?: Error): void;
}

// An announcement that takes longer counts as lost, and must not keep a poll from being ended.
const announcedAfterMs = 2_000;

export function createPollWaiters(clock: Clock): PollWaiters {
  const waiters = new Map<string, Waiter>();
  let closed = false;

  return {
    get size() {
      return waiters.size;
    },
    wait<T>({ name, id, timeoutMs, signal, look, onWake }: WaitOptions<T>) {
      if (closed || signal?.aborted) return Promise.resolve(undefined);
      waiters.get(name)?.leave(otherPollError());
      return new Promise<T | undefined>((resolve, reject) => {
        let looking = false;
        let again = false;
        let left = false;

        function leave(error?: Error, found?: T): void {
          if (left) return;
          left = true;
          cancelTimer();
          signal?.removeEventListener('abort', onAbort);
          if (waiters.get(name) === waiter) waiters.delete(name);
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

        const waiter: Waiter = {
          id,
          since: clock.monotonic(),
          announced: false,
          wake: () => void wake(),
          leave,
        };
        const onAbort = () => leave();
        const cancelTimer = clock.after(timeoutMs, () => leave());
        signal?.addEventListener('abort', onAbort, { once: true });
        waiters.set(name, waiter);
        onWake(waiter.wake);
      });
    },
    wake: (name) => waiters.get(name)?.wake(),
    onAnnounced(name, id) {
      const waiter = waiters.get(name);
      if (!waiter) return;
      if (waiter.id === id) waiter.announced = true;
      else if (waiter.announced || clock.monotonic() - waiter.since >= announcedAfterMs) {
        waiter.leave(otherPollError());
      }
    },
    has: (name) => waiters.has(name),
    dismiss(prefix) {
      for (const [name, waiter] of [...waiters]) if (name.startsWith(prefix)) waiter.leave();
    },
    close() {
      closed = true;
      for (const waiter of [...waiters.values()]) waiter.leave();
    },
  };
}

function otherPollError(): RelayError {
  return new RelayError('conflict', reason('other_poll'));
}
