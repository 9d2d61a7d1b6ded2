/*
 * Who an update is for. A claim is decided once, when the update is stored, and kept with it: own
 * replies first, then exclusive apps by priority; what nobody claims is for every app whose filter
 * matches.
 */
import type { AppRecord } from './app.ts';
import { compileFilter, type FilterFacts, type FilterTest, readFilterFacts } from './app-filter.ts';

type Claimer = Pick<
  AppRecord,
  'id' | 'filter' | 'exclusive' | 'own_replies' | 'priority' | 'mode' | 'disabled'
>;

export interface Claims {
  /** Apps that answer for the replies to their messages. */
  ownReplies: ReadonlySet<number>;
  /** The app whose filter claims it; 0 for none. */
  exclusiveFor(update: { kind: string; raw: string }): number;
}

/** Undefined where no app can claim anything. */
export function compileClaims(apps: readonly Claimer[], botUsername: string): Claims | undefined {
  const receiving = apps.filter(({ mode, disabled }) => mode !== 'send' && !disabled);
  const ownReplies = new Set(receiving.filter((app) => app.own_replies).map(({ id }) => id));
  const exclusive = receiving
    .filter((app) => app.exclusive)
    .sort((a, b) => b.priority - a.priority || a.id - b.id)
    .map(({ id, filter }) => ({ id, test: compileFilter(filter, botUsername) }));
  if (ownReplies.size === 0 && exclusive.length === 0) return undefined;
  return {
    ownReplies,
    exclusiveFor(update) {
      if (exclusive.length === 0) return 0;
      let facts: FilterFacts | undefined;
      const passes = (test: FilterTest | undefined) =>
        !test || test((facts ??= readFilterFacts(update)));
      return exclusive.find(({ test }) => passes(test))?.id ?? 0;
    },
  };
}

/** Of an entry of the log. */
interface Claimable {
  kind: string;
  raw: string;
  /** The id of an app; 0 for none. */
  claimedBy: number;
}

/** Whether an update is for a reader of the log. */
export type Sees = (entry: Claimable) => boolean;

/** The bot's own readers see what no app claimed. */
export const seesUnclaimed: Sees = ({ claimedBy }) => claimedBy === 0;

/** What the app claimed, and of the rest what its filter lets through. */
export function seenByApp(app: Pick<AppRecord, 'id' | 'filter'>, botUsername: string): Sees {
  const test = compileFilter(app.filter, botUsername);
  return (entry) => {
    if (entry.claimedBy !== 0) return entry.claimedBy === app.id;
    return !test || test(factsOf(entry));
  };
}

// Readers of one bot get the same entries from the tail of its log, one after the other: they are
// parsed once for all.
const known = new WeakMap<Claimable, FilterFacts>();

function factsOf(entry: Claimable): FilterFacts {
  let facts = known.get(entry);
  if (!facts) {
    facts = readFilterFacts(entry);
    known.set(entry, facts);
  }
  return facts;
}
