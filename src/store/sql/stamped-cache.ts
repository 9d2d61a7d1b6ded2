import type { CachedTable, Engine } from '../engine.ts';

/**
 * Caches answers read from some tables until one of them changes. If the engine cannot report
 * changes (others write to the same database), nothing is cached.
 */
export interface StampedCache<T> {
  get(key: string, read: () => Promise<T>): Promise<T>;
}

export function createStampedCache<T>(options: {
  engine: Engine;
  tables: readonly CachedTable[];
  /** `weigh` returns the size of one answer, in any unit; `capacity` limits the sum of all. */
  weigh: (answer: T) => number;
  capacity: number;
}): StampedCache<T> {
  const { engine, tables, weigh, capacity } = options;
  const cached = new Map<string, T>();
  let cachedAt: number | undefined;
  let weight = 0;

  /** Stamps only grow, so their sum changes with each of them. */
  function currentStamp(): number | undefined {
    let sum = 0;
    for (const table of tables) {
      const stamp = engine.stamp(table);
      if (stamp === undefined) return undefined;
      sum += stamp;
    }
    return sum;
  }

  function clear(stamp: number): void {
    cached.clear();
    weight = 0;
    cachedAt = stamp;
  }

  return {
    async get(key, read) {
      const stamp = currentStamp();
      if (stamp === undefined) return read();
      if (stamp !== cachedAt) clear(stamp);
      const known = cached.get(key);
      if (known !== undefined) return known;
      const answer = await read();
      const added = weigh(answer);
      if (weight + added > capacity) clear(stamp);
      // After a commit during the read, the answer may be older than the stamp says.
      if (currentStamp() === stamp && cachedAt === stamp) {
        cached.set(key, answer);
        weight += added;
      }
      return answer;
    },
  };
}
