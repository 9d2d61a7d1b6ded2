import { type AppFilter, compileFilter } from '../../core/apps/app-filter.ts';
import { readFilterFacts } from '../../core/apps/filter-facts.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { Store } from '../../store/store.ts';

export interface FilterMatches {
  matched: number;
  /** Updates looked at: fewer than there are where the pattern of the filter takes long. */
  of: number;
}

const batchSize = 100;

/**
 * How many of the last updates of a bot a filter lets through, the newest first. An update whose
 * pattern is undecided counts, because the app receives it.
 */
export async function countMatches(
  { consumers, patterns, log }: Pick<Store, 'consumers' | 'patterns' | 'log'>,
  bot: Pick<BotRecord, 'id' | 'username'>,
  filter: AppFilter,
  most: number,
): Promise<FilterMatches> {
  const { asked, slices } = patterns;
  const { lastPosition } = await log.head(bot.id);
  const passes = compileFilter(filter, bot.username);
  await patterns.prepare(filter.regex ? [filter.regex] : []);
  const after = Math.max(0, lastPosition - most);
  const counted: FilterMatches = { matched: 0, of: 0 };
  let before = lastPosition + 1;
  while (before > after + 1) {
    await slices.next();
    const between = { after, before };
    const batch = await consumers.marksBackward(bot.id, between, batchSize, passes !== undefined);
    if (batch.length === 0) break;
    let isOver = slices.begin();
    for (const update of batch) {
      before = update.position;
      if (counted.of > 0 && asked.leftMs(bot.id) <= 0) return counted;
      counted.of++;
      const matches = !passes || passes(readFilterFacts(update), asked.matching(bot.id));
      if (matches !== false) counted.matched++;
      if (!isOver()) continue;
      await slices.next();
      isOver = slices.begin();
    }
  }
  return counted;
}
