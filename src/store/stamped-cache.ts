import type { Engine } from './engine.ts';
import type { Tables } from './tables.ts';

/**
 * Answers that were read from one table, kept until that table changes. Where the engine cannot
 * tell of changes (others write to the same database) nothing is kept.
 */
export interface StampedCache<T> {
  get(key: string, read: () => Promise<T>): Promise<T>;
}

export function createStampedCache<T>(options: {
  engine: Engine;
  table: keyof Tables;
  /** How much one answer takes, in any unit, and how much all may take together. */
  weigh: (answer: T) => number;
  capacity: number;
}): StampedCache<T> {
  const { engine, table, weigh, capacity } = options;
  const kept = new Map<string, T>();
  let keptAt: number | undefined;
  let weight = 0;

  function clear(stamp: number): void {
    kept.clear();
    weight = 0;
    keptAt = stamp;
  }

  return {
    async get(key, read) {
      const stamp = engine.stamp(table);
      if (stamp === undefined) return read();
      if (stamp !== keptAt) clear(stamp);
      const known = kept.get(key);
      if (known !== undefined) return known;
      const answer = await read();
      const added = weigh(answer);
      if (weight + added > capacity) clear(stamp);
      // A commit while it was read: it may be older than the stamp says.
      if (engine.stamp(table) === stamp && keptAt === stamp) {
        kept.set(key, answer);
        weight += added;
      }
      return answer;
    },
  };
}
