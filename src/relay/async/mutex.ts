/** Runs what is asked for one bot in order, each after the one before has ended; bots wait for no other. */
export interface KeyedMutex {
  (botId: number, task: () => Promise<void>): Promise<void>;
  /** Resolves when nothing is in flight, nor waits for its turn. */
  idle(): Promise<void>;
}

export function createKeyedMutex(): KeyedMutex {
  const tails = new Map<number, Promise<void>>();

  function runExclusive(botId: number, task: () => Promise<void>): Promise<void> {
    const run = (tails.get(botId) ?? Promise.resolve()).then(task);
    // A task that fails tells its caller; the next is begun all the same.
    const settled = run.catch(() => {});
    tails.set(botId, settled);
    void settled.then(() => {
      if (tails.get(botId) === settled) tails.delete(botId);
    });
    return run;
  }

  async function idle(): Promise<void> {
    while (tails.size > 0) await Promise.all(tails.values());
  }

  return Object.assign(runExclusive, { idle });
}
