/** What the settings of all routes add up to, for people to look at. */

export interface GraphRoute {
  id: number;
  source_bot_id: number;
  target_bot_id: number;
  condition_type: string;
  action: string;
  enabled: boolean;
  source_chat_id: number;
}

export interface GraphProblem {
  kind: 'loop' | 'unreachable';
  /** The bots of a loop, or none. */
  bot_ids: number[];
  route_ids: number[];
  explanation: string;
}

/** `routes` come by source bot and then in the order in which they act. */
export function findProblems(
  routes: readonly GraphRoute[],
  disabledBots: ReadonlySet<number>,
): GraphProblem[] {
  return [...unreachable(routes, disabledBots), ...loops(routes)];
}

function unreachable(
  routes: readonly GraphRoute[],
  disabledBots: ReadonlySet<number>,
): GraphProblem[] {
  const problems: GraphProblem[] = [];
  const report = (route: GraphRoute, explanation: string) =>
    problems.push({ kind: 'unreachable', bot_ids: [], route_ids: [route.id], explanation });
  const ending = new Map<number, GraphRoute>();
  for (const route of routes) {
    if (!route.enabled) continue;
    const end = ending.get(route.source_bot_id);
    if (end) report(route, `Route ${end.id} drops every message before this one is asked.`);
    else if (disabledBots.has(route.source_bot_id)) report(route, 'Its source bot is disabled.');
    else if (route.action !== 'drop' && disabledBots.has(route.target_bot_id)) {
      report(route, 'Its target bot is disabled.');
    }
    const dropsAll =
      route.action === 'drop' && route.condition_type === 'all' && route.source_chat_id === 0;
    if (dropsAll && !end) ending.set(route.source_bot_id, route);
  }
  return problems;
}

/** Groups of bots each of which can be reached from each other: a ring the relay has to stop. */
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
      explanation:
        'These bots route to each other in a ring. Carried messages are never carried on, so nothing runs in circles, but one of the routes is probably not meant.',
    });
  }
  return problems;
}
