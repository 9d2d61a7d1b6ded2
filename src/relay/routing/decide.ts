/*
 * Decides what to do with one message that a bot received: take the return path, follow the rules,
 * or ask the model. It only decides; the router commits the decision and the sends together.
 */
import { type Reason, reason } from '../../core/reasons/reason.ts';
import type { RouteMatch } from '../../core/routing/route-matcher.ts';
import type { OutboxIntent } from '../../store/outbox/outbox.ts';
import type { RouteRecord } from '../../store/routing/routes.ts';
import { buildRoutedSends } from './build-routed-send.ts';
import { alsoForDesk } from '../desks/to-topic.ts';
import { decideInStrayTopic } from '../desks/stray-topics.ts';
import { decideInTopic } from '../desks/to-customer.ts';
import { generalTopic } from '../../core/messages/topics.ts';
import { ownMessageReason } from './is-own-message.ts';
import { returned, returnPath } from './return-path.ts';
import { routeAuthor } from './route-author.ts';
import {
  type DecideDeps,
  type RoutableItem,
  keysOf,
  matchReason,
  type MatchRecord,
  type NotSent,
  targetTopic,
  type RoutingDecision,
  type Rules,
  decisionWithoutSends,
  undecidedReason,
} from './routing-decision.ts';

/** Undefined if it cannot be decided yet, because a send that matters is still in flight. */
export async function decide(
  deps: DecideDeps,
  rules: Rules,
  item: RoutableItem,
): Promise<RoutingDecision | undefined> {
  const decision = await byRoutes(deps, rules, item);
  return decision && alsoForDesk(deps, rules.desks.desk, item, decision);
}

async function byRoutes(
  deps: DecideDeps,
  { matcher, answersLatest, desks }: Rules,
  item: RoutableItem,
): Promise<RoutingDecision | undefined> {
  const own = await ownMessageReason(deps, item.source);
  if (own === 'unsettled') return undefined;
  if (own) return decisionWithoutSends('own', own.because);
  const back = await returnPath(deps, item, answersLatest);
  if (back === 'unsettled') return undefined;
  if (back.length > 0) return returned(deps, back, item);
  const topic = await topicOf(deps, desks, item);
  if (topic) return decideInTopic(deps, topic, item);
  const stray = await decideInStrayTopic(deps, desks, item);
  if (stray) return stray;
  const botId = item.bot.id;
  const waiting = deps.patterns.room(botId);
  if (waiting) await waiting;
  const { acting, undecided } = matcher.match(
    { ...item, chatId: item.source.chatId },
    deps.patterns.matching(botId),
  );
  for (const { route } of undecided) deps.patterns.undecided(botId, { routeId: route.id });
  if (acting.length > 0) return applyRules(deps, acting, undecided, item);
  const asksModel = item.bot.llm_routing_enabled && item.text !== '';
  const why =
    undecided.length > 0
      ? undecidedReason(undecided)
      : reason(asksModel ? 'model_chooses' : 'no_rule_matched');
  return decisionWithoutSends(asksModel ? 'asking' : 'none', why);
}

/** Returns the topic of a customer in which the message is. */
export async function topicOf(
  { desks }: Pick<DecideDeps, 'desks'>,
  { forums }: Rules['desks'],
  { source, threadId = generalTopic }: RoutableItem,
) {
  const forum = forums.find(({ chatId }) => chatId === source.chatId);
  return forum && threadId > generalTopic ? desks.topicAt(forum.deskId, threadId) : undefined;
}

async function applyRules(
  deps: DecideDeps,
  matches: readonly RouteMatch<RouteRecord>[],
  undecided: readonly RouteMatch<RouteRecord>[],
  item: RoutableItem,
): Promise<RoutingDecision> {
  const matched: MatchRecord[] = [];
  const intents: OutboxIntent[] = [];
  for (const { route, reason: why } of matches) {
    if (route.action === 'drop') {
      matched.push({ ...matchOf(route, item, why), result: 'dropped', intents: [] });
      continue;
    }
    const made = await sendsOf(deps, route, item, why, `route:${route.id}`);
    intents.push(...made.intents);
    matched.push(made.match);
  }
  const outcome = matched.every((match) => match.result === 'dropped') ? 'dropped' : 'routed';
  const routes = [...matches, ...undecided].map(({ route, reason: why }) => ({
    route_id: route.id,
    reason: why,
  }));
  return { outcome, reason: reason('matched_routes', { routes }), matched, intents };
}

type Rule = Pick<
  RouteRecord,
  'id' | 'target_bot_id' | 'target_chat_id' | 'target_thread_id' | 'action'
> &
  Partial<Pick<RouteRecord, 'description'>>;

/** Returns the sends of one route, or the reason why there are none. */
export async function sendsOf(
  deps: Pick<DecideDeps, 'bots'>,
  route: Rule,
  item: RoutableItem,
  why: Reason,
  keyPrefix: string,
): Promise<{ match: MatchRecord; intents: OutboxIntent[] }> {
  const match = matchOf(route, item, why);
  const none = (result: NotSent) => ({ match: { ...match, result, intents: [] }, intents: [] });
  const target = await deps.bots.get(route.target_bot_id);
  if (!target) return none('not_sent_gone');
  if (target.disabled) return none('not_sent_disabled');
  const intents = buildRoutedSends(
    item.source,
    {
      botId: target.id,
      connection: match.target_connection ?? '',
      chatId: match.target_chat_id,
      threadId: match.target_thread_id ?? 0,
      routeId: route.id,
      style: route.action === 'forward' ? 'forward' : 'copy',
      hops: 1,
      author: routeAuthor(route, item.source.messages[0]?.wire),
    },
    `${keyPrefix}:${item.bot.id}:${item.position}`,
  );
  if (!intents) return none('not_sent_kind');
  return { match: { ...match, result: 'queued', intents: keysOf(intents) }, intents };
}

/** Says where a route takes a message; only its own bot can reach a chat of a business account. */
function matchOf(route: Rule, { bot, source, threadId }: RoutableItem, why: Reason) {
  const staysThere = route.target_chat_id === 0 && route.target_bot_id === bot.id;
  return {
    route_id: route.id,
    action: route.action,
    ...matchReason(why),
    target_bot_id: route.target_bot_id,
    target_chat_id: route.target_chat_id || source.chatId,
    ...targetTopic(route, { chatId: source.chatId, threadId }),
    ...(staysThere && source.connection !== '' ? { target_connection: source.connection } : {}),
  };
}
