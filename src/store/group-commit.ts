/*
 * Commits many items in one transaction: while one group commits, the next one gathers.
 *
 * Invariants: an item resolves only after the commit that holds it; if a group fails, each of its
 * items fails or succeeds in a transaction of its own.
 */
import { isOutage } from '../errors.ts';

export interface GroupCommitOptions<Item, Result> {
  /**
   * Commits one group and returns the results in its order. The first call of `take` forms the
   * group: call it when the transaction begins, to include what arrives until then.
   */
  commit(take: () => readonly Item[]): Promise<readonly Result[]>;
  /** Takes the next group out of what waits, in its order; if left out, takes everything. */
  next?<Entry extends { item: Item }>(waiting: Entry[]): Entry[];
  /** Calls `commitNext` when it is time for the next group; if left out, at once. */
  begin?(commitNext: () => void): void;
  /**
   * Another group begins beside one that takes longer than this. If left out, one transaction follows
   * the other.
   */
  besideMs?: number;
  /** The number of groups beside each other; if left out, there is no limit. */
  atOnce?: number;
  /**
   * Items with the same key stay in order: one waits until the group with the other has ended. If left
   * out, groups may overlap in any way, and the items of a failed one are committed at the same time.
   */
  keyOf?(item: Item): unknown;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** Returns a function that commits an item together with others. */
export function groupCommit<Item, Result>({
  commit,
  next = (waiting) => waiting.splice(0),
  begin = (commitNext) => commitNext(),
  besideMs,
  atOnce = Number.POSITIVE_INFINITY,
  keyOf,
}: GroupCommitOptions<Item, Result>): (item: Item) => Promise<Result> {
  type Entry = Waiting<Item, Result>;
  let waiting: Entry[] = [];
  const keysInFlight = new Set<unknown>();
  let groups = 0;
  let isBeginning = false;

  const isFree = ({ item }: Entry) => !keyOf || !keysInFlight.has(keyOf(item));

  function schedule(): void {
    if (isBeginning || groups >= atOnce || !waiting.some(isFree)) return;
    isBeginning = true;
    begin(() => void commitNext());
  }

  async function commitNext(): Promise<void> {
    groups += 1;
    let group: Entry[] | undefined;
    const work = commitGroup(() => (group ??= form())).finally(() => {
      for (const { item } of group ?? []) keysInFlight.delete(keyOf?.(item));
      groups -= 1;
      schedule();
    });
    await atMost(besideMs, work);
    isBeginning = false;
    schedule();
  }

  function form(): Entry[] {
    if (!keyOf) return next(waiting);
    const group = next(waiting.filter(isFree));
    const taken = new Set(group);
    waiting = waiting.filter((entry) => !taken.has(entry));
    for (const { item } of group) keysInFlight.add(keyOf(item));
    return group;
  }

  async function commitGroup(take: () => readonly Entry[]): Promise<void> {
    try {
      const results = await commit(() => take().map(({ item }) => item));
      take().forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      const failed = take();
      // If the database is unavailable, separate transactions would all wait for it again.
      if (failed.length === 1 || isOutage(error)) {
        for (const { reject } of failed) reject(error);
        return;
      }
      // One item may be what the database refuses.
      const beside: Promise<void>[] = [];
      for (const one of failed) {
        const alone = commitGroup(() => [one]);
        if (besideMs === undefined || keyOf) await alone;
        else beside.push(alone);
      }
      await Promise.all(beside);
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      schedule();
    });
}

/** Waits at most this long, while the work itself continues. */
async function atMost(ms: number | undefined, work: Promise<void>): Promise<void> {
  if (ms === undefined) return work;
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  await Promise.race([work, over.promise]);
  clearTimeout(timer);
}
