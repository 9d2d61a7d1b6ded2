/*
 * Finds the routes of a bot that match a message. Routes are compiled once into look-up tables (by
 * chat, user, word, command, media) and a few automatons for all patterns, so that a thousand
 * routes cost about as much as one. The tables only propose; the order and a `drop` decide.
 */
import type { Reason } from '../reasons/reason.ts';
import type { Matching, TimeSlices } from '../search/pattern-time.ts';
import { isConditionType } from './condition-types.ts';
import { type ConditionIndex, conditionRules, type RoutableMessage } from './conditions.ts';

export interface MatchableRoute {
  id: number;
  condition_type: string;
  condition_value: string;
  action: string;
  enabled: boolean;
  source_chat_id: number;
  source_thread_id: number;
}

export interface RouteMatch<Route> {
  route: Route;
  /** Why it matched, for people. */
  reason: Reason;
}

export interface MatchedRoutes<Route> {
  /** The routes that act, in order, up to and including the first `drop`. */
  acting: RouteMatch<Route>[];
  /** The routes that match after a `drop`. */
  behind: RouteMatch<Route>[];
  /** Routes that do not act, because the time limit for their pattern ran out. */
  undecided: RouteMatch<Route>[];
}

export interface RouteMatcher<Route> {
  match(message: RoutableMessage, matching: Matching): MatchedRoutes<Route>;
  /** Compiles the patterns in slices, so that other work runs in between. */
  prepare(slices: TimeSlices, onSlice?: (ms: number) => void): Promise<void>;
  /** The IDs of the evaluated routes as ranges ("1-40,57"): all but those of the model. */
  readonly asked: string;
  /** The enabled routes whose condition is the model's choice. */
  readonly chosenByModel: readonly Route[];
}

/** Expects `routes` in the order in which they act. */
export function compileRoutes<Route extends MatchableRoute>(
  routes: readonly Route[],
  botUsername: string,
): RouteMatcher<Route> {
  const enabled = routes.filter((route) => route.enabled);
  const asked = enabled.filter((route) => route.condition_type !== 'llm');
  const used = new Map<string, ConditionIndex>();

  for (const [order, { condition_type: type, condition_value: value }] of asked.entries()) {
    // A type that this version does not know matches nothing.
    const index =
      used.get(type) ??
      (isConditionType(type) ? conditionRules[type].index?.(botUsername) : undefined);
    if (!index) continue;
    used.set(type, index);
    index.add(value, order);
  }

  return {
    asked: ranges(asked.map((route) => route.id)),
    chosenByModel: enabled.filter((route) => route.condition_type === 'llm'),
    prepare: (slices, onSlice) =>
      slices.compile(
        [...used.values()].flatMap((index) => index.patterns?.() ?? []),
        onSlice,
      ),
    match(message, matching) {
      const reasons = new Map<number, Reason>();
      const undecided: RouteMatch<Route>[] = [];
      for (const index of used.values()) {
        for (const { order, why, isUndecided } of index.find(message, matching)) {
          const route = asked[order] as Route;
          if (!isFromSource(route, message)) continue;
          if (isUndecided) undecided.push({ route, reason: why });
          else if (!reasons.has(order)) reasons.set(order, why);
        }
      }
      const matches = [...reasons]
        .sort(([left], [right]) => left - right)
        .map(([order, why]) => ({ route: asked[order] as Route, reason: why }));
      const drop = matches.findIndex(({ route }) => route.action === 'drop');
      const end = drop < 0 ? matches.length : drop + 1;
      return { acting: matches.slice(0, end), behind: matches.slice(end), undecided };
    },
  };
}

/** True if a message is in the chat and the topic to which a route is limited. */
export function isFromSource(
  route: Pick<MatchableRoute, 'source_chat_id' | 'source_thread_id'>,
  { chatId, threadId }: Pick<RoutableMessage, 'chatId' | 'threadId'>,
): boolean {
  const { source_chat_id: chat, source_thread_id: topic } = route;
  return (chat === 0 || chat === chatId) && (topic === 0 || topic === threadId);
}

/** Formats 1, 2, 3, 7 as "1-3,7", so that a thousand rules without a match take a few characters. */
function ranges(ids: readonly number[]): string {
  const sorted = [...ids].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let from = 0; from < sorted.length; ) {
    let to = from;
    while (sorted[to + 1] === (sorted[to] as number) + 1) to++;
    parts.push(from === to ? `${sorted[from]}` : `${sorted[from]}-${sorted[to]}`);
    from = to + 1;
  }
  return parts.join(',');
}
