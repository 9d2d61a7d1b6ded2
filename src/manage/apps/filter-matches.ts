import { type AppFilter, compileFilter } from '../../core/apps/app-filter.ts';
import { readFilterFacts } from '../../core/apps/filter-facts.ts';
import { PatternCache } from '../../core/search/pattern-sets.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { Store } from '../../store/store.ts';

export interface FilterMatches {
  matched: number;
  /** The number of checked updates: fewer than exist if the pattern of the filter takes long. */
  of: number;
}

const batchSize = 100;

/**
 * Counts how many of the last updates of a bot a filter lets through, the newest first. An update
 * whose pattern is undecided counts, because the app receives it.
 */
export async function countMatches(
  { consumers, patterns, log }: Pick<Store, 'consumers' | 'patterns' | 'log'>,
  bot: Pick<BotRecord, 'id' | 'username'>,
  filter: AppFilter,
  most: number,
): Promise<FilterMatches> {
  const { asked, slices } = patterns;
  // Use a separate cache: the patterns of many previews must not evict patterns in use.
  const compiled = new PatternCache();
  const { lastPosition } = await log.head(bot.id);
  const passes = compileFilter(filter, bot.username);
  const after = Math.max(0, lastPosition - most);
  const counted: FilterMatches = { matched: 0, of: 0 };
  let before = lastPosition + 1;
  while (before > after + 1) {
    await slices.next();
    const between = { after, before };
    const batch = await consumers.marksBackward(bot.id, between, batchSize, passes !== undefined);
    if (batch.length === 0) break;
    for (const update of batch) {
      before = update.position;
      if (counted.of > 0 && asked.leftMs(bot.id) <= 0) return counted;
      const waiting = filter.regex ? asked.room(bot.id) : undefined;
      if (waiting) await waiting;
      counted.of++;
      const matching = asked.matching(bot.id, compiled);
      const matches = !passes || passes(readFilterFacts(update), matching);
      if (matches !== false) counted.matched++;
    }
  }
  return counted;
}
