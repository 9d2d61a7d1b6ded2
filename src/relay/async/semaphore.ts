import type { Clock } from '../../clock.ts';

/**
 * Admits `permits` callers at once. A caller passes its permit on when it is done, and after
 * `holdMs` at the latest, so that a platform that never answers does not block the others.
 */
export function createSemaphore(clock: Clock, permits: number, holdMs: number) {
  const waiting = new Set<() => void>();
  let free = permits;

  function acquired(): () => void {
    let held = true;
    const release = () => {
      if (!held) return;
      held = false;
      cancel();
      const [next] = waiting;
      if (!next) {
        free++;
        return;
      }
      waiting.delete(next);
      next();
    };
    const cancel = clock.after(holdMs, release);
    return release;
  }

  return (signal: AbortSignal): Promise<() => void> => {
    signal.throwIfAborted();
    if (free > 0) {
      free--;
      return Promise.resolve(acquired());
    }
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        waiting.delete(admit);
        reject(signal.reason as Error);
      };
      const admit = () => {
        signal.removeEventListener('abort', onAbort);
        resolve(acquired());
      };
      signal.addEventListener('abort', onAbort, { once: true });
      waiting.add(admit);
    });
  };
}
