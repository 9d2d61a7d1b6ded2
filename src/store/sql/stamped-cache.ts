import type { Engine } from '../engine.ts';
import type { TableName } from '../schema/tables.ts';

/**
 * Answers that were read from some tables, kept until one of them changes. Where the engine cannot
 * tell of changes (others write to the same database) nothing is kept.
 */
export interface StampedCache<T> {
  get(key: string, read: () => Promise<T>): Promise<T>;
}

export function createStampedCache<T>(options: {
  engine: Engine;
  tables: readonly TableName[];
  /** How much one answer takes, in any unit, and how much all may take together. */
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
      // A commit while it was read: it may be older than the stamp says.
      if (currentStamp() === stamp && cachedAt === stamp) {
        cached.set(key, answer);
        weight += added;
      }
      return answer;
    },
  };
}
