/**
 * Runs the tasks of one bot in order, each after the one before has ended. Bots do not wait for
 * each other.
 */
export interface KeyedMutex {
  (botId: number, task: () => Promise<void>): Promise<void>;
  /** Resolves when no task is in flight or queued. */
  idle(): Promise<void>;
}

export function createKeyedMutex(): KeyedMutex {
  const tails = new Map<number, Promise<void>>();

  function runExclusive(botId: number, task: () => Promise<void>): Promise<void> {
    const run = (tails.get(botId) ?? Promise.resolve()).then(task);
    // A failed task rejects for its caller only; the next task starts anyway.
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
