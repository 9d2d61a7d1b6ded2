/*
 * Remembers which update IDs a bot received, as ranges: IDs nearly always follow each other, so a
 * few ranges replace a row for each.
 *
 * Invariants: ranges of one bot never overlap; an ID is known for at least `seenForMs`, and for
 * `rangeSpanMs` longer at most.
 */

/** Both ends are included. */
export interface SeenRange {
  first: number;
  last: number;
  /** When its first number was seen. */
  begunAt: number;
  /** When its newest number was seen. */
  seenAt: number;
}

export interface SeenOutcome {
  /** The offered numbers that were not known before. */
  fresh: Set<number>;
  /** Ranges that are new or have grown, one for each first number. */
  kept: SeenRange[];
  /** The first numbers of ranges that were removed. */
  gone: number[];
}

/** Telegram keeps updates for a day; an ID that comes again after this long is a different update. */
export const seenForMs = 72 * 3_600_000;
/** A range grows for at most this long, because a range is forgotten as a whole. */
const rangeSpanMs = 6 * 3_600_000;

/** Groups consecutive numbers, in order. */
export function runsOf(numbers: Iterable<number>): { first: number; last: number }[] {
  const runs: { first: number; last: number }[] = [];
  let run: { first: number; last: number } | undefined;
  for (const number of [...numbers].sort((a, b) => a - b)) {
    if (run && number === run.last + 1) run.last = number;
    else runs.push((run = { first: number, last: number }));
  }
  return runs;
}

/** `known` must hold at least all ranges that touch one of the numbers. */
export function takeNew(
  known: readonly SeenRange[],
  numbers: ReadonlySet<number>,
  nowMs: number,
): SeenOutcome {
  const isAlive = ({ seenAt }: SeenRange) => seenAt >= nowMs - seenForMs;
  const alive = known.filter(isAlive);
  const gone = new Set<number>();
  for (const range of known) if (!isAlive(range)) gone.add(range.first);
  const fresh = new Set(
    [...numbers].filter((one) => !alive.some(({ first, last }) => first <= one && one <= last)),
  );
  const kept = new Map<number, SeenRange>();
  const growing = alive.filter(({ begunAt }) => begunAt > nowMs - rangeSpanMs);
  const byFirst = new Map(growing.map((range) => [range.first, range]));
  const byLast = new Map(growing.map((range) => [range.last, range]));
  for (const run of runsOf(fresh)) {
    const left = byLast.get(run.first - 1);
    const right = byFirst.get(run.last + 1);
    const joined: SeenRange = {
      first: left?.first ?? run.first,
      last: right?.last ?? run.last,
      begunAt: Math.min(nowMs, left?.begunAt ?? nowMs, right?.begunAt ?? nowMs),
      seenAt: Math.max(nowMs, left?.seenAt ?? nowMs, right?.seenAt ?? nowMs),
    };
    if (right) gone.add(right.first);
    kept.set(joined.first, joined);
    byLast.set(joined.last, joined);
  }
  return { fresh, kept: [...kept.values()], gone: [...gone].filter((first) => !kept.has(first)) };
}
