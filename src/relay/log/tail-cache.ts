import type { LogEntry } from '../../store/log/log-entry.ts';

/**
 * Keeps the newest entries of each bot's log in memory, so that readers at the end of the log need
 * not ask the database. They are so few that they are gone before the garbage collector moves them
 * to the old generation. Each tail is an unbroken run of positions. All tails together stay within
 * a number of characters; the bot whose tail has not grown for the longest time is dropped first.
 */
export interface TailCache {
  add(botId: number, entries: readonly LogEntry[]): void;
  /** Undefined if the cache cannot answer and the database must. */
  read(botId: number, after: number, limit: number): LogEntry[] | undefined;
  drop(botId: number): void;
}

interface Tail {
  entries: LogEntry[];
  size: number;
}

export function createTailCache(maxCharacters = 16_000_000, maxPerBot = 64): TailCache {
  // Insertion order is the order of growth, so the first tail of the map is the first to be
  // dropped.
  const tails = new Map<number, Tail>();
  let total = 0;

  function drop(botId: number): void {
    const tail = tails.get(botId);
    if (!tail) return;
    total -= tail.size;
    tails.delete(botId);
  }

  return {
    add(botId, entries) {
      const first = entries[0];
      if (!first) return;
      const known = tails.get(botId);
      drop(botId);
      const continues = known?.entries.at(-1)?.position === first.position - 1;
      const tail: Tail = known && continues ? known : { entries: [], size: 0 };
      for (const entry of entries) {
        tail.entries.push(entry);
        tail.size += entry.raw.length;
      }
      // The tail is halved, because shifting an array on every append would cost more. The entries
      // just added stay, as readers are about to ask for them.
      if (tail.entries.length > maxPerBot) {
        const left = Math.max(entries.length, Math.ceil(maxPerBot / 2));
        const cut = tail.entries.splice(0, tail.entries.length - left);
        for (const entry of cut) tail.size -= entry.raw.length;
      }
      tails.set(botId, tail);
      total += tail.size;
      while (total > maxCharacters) drop(tails.keys().next().value as number);
    },
    read(botId, after, limit) {
      const entries = tails.get(botId)?.entries;
      const first = entries?.[0];
      if (!entries || !first) return undefined;
      const start = after + 1 - first.position;
      // At or past the end the database decides, as another node may have appended more.
      if (start < 0 || start >= entries.length) return undefined;
      return entries.slice(start, start + limit);
    },
    drop,
  };
}
