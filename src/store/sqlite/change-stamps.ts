import type { CachedTable } from '../engine.ts';

/** Counts the commits that wrote to a table. All writes pass through this one process. */
export interface ChangeStamps {
  /** The open transaction writes to these tables. */
  touched(tables: readonly string[]): void;
  /** The transaction is on disk. */
  committed(): void;
  of(table: CachedTable): number;
}

export function createChangeStamps(): ChangeStamps {
  const counts = new Map<string, number>();
  const pending = new Set<string>();
  return {
    touched(tables) {
      for (const table of tables) pending.add(table);
    },
    committed() {
      for (const table of pending) counts.set(table, (counts.get(table) ?? 0) + 1);
      pending.clear();
    },
    of: (table) => counts.get(table) ?? 0,
  };
}
