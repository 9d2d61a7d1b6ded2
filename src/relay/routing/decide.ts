/*
 * What is to be done with one message that a bot received: take the return path, follow the rules,
 * or ask the model. It only decides; the router commits the decision and the sends together.
 */
import type { RouteMatch, RouteMatcher } from '../../core/routing/route-matcher.ts';
import type { OutboxIntent } from '../../store/outbox/outbox.ts';
import type { RouteRecord } from '../../store/routing/routes.ts';
import { buildRoutedSends } from './build-routed-send.ts';
import { ownMessageReason } from './is-own-message.ts';
import { returned, returnPath } from './return-path.ts';
import {
  notRoutable,
  type DecideDeps,
  type RoutableItem,
  keysOf,
  type MatchRecord,
  type RoutingDecision,
  decisionWithoutSends,
} from './routing-decision.ts';

/** Undefined when it cannot be told yet, because a send that matters is still in flight. */
export async function decide(
  deps: DecideDeps,
  matcher: RouteMatcher<RouteRecord>,
  item: RoutableItem,
): Promise<RoutingDecision | undefined> {
  const own = await ownMessageReason(deps, item.source);
  if (own === 'unsettled') return undefined;
  if (own) return decisionWithoutSends('own', own.because);
  const back = await returnPath(deps, item);
  if (back === 'unsettled') return undefined;
  if (back.length > 0) return returned(back, item);
  const matches = matcher.match({ ...item, chatId: item.source.chatId });
  if (matches.length > 0) return applyRules(deps, matches, item);
  if (item.bot.llm_routing_enabled && item.text !== '') {
    return decisionWithoutSends('asking', 'No rule matched; the model chooses.');
  }
  return decisionWithoutSends('none', 'No rule matched.');
}

async function applyRules(
  deps: DecideDeps,
  matches: RouteMatch<RouteRecord>[],
  item: RoutableItem,
): Promise<RoutingDecision> {
  const matched: MatchRecord[] = [];
  const intents: OutboxIntent[] = [];
  for (const { route, reason } of matches) {
    if (route.action === 'drop') {
      matched.push({ ...matchOf(route, item, reason), result: 'dropped', intents: [] });
      continue;
    }
    const made = await sendsOf(deps, route, item, reason, `route:${route.id}`);
    intents.push(...made.intents);
    matched.push(made.match);
  }
  const outcome = matched.every((match) => match.result === 'dropped') ? 'dropped' : 'routed';
  const reason = matched.map((match) => `route ${match.route_id}: ${match.reason}`).join('; ');
  return { outcome, reason, matched, intents };
}

type Rule = Pick<RouteRecord, 'id' | 'target_bot_id' | 'target_chat_id' | 'action'>;

/** The sends of one route, or why there are none. */
export async function sendsOf(
  deps: Pick<DecideDeps, 'bots'>,
  route: Rule,
  item: RoutableItem,
  reason: string,
  keyPrefix: string,
): Promise<{ match: MatchRecord; intents: OutboxIntent[] }> {
  const match = matchOf(route, item, reason);
  const none = (result: string) => ({ match: { ...match, result, intents: [] }, intents: [] });
  const target = await deps.bots.get(route.target_bot_id);
  if (!target) return none('not sent: the target bot is gone');
  if (target.disabled) return none('not sent: the target bot is disabled');
  const intents = buildRoutedSends(
    item.source,
    {
      botId: target.id,
      connection: match.target_connection ?? '',
      chatId: match.target_chat_id,
      routeId: route.id,
      style: route.action === 'forward' ? 'forward' : 'copy',
      hops: 1,
    },
    `${keyPrefix}:${item.bot.id}:${item.position}`,
  );
  if (!intents) return none(notRoutable);
  return { match: { ...match, result: 'queued', intents: keysOf(intents) }, intents };
}

/** Where a route takes a message; a chat of a business account can be reached by its own bot only. */
function matchOf(route: Rule, { bot, source }: RoutableItem, reason: string) {
  const staysThere = route.target_chat_id === 0 && route.target_bot_id === bot.id;
  return {
    route_id: route.id,
    action: route.action,
    reason,
    target_bot_id: route.target_bot_id,
    target_chat_id: route.target_chat_id || source.chatId,
    ...(staysThere && source.connection !== '' ? { target_connection: source.connection } : {}),
  };
}
