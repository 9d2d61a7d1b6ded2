/*
 * Who an update is for. A claim is decided once, when the update is stored, and kept with it: own
 * replies first, then exclusive apps by priority; what nobody claims is for every app whose filter
 * matches.
 */
import type { AppRecord } from './app.ts';
import { compileFilter } from './app-filter.ts';
import { type FilterFacts, readFilterFacts } from './filter-facts.ts';
import type { PatternTime } from '../search/pattern-time.ts';

type Claimer = Pick<
  AppRecord,
  'id' | 'bot_id' | 'filter' | 'exclusive' | 'own_replies' | 'priority' | 'mode' | 'disabled'
>;

export interface Claims {
  /** Apps that answer for the replies to their messages. */
  ownReplies: ReadonlySet<number>;
  /** The app whose filter claims it; 0 for none. A filter that is undecided claims nothing. */
  exclusiveFor(facts: FilterFacts): number;
}

/** Undefined where no app can claim anything. */
export function compileClaims(
  apps: readonly Claimer[],
  botUsername: string,
  patterns: PatternTime,
): Claims | undefined {
  const receiving = apps.filter(({ mode, disabled }) => mode !== 'send' && !disabled);
  const ownReplies = new Set(receiving.filter((app) => app.own_replies).map(({ id }) => id));
  const exclusive = receiving
    .filter((app) => app.exclusive)
    .sort((a, b) => b.priority - a.priority || a.id - b.id)
    .map(({ id, filter }) => ({ id, test: compileFilter(filter, botUsername) }));
  if (ownReplies.size === 0 && exclusive.length === 0) return undefined;
  const botId = apps[0]?.bot_id ?? 0;
  return {
    ownReplies,
    exclusiveFor(facts) {
      const matching = patterns.matching(botId);
      for (const { id, test } of exclusive) {
        const claims = !test || test(facts, matching);
        if (claims) return id;
        if (claims === undefined) patterns.undecided(botId, { appId: id });
      }
      return 0;
    },
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
  position: number;
  kind: string;
  raw: string;
  /** The id of an app; 0 for none, -1 for the relay. */
  claimedBy: number;
}

/** Whether an update is for a reader of the log. */
export type Sees = (entry: Claimable) => boolean;

/** The bot's own readers see what no app claimed. */
export const seesUnclaimed: Sees = ({ claimedBy }) => claimedBy === 0;

/** So many updates are remembered that passed undecided. */
const mostRemembered = 1_000;

/**
 * What the app claimed, and of the rest what its filter lets through. What the filter leaves
 * undecided passes, so that nothing is lost, and goes on to pass: a poller may confirm it.
 */
export function seenByApp(
  { id, bot_id: botId, filter }: Pick<AppRecord, 'id' | 'bot_id' | 'filter'>,
  botUsername: string,
  patterns: PatternTime,
): Sees {
  const test = compileFilter(filter, botUsername);
  const undecided = new Set<number>();
  return (entry) => {
    if (entry.claimedBy !== 0) return entry.claimedBy === id;
    if (!test || undecided.has(entry.position)) return true;
    const passes = test(factsOf(entry), patterns.matching(botId));
    if (passes !== undefined) return passes;
    patterns.undecided(botId, { appId: id });
    if (undecided.size >= mostRemembered) undecided.clear();
    undecided.add(entry.position);
    return true;
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
