/** Runs what is asked for one bot in order, each after the one before has ended; bots wait for no other. */
export interface KeyedMutex {
  (botId: number, task: () => Promise<void>): Promise<void>;
  /** Resolves when nothing is under way, nor waits for its turn. */
  idle(): Promise<void>;
}

export function createKeyedMutex(): KeyedMutex {
  const lasts = new Map<number, Promise<void>>();

  function runExclusive(botId: number, task: () => Promise<void>): Promise<void> {
    const turn = (lasts.get(botId) ?? Promise.resolve()).then(task);
    // A task that fails tells its caller; the next is begun all the same.
    const settled = turn.catch(() => {});
    lasts.set(botId, settled);
    void settled.then(() => {
      if (lasts.get(botId) === settled) lasts.delete(botId);
    });
    return turn;
  }

  async function idle(): Promise<void> {
    while (lasts.size > 0) await Promise.all(lasts.values());
  }

  return Object.assign(runExclusive, { idle });
}
