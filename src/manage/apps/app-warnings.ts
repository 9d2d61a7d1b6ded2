import { type AppRecord, unknownMethods } from '../../core/apps/app.ts';
import { compileFilter } from '../../core/apps/app-filter.ts';
import { updateKinds } from '../../core/log/update-kinds.ts';
import { reason } from '../../core/reasons/reason.ts';
import { meantBy } from '../../core/reasons/similar-word.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { Store } from '../../store/store.ts';
import type { AppInput } from './app-input.ts';
import { type AppWarning, warningOf } from './app-view.ts';
import { countMatches } from './filter-matches.ts';

const looksAt = 1_000;

/** Warns about requested settings, not about those that the app had before. */
export async function appWarnings(
  { store, methodNames }: { store: Store; methodNames: readonly string[] },
  bot: BotRecord,
  { exclusive, filter, mode }: AppRecord,
  asked: AppInput,
): Promise<AppWarning[]> {
  const kinds = [...(asked.filter?.kinds ?? []), ...(asked.allowed_updates ?? [])];
  const warnings = kinds
    .filter((kind) => !updateKinds.some((known) => known === kind))
    .map((kind) => reason('unknown_kind', { kind, ...meantBy(kind, updateKinds) }));
  for (const method of unknownMethods(asked.methods ?? [], methodNames)) {
    warnings.push(reason('unknown_method', { method, ...meantBy(method, methodNames) }));
  }
  const takesAll = exclusive && mode !== 'send' && compileFilter(filter, '') === undefined;
  if (takesAll && (asked.filter ?? asked.exclusive ?? asked.mode) !== undefined) {
    warnings.push(reason('app_takes_all'));
  }
  if (asked.filter !== undefined) {
    const { matched, of } = await countMatches(store, bot, asked.filter, looksAt);
    if (matched === 0 && of > 0) warnings.push(reason('filter_matches_nothing', { of }));
  }
  return warnings.map(warningOf);
}
