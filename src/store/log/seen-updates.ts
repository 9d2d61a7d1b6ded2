/*
 * Remembers which updates came, so that each is stored once. Read and changed only under the lock
 * of the bot's log_heads row: ranges of one bot then never overlap.
 */
import { runsOf, type SeenRange, takeNew } from '../../core/log/seen-ranges.ts';
import { bulkInsert } from '../sql/bulk-insert.ts';
import { raw, type Step } from '../engine.ts';

/** The numbers of one bot's updates, and when they came. */
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
 * Finds out which of these numbers, by bot, were not known before. The ranges are to be kept in the same
 * transaction; those that are no more go at once.
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
 * A poll confirms at most 100 updates, and the last one of an earlier service may not be confirmed.
 * Numbers have few gaps; those far below may be given to later updates.
 */
const unconfirmedAtMost = 1_000;

/** For a new bot: the platform may send again what another service handled before. */
export function* markSeenBefore(botId: number, nextId: number, nowMs: number): Step<void> {
  if (nextId <= 1) return;
  yield* raw(
    `insert into seen_ranges (bot_id, first_id, last_id, begun_at, seen_at)
     values ($1, $2, $3, $4, $4)`,
    [botId, Math.max(1, nextId - unconfirmedAtMost), nextId - 1, nowMs],
  );
}

/** By bot and first number: two runs of numbers may touch the same range. */
export type KnownRanges = Map<number, Map<number, SeenRange>>;

export const rangeColumns =
  'bot_id as "botId", first_id as first, last_id as last, begun_at as "begunAt", seen_at as "seenAt"';

/*
 * As ranges do not overlap, those that touch a run of numbers are the last that begin before its
 * end, and no more than it has numbers and neighbours. One look for a bot without any.
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

/** With one connection there are no round trips to save. */
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
