/** Work that goes on by itself, and that has to end before what it uses does. */
export interface Background {
  /** Starts it, unless ended; a failure is passed to `onError`. */
  run(work: () => Promise<unknown>, onError?: (error: unknown) => void): void;
  /** Nothing is begun from now on; resolves when nothing is in flight. */
  end(): Promise<void>;
}

export function createBackground(): Background {
  const inFlight = new Set<Promise<void>>();
  let isEnded = false;
  return {
    run(work, onError = () => {}) {
      if (isEnded) return;
      const done = work()
        .then(() => {}, onError)
        .finally(() => inFlight.delete(done));
      inFlight.add(done);
    },
    async end() {
      isEnded = true;
      await Promise.all(inFlight);
    },
  };
}
