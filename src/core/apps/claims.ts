/*
 * Decides which app an update is for. A claim is decided once, when the update is stored, and
 * stored with it: own replies first, then exclusive apps by priority. An update that nobody claims
 * is for every app whose filter matches.
 */
import type { AppRecord } from './app.ts';
import { compileFilter } from './app-filter.ts';
import { ownButtonPrefix } from '../messages/own-buttons.ts';
import { type FilterFacts, inChat, readFilterFacts } from './filter-facts.ts';
import type { PatternTime } from '../search/pattern-time.ts';

type Claimer = Pick<
  AppRecord,
  | 'id'
  | 'bot_id'
  | 'filter'
  | 'formerChats'
  | 'exclusive'
  | 'own_replies'
  | 'priority'
  | 'mode'
  | 'disabled'
>;

export interface Claims {
  /** Apps that receive the replies to their messages. */
  ownReplies: ReadonlySet<number>;
  /** The ID of the app whose filter claims the update; 0 for none. An undecided filter claims nothing. */
  exclusiveFor(facts: FilterFacts): number;
  /** Says whether `exclusiveFor` needs no time for patterns. */
  isDecided(facts: FilterFacts): boolean;
  /** Decides the patterns ahead of time; undefined if no waiting was needed. */
  decide(updates: readonly { facts: FilterFacts }[]): Promise<void> | undefined;
}

/** Undefined if no app can claim anything. */
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
    .map((app) => ({
      id: app.id,
      filter: app.filter,
      test: compileFilter(withFormerChats(app), botUsername),
    }));
  if (ownReplies.size === 0 && exclusive.length === 0) return undefined;
  const botId = apps[0]?.bot_id ?? 0;
  const regexes = exclusive.flatMap(({ filter }) => filter.regex || []);
  const decided = new WeakSet<FilterFacts>();
  const decideOne = (facts: FilterFacts) => {
    const matching = patterns.matching(botId);
    exclusive.find(({ test }) => !test || test(facts, matching));
    decided.add(facts);
  };
  return {
    ownReplies,
    isDecided: (facts) => regexes.length === 0 || decided.has(facts),
    decide(updates) {
      if (regexes.length === 0) return undefined;
      const compiling = patterns.prepare(regexes);
      const decideFrom = async (first: number, waiting: Promise<void>) => {
        await waiting;
        for (const { facts } of updates.slice(first)) {
          await decideInTurn(patterns, botId, () => decideOne(facts));
        }
      };
      if (compiling) return decideFrom(0, compiling);
      for (const [index, { facts }] of updates.entries()) {
        const waiting = decideInTurn(patterns, botId, () => decideOne(facts));
        if (waiting) return decideFrom(index + 1, waiting);
      }
      return undefined;
    },
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

/** Updates stored under the former ID of a group belong to the group as well. */
const withFormerChats = ({
  filter,
  formerChats = [],
}: Pick<AppRecord, 'filter' | 'formerChats'>) =>
  formerChats.length === 0
    ? filter
    : { ...filter, chat_ids: [...(filter.chat_ids ?? []), ...formerChats.map(([id]) => id)] };

/** Marks an update that the relay itself claims instead of an app. */
export const ownClaim = -1;
/** Marks an answer to a question: no app, route or desk acts on it. */
export const answerClaim = -2;

/** Presses of the relay's own buttons are for no app. */
export const ownClaimOf = ({ callbackData }: Pick<FilterFacts, 'callbackData'>): number =>
  callbackData?.startsWith(ownButtonPrefix) ? ownClaim : 0;

/** An entry of the log. */
interface Claimable {
  position: number;
  kind: string;
  raw: string;
  /** The id of an app; 0 for none, below 0 for the relay. */
  claimedBy: number;
}

/** Decides whether a reader of the log sees an update. */
export interface Sees {
  (entry: Claimable): boolean;
  /** Missing if no pattern decides. Decides the entry if this turn has time for it; false if it has none. */
  isReady?(entry: Claimable): boolean;
  /** The same for callers that can wait; undefined if no waiting was needed. */
  ready?(entry: Claimable): Promise<void> | undefined;
}

/** Undefined if everything was decided at once. */
function decideInTurn(
  patterns: PatternTime,
  botId: number,
  decide: () => void,
): Promise<void> | undefined {
  const tryNow = () => {
    if (!patterns.hasRoom(botId)) return false;
    decide();
    return true;
  };
  return tryNow() ? undefined : patterns.until(tryNow);
}

/** The bot's own readers see what no app claimed. */
export const seesUnclaimed: Sees = ({ claimedBy }) => claimedBy === 0;

/** The number of undecided updates that are remembered as passed. */
const mostRemembered = 1_000;

/**
 * Lets through the updates that the app claimed, and of the unclaimed rest those that match its
 * filter. An undecided update passes, so that nothing is lost, and keeps passing, because a poller
 * may confirm it.
 */
export function seenByApp(
  app: Pick<AppRecord, 'id' | 'bot_id' | 'filter' | 'formerChats'>,
  botUsername: string,
  patterns: PatternTime,
): Sees {
  const { id, bot_id: botId } = app;
  const filter = withFormerChats(app);
  const test = compileFilter(filter, botUsername);
  /** Groups that became supergroups since the filter was read, by their new IDs. */
  const moves = new Map<number, number>();
  const inFormerChat = new WeakMap<Claimable, FilterFacts>();
  function askedOf(entry: Claimable): FilterFacts {
    const facts = inFormerChat.get(entry) ?? factsOf(entry);
    const { chatId = 0, move } = facts;
    if (move && (filter.chat_ids?.includes(move.from) || moves.has(move.from))) {
      moves.set(move.to, moves.get(move.from) ?? move.from);
    }
    const former = moves.get(chatId);
    if (former === undefined) return facts;
    const asked = inChat(facts, former);
    inFormerChat.set(entry, asked);
    return asked;
  }
  const undecided = new Set<number>();
  const sees: Sees = (entry) => {
    if (entry.claimedBy !== 0) return entry.claimedBy === id;
    if (!test || undecided.has(entry.position)) return true;
    const passes = test(askedOf(entry), patterns.matching(botId));
    if (passes !== undefined) return passes;
    patterns.undecided(botId, { appId: id });
    if (undecided.size >= mostRemembered) undecided.clear();
    undecided.add(entry.position);
    return true;
  };
  const { regex } = filter;
  if (!test || !regex) return sees;
  const isDecided = (entry: Claimable) =>
    entry.claimedBy !== 0 ||
    undecided.has(entry.position) ||
    patterns.decided.get(askedOf(entry))?.has(regex) === true;
  const decide = (entry: Claimable) => test(askedOf(entry), patterns.matching(botId));
  sees.isReady = (entry) => {
    if (isDecided(entry)) return true;
    if (!patterns.hasRoom(botId)) return false;
    decide(entry);
    return true;
  };
  sees.ready = (entry) =>
    isDecided(entry) ? undefined : decideInTurn(patterns, botId, () => decide(entry));
  return sees;
}

// Readers of one bot get the same entry objects from the tail of its log, so they share the facts.
const known = new WeakMap<Claimable, FilterFacts>();

/** Saves the readers of an update that was just stored from parsing it again. */
export function rememberFacts(entry: Claimable, facts: FilterFacts): void {
  known.set(entry, facts);
}

/** Reads the facts of an update at most once for all readers. */
export function factsOf(entry: Claimable): FilterFacts {
  let facts = known.get(entry);
  if (!facts) {
    facts = readFilterFacts(entry);
    known.set(entry, facts);
  }
  return facts;
}
