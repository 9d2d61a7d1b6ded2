/*
 * Remembers which updates were received, so that each is stored once. The ranges are read and
 * changed only under the lock of the bot's log_heads row, so ranges of one bot never overlap.
 */
import { runsOf, type SeenRange, takeNew } from '../../core/log/seen-ranges.ts';
import { bulkInsert } from '../sql/bulk-insert.ts';
import { raw, type Step } from '../engine.ts';

/** The numbers of one bot's updates, and the time of receipt. */
export interface OfferedNumbers {
  numbers: Set<number>;
  receivedAt: number;
}

export type KnownRange = SeenRange & { botId: number };

export const keepRanges = bulkInsert<{
  bot_id: number;
  first_id: number;
  last_id: number;
  begun_at: number;
  seen_at: number;
}>({
  table: 'seen_ranges',
  columns: {
    bot_id: 'bigint',
    first_id: 'bigint',
    last_id: 'bigint',
    begun_at: 'bigint',
    seen_at: 'bigint',
  },
  onConflict: `(bot_id, first_id) do update set last_id = excluded.last_id,
    begun_at = excluded.begun_at, seen_at = excluded.seen_at`,
});

export type RangeRow = Parameters<typeof keepRanges>[1][number];

/**
 * Finds out which of these numbers, by bot, were not known before. The returned ranges must be
 * stored in the same transaction; obsolete ranges are deleted at once.
 */
export function* takeSeen(
  offered: ReadonlyMap<number, OfferedNumbers>,
  known: KnownRanges,
): Step<{ fresh: Map<number, Set<number>>; ranges: RangeRow[] }> {
  const fresh = new Map<number, Set<number>>();
  const ranges: RangeRow[] = [];
  for (const [botId, { numbers, receivedAt }] of offered) {
    const outcome = takeNew([...(known.get(botId)?.values() ?? [])], numbers, receivedAt);
    fresh.set(botId, outcome.fresh);
    for (const { first, last, begunAt, seenAt } of outcome.kept) {
      ranges.push({
        bot_id: botId,
        first_id: first,
        last_id: last,
        begun_at: begunAt,
        seen_at: seenAt,
      });
    }
    for (const first of outcome.gone) {
      yield* raw('delete from seen_ranges where bot_id = $1 and first_id = $2', [botId, first]);
    }
  }
  return { fresh, ranges };
}

/**
 * A poll confirms at most 100 updates, and the last poll of an earlier service may be unconfirmed.
 * Numbers have few gaps; much lower ones may be given to later updates.
 */
const unconfirmedAtMost = 1_000;

/**
 * Marks earlier numbers of a new bot as seen, because the platform may resend what another service
 * handled.
 */
export function* markSeenBefore(botId: number, nextId: number, nowMs: number): Step<void> {
  if (nextId <= 1) return;
  yield* raw(
    `insert into seen_ranges (bot_id, first_id, last_id, begun_at, seen_at)
     values ($1, $2, $3, $4, $4)`,
    [botId, Math.max(1, nextId - unconfirmedAtMost), nextId - 1, nowMs],
  );
}

/**
 * The key is the bot, then the first number, because two runs of numbers may touch the same range.
 */
export type KnownRanges = Map<number, Map<number, SeenRange>>;

export const rangeColumns =
  'bot_id as "botId", first_id as first, last_id as last, begun_at as "begunAt", seen_at as "seenAt"';

/*
 * Ranges do not overlap, so those that touch a run of numbers are the last ones that begin before
 * its end, and there are no more of them than numbers and neighbors. A bot without numbers gets one
 * look-up.
 */
export function looksFor(
  offered: ReadonlyMap<number, OfferedNumbers>,
): [botId: number, upTo: number, most: number][] {
  return [...offered].flatMap(([botId, { numbers }]) => {
    const runs = numbers.size > 0 ? runsOf(numbers) : [{ first: 0, last: -1 }];
    return runs.map(({ first, last }): [number, number, number] => [
      botId,
      last + 1,
      last - first + 3,
    ]);
  });
}

/** Reads the ranges one by one, because a single connection has no round trips to save. */
export function* readEach(offered: ReadonlyMap<number, OfferedNumbers>): Step<KnownRanges> {
  const known: KnownRanges = new Map();
  for (const look of looksFor(offered)) {
    collect(
      known,
      yield* raw<KnownRange>(
        `select ${rangeColumns} from seen_ranges where bot_id = $1 and first_id <= $2
         order by first_id desc limit $3`,
        look,
      ),
    );
  }
  return known;
}

export function collect(known: KnownRanges, ranges: readonly KnownRange[]): void {
  for (const range of ranges) {
    const ofBot = known.get(range.botId) ?? new Map<number, SeenRange>();
    known.set(range.botId, ofBot.set(range.first, range));
  }
}
