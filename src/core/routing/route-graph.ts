/** Finds problems that arise from the settings of all routes together, for people to look at. */

import { valueOf } from './condition-types.ts';
import { type Reason, reason, reasonText } from '../reasons/reason.ts';

export interface GraphRoute {
  id: number;
  source_bot_id: number;
  target_bot_id: number;
  condition_type: string;
  condition_value: string;
  action: string;
  enabled: boolean;
  source_chat_id: number;
}

export interface GraphProblem {
  kind: 'loop' | 'unreachable';
  /** The bots of a loop; empty for other problems. */
  bot_ids: number[];
  route_ids: number[];
  explanation: string;
  explanation_detail: Reason;
}

export interface GraphBots {
  disabled: ReadonlySet<number>;
  /** Bots that never ask the model. */
  withoutModel: ReadonlySet<number>;
}

/** Expects `routes` ordered by source bot and then by the order in which they act. */
export function findProblems(routes: readonly GraphRoute[], bots: GraphBots): GraphProblem[] {
  return [...unreachable(routes, bots), ...loops(routes)];
}

function unreachable(routes: readonly GraphRoute[], bots: GraphBots): GraphProblem[] {
  const problems: GraphProblem[] = [];
  const enabled = routes.filter((route) => route.enabled);
  const takingAll = enabled.filter(
    (route) => route.condition_type === 'all' && route.source_chat_id === 0,
  );
  const droppers = new Map<number, GraphRoute>();
  for (const route of enabled) {
    const { id, source_bot_id: source } = route;
    const taker = takingAll.find((other) => other.source_bot_id === source);
    const explanation = whyNever(route, bots, droppers.get(source), taker);
    if (explanation) {
      problems.push({
        kind: 'unreachable',
        bot_ids: [],
        route_ids: [id],
        ...explained(explanation),
      });
    }
    const dropsAll = route.action === 'drop' && takingAll.includes(route);
    if (dropsAll && !droppers.has(source)) droppers.set(source, route);
  }
  return problems;
}

function explained(why: Reason) {
  return { explanation: reasonText(why), explanation_detail: why };
}

/** `dropper` comes before the route, `taker` anywhere: the model is asked only if no rule matched. */
function whyNever(
  route: GraphRoute,
  { disabled, withoutModel }: GraphBots,
  dropper: GraphRoute | undefined,
  taker: GraphRoute | undefined,
): Reason | undefined {
  const { source_bot_id: source, target_bot_id: target, source_chat_id: onlyChat } = route;
  if (dropper) return reason('route_behind_drop', { route_id: dropper.id });
  if (disabled.has(source)) return reason('route_source_disabled');
  if (route.action !== 'drop' && disabled.has(target)) return reason('route_target_disabled');
  const chat = valueOf(route.condition_type) === 'chat' ? Number(route.condition_value) : onlyChat;
  if (onlyChat !== 0 && chat !== onlyChat) return reason('route_two_chats');
  if (route.condition_type !== 'llm') return undefined;
  if (withoutModel.has(source)) return reason('route_without_model');
  return taker ? reason('route_leaves_none', { route_id: taker.id }) : undefined;
}

/** Finds groups of bots that can all be reached from each other: a loop that the relay has to stop. */
function loops(routes: readonly GraphRoute[]): GraphProblem[] {
  const carrying = routes.filter((route) => route.enabled && route.action !== 'drop');
  const next = new Map<number, GraphRoute[]>();
  for (const route of carrying) {
    next.set(route.source_bot_id, [...(next.get(route.source_bot_id) ?? []), route]);
  }
  const reachable = (from: number): Set<number> => {
    const seen = new Set<number>();
    const open = [from];
    for (let bot = open.pop(); bot !== undefined; bot = open.pop()) {
      for (const route of next.get(bot) ?? []) {
        if (seen.has(route.target_bot_id)) continue;
        seen.add(route.target_bot_id);
        open.push(route.target_bot_id);
      }
    }
    return seen;
  };
  const reach = new Map([...next.keys()].map((bot) => [bot, reachable(bot)]));
  const done = new Set<number>();
  const problems: GraphProblem[] = [];
  for (const [bot, seen] of reach) {
    if (done.has(bot) || !seen.has(bot)) continue;
    const ring = [...seen].filter((other) => reach.get(other)?.has(bot)).sort((a, b) => a - b);
    for (const member of ring) done.add(member);
    if (ring.length < 2) continue;
    const inRing = new Set(ring);
    problems.push({
      kind: 'loop',
      bot_ids: ring,
      route_ids: carrying
        .filter((route) => inRing.has(route.source_bot_id) && inRing.has(route.target_bot_id))
        .map((route) => route.id),
      ...explained(reason('route_ring')),
    });
  }
  return problems;
}
