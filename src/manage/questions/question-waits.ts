import type { Clock } from '../../clock.ts';

/** Requests that wait for a question to end. Wake-ups may be lost, so a wait looks from time to time. */
export interface QuestionWaits {
  /** The question changed, on this node or on another. */
  wake(id: number): void;
  /**
   * Calls `read` until it returns something, at the latest until the time is over; then returns what
   * it returned last. Throws if the signal aborts.
   */
  until<T>(
    id: number,
    read: () => Promise<{ value: T; isFinal: boolean }>,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<T>;
}

const lookAgainMs = 5_000;

export function createQuestionWaits(clock: Clock): QuestionWaits {
  const waiting = new Map<number, Set<() => void>>();

  return {
    wake(id) {
      for (const wake of waiting.get(id) ?? []) wake();
    },
    async until(id, read, timeoutMs, signal) {
      const endsAt = clock.monotonic() + timeoutMs;
      const ofQuestion = waiting.get(id) ?? new Set();
      let woken = new AbortController();
      const wake = () => woken.abort();
      waiting.set(id, ofQuestion.add(wake));
      try {
        for (;;) {
          // A wake-up that comes while it reads must not be missed.
          woken = new AbortController();
          const { value, isFinal } = await read();
          const leftMs = endsAt - clock.monotonic();
          if (isFinal || leftMs <= 0) return value;
          const either = AbortSignal.any([signal, woken.signal]);
          await clock.sleep(Math.min(leftMs, lookAgainMs), either).catch(() => {});
          signal.throwIfAborted();
        }
      } finally {
        ofQuestion.delete(wake);
        if (ofQuestion.size === 0 && waiting.get(id) === ofQuestion) waiting.delete(id);
      }
    },
  };
}
