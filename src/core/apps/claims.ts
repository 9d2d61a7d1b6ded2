/*
 * Who an update is for. A claim is decided once, when the update is stored, and kept with it: own
 * replies first, then exclusive apps by priority; what nobody claims is for every app whose filter
 * matches.
 */
import type { AppRecord } from './app.ts';
import { compileFilter } from './app-filter.ts';
import { type FilterFacts, readFilterFacts } from './filter-facts.ts';

type Claimer = Pick<
  AppRecord,
  'id' | 'filter' | 'exclusive' | 'own_replies' | 'priority' | 'mode' | 'disabled'
>;

export interface Claims {
  /** Apps that answer for the replies to their messages. */
  ownReplies: ReadonlySet<number>;
  /** The app whose filter claims it; 0 for none. */
  exclusiveFor(facts: FilterFacts): number;
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
    exclusiveFor: (facts) => exclusive.find(({ test }) => !test || test(facts))?.id ?? 0,
  };
}

/** How the data of the relay's own buttons begins. */
export const ownButtonPrefix = 'bot-relay:';
/** Stands for the relay itself, in place of an app. */
const ownClaim = -1;

/** Presses of the relay's own buttons are for no app. */
export const ownClaimOf = ({ callbackData }: Pick<FilterFacts, 'callbackData'>): number =>
  callbackData?.startsWith(ownButtonPrefix) ? ownClaim : 0;

/** Of an entry of the log. */
interface Claimable {
  kind: string;
  raw: string;
  /** The id of an app; 0 for none, -1 for the relay. */
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

// Readers of one bot get the same entries from the tail of its log.
const known = new WeakMap<Claimable, FilterFacts>();

/** Spares the readers of an update that was just stored to parse it once more. */
export function rememberFacts(entry: Claimable, facts: FilterFacts): void {
  known.set(entry, facts);
}

function factsOf(entry: Claimable): FilterFacts {
  let facts = known.get(entry);
  if (!facts) {
    facts = readFilterFacts(entry);
    known.set(entry, facts);
  }
  return facts;
}
