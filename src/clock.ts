/** The time, passed as an object so that tests can move it instead of waiting. */
export interface Clock {
  /** Milliseconds since the epoch, for what is stored or shown: it may jump in both directions. */
  now(): number;
  /** Whole milliseconds since an arbitrary moment, for differences: it never goes back. */
  monotonic(): number;
  /** Calls `fn` after `ms`; the returned function cancels the call. */
  after(ms: number, fn: () => void): () => void;
  /** Resolves after `ms`; rejects with the signal's reason if that is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export function sleepOn(
  after: Clock['after'],
  ms: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const onAbort = () => {
      cancel();
      reject(signal?.reason as Error);
    };
    const cancel = after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

// Node treats delays past 2^31 - 1 ms as 1 ms; nothing here needs to wait longer than that.
const maxTimerMs = 2_147_483_647;

function after(ms: number, fn: () => void): () => void {
  const timer = setTimeout(fn, Math.min(Math.max(ms, 0), maxTimerMs));
  return () => clearTimeout(timer);
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Math.floor(performance.now()),
  after,
  sleep: (ms, signal) => sleepOn(after, ms, signal),
};
