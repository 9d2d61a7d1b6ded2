/** An update of one bot, as the platform made it. */
export interface Offered {
  id: number;
  chat: number;
  /** Milliseconds, of the same clock as those of `Received`. */
  at: number;
}

/** The same update at a reader: once, or more often. */
export interface Received {
  id: number;
  at: number;
}

/** The updates of one reader, or of several together. */
export interface Tally {
  offered: number;
  /** Different updates that arrived. */
  delivered: number;
  /** Arrivals beyond the first of an update. */
  duplicated: number;
  lost: number;
  /** First arrivals that came after a later update of their chat. */
  reordered: number;
  /** Arrivals of updates that were never offered. */
  unexpected: number;
  /** From the offer to the first arrival. */
  maxDelayMs: number;
  /** When the update that took longest was offered. */
  slowestOfferedAt: number;
}

/** Compares what was offered to one reader, in order, with what it received, in order. */
export function reconcile(offered: readonly Offered[], received: readonly Received[]): Tally {
  const known = new Map(offered.map((update, index) => [update.id, { ...update, index }]));
  const seen = new Set<number>();
  const newestOfChat = new Map<number, number>();
  const tally: Tally = { ...nothing, offered: offered.length };
  for (const { id, at } of received) {
    const update = known.get(id);
    if (!update) {
      tally.unexpected++;
      continue;
    }
    if (seen.has(id)) {
      tally.duplicated++;
      continue;
    }
    seen.add(id);
    const newest = newestOfChat.get(update.chat) ?? -1;
    if (update.index < newest) tally.reordered++;
    newestOfChat.set(update.chat, Math.max(newest, update.index));
    if (at - update.at <= tally.maxDelayMs) continue;
    tally.maxDelayMs = at - update.at;
    tally.slowestOfferedAt = update.at;
  }
  tally.delivered = seen.size;
  tally.lost = offered.length - seen.size;
  return tally;
}

const nothing: Tally = {
  offered: 0,
  delivered: 0,
  duplicated: 0,
  lost: 0,
  reordered: 0,
  unexpected: 0,
  maxDelayMs: 0,
  slowestOfferedAt: 0,
};

export function sum(tallies: Iterable<Tally>): Tally {
  const total = { ...nothing };
  for (const tally of tallies) {
    total.offered += tally.offered;
    total.delivered += tally.delivered;
    total.duplicated += tally.duplicated;
    total.lost += tally.lost;
    total.reordered += tally.reordered;
    total.unexpected += tally.unexpected;
    if (tally.maxDelayMs <= total.maxDelayMs) continue;
    total.maxDelayMs = tally.maxDelayMs;
    total.slowestOfferedAt = tally.slowestOfferedAt;
  }
  return total;
}

/** When updates arrived that had arrived before. */
export function repeatTimes(received: readonly Received[]): number[] {
  const seen = new Set<number>();
  return received
    .filter(({ id }) => {
      const isRepeat = seen.has(id);
      seen.add(id);
      return isRepeat;
    })
    .map(({ at }) => at);
}

/** How many fell between one start and the next, at most. */
export function mostBetween(starts: readonly number[], times: readonly number[]): number {
  const counts = starts.map(
    (from, index) =>
      times.filter((at) => at >= from && at < (starts[index + 1] ?? Number.POSITIVE_INFINITY))
        .length,
  );
  return Math.max(0, ...counts);
}

/**
 * By how many sends a limit was exceeded at worst: `burst` at once, then one per `intervalMs`.
 * `slackMs` is how much later than allowed some may have been counted.
 */
export function sentTooMany(
  times: readonly number[],
  { burst, intervalMs }: { burst: number; intervalMs: number },
  slackMs: number,
): number {
  let worst = 0;
  for (const [first, from] of times.entries()) {
    for (let last = first; last < times.length; last++) {
      const passedMs = (times[last] as number) - from + slackMs;
      const allowed = burst + Math.floor(passedMs / intervalMs);
      worst = Math.max(worst, last - first + 1 - allowed);
    }
  }
  return worst;
}
