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
   * The next group begins after this time at the latest, and the items of a failed group are
   * committed at the same time. If left out, one transaction follows the other.
   */
  besideMs?: number;
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
}: GroupCommitOptions<Item, Result>): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let isBusy = false;

  function schedule(): void {
    if (isBusy || waiting.length === 0) return;
    isBusy = true;
    begin(() => void commitNext());
  }

  async function commitNext(): Promise<void> {
    await atMost(besideMs, commitGroup());
    isBusy = false;
    schedule();
  }

  async function commitGroup(given?: Waiting<Item, Result>[]): Promise<void> {
    let group = given;
    const take = () => (group ??= next(waiting));
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
        const alone = commitGroup([one]);
        if (besideMs === undefined) await alone;
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
