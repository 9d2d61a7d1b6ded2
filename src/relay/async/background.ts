/** Runs tasks in the background. They must end before the resources they use are closed. */
export interface Background {
  /** Starts the task, unless `end` was called; passes a failure to `onError`. */
  run(work: () => Promise<unknown>, onError?: (error: unknown) => void): void;
  /** Starts no more tasks; resolves when none is in flight. */
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
