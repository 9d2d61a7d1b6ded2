import { type AppFilter, compileFilter } from '../../core/apps/app-filter.ts';
import { readFilterFacts } from '../../core/apps/filter-facts.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { Store } from '../../store/store.ts';

export interface FilterMatches {
  matched: number;
  /** Updates looked at. */
  of: number;
}

/** How many of the last updates of a bot a filter lets through. */
export async function countMatches(
  store: Pick<Store, 'log'>,
  bot: Pick<BotRecord, 'id' | 'username'>,
  filter: AppFilter,
  most: number,
): Promise<FilterMatches> {
  const { lastPosition } = await store.log.head(bot.id);
  const updates = await store.log.read(bot.id, Math.max(0, lastPosition - most), most);
  const passes = compileFilter(filter, bot.username);
  const matched = passes
    ? updates.filter((update) => passes(readFilterFacts(update))).length
    : updates.length;
  return { matched, of: updates.length };
}
