import { isoMonth } from '../../core/iso-time.ts';
import { type Reason, reason, reasonText } from '../../core/reasons/reason.ts';
import { compileRoutes, isFromSource, type RouteMatch } from '../../core/routing/route-matcher.ts';
import type { PatternTimes } from '../../core/search/pattern-time.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { RouteRecord } from '../../store/routing/routes.ts';
import { predictObstacles, type PredictDeps } from './predict-obstacles.ts';
import { matchReason, targetTopic, undecidedReason } from './routing-decision.ts';
import { type Choice, type ChooseDeps, type ChosenRoute, chooseTarget } from './choose-target.ts';

export interface SimulatedMessage {
  text: string;
  chatId: number;
  threadId?: number | undefined;
  userId: number;
  mediaType: string | null;
}

export interface SimulatedRule {
  route_id: number;
  /** True also if the route is chosen by meaning. */
  matched: boolean;
  /** True if the route would act: a match after a drop does not. */
  acts: boolean;
  action: string;
  target_bot_id: number;
  target_chat_id: number;
  target_thread_id?: number;
  reason: string;
  reason_detail: Reason | null;
  /**
   * The reason why the message may not arrive; '' if none is known, or if the route does not act.
   */
  warning: string;
  warning_detail: Reason | null;
}

export interface Simulation {
  outcome: 'routed' | 'dropped' | 'none';
  /** The first bot that would get the message; 0 if none would. */
  target_bot_id: number;
  reason: string;
  reason_detail: Reason | null;
  /** The first of its routes' warnings, or that of the model's choice. */
  warning: string;
  warning_detail: Reason | null;
  rules: SimulatedRule[];
  model: Choice['record'] | null;
}

const modelTimeoutMs = 10_000;

/**
 * Returns what would be done with a message, and why. Nothing is sent; only a call to the model
 * counts, so a caller who may not spend such calls learns what would be chosen without it.
 */
export async function simulate(
  deps: ChooseDeps & Pick<PredictDeps, 'knowsChat' | 'isTopicGone'> & { patterns: PatternTimes },
  bot: BotRecord,
  message: SimulatedMessage,
  { mayAskModel, signal }: { mayAskModel: boolean; signal: AbortSignal },
): Promise<Simulation> {
  const routes = await deps.routesFrom(bot.id);
  const matcher = compileRoutes(routes, bot.username);
  const { asked: time, slices } = deps.patterns;
  await matcher.prepare(slices, (ms) => time.take(bot.id, ms));
  await time.room(bot.id);
  const { acting, behind, undecided } = matcher.match(message, time.matching(bot.id));
  const isCompared = acting.length === 0 && bot.llm_routing_enabled && message.text !== '';
  const choice = isCompared
    ? await chooseTarget(deps, bot, message, {
        mayFail: false,
        ...(mayAskModel ? {} : { obstacle: reason('asking_needs_scope') }),
        timeoutMs: modelTimeoutMs,
        signal,
      })
    : null;
  if (choice?.usage) await deps.questions.count(isoMonth(deps.clock.now()), choice.usage);
  const warningOf = async (route: ChosenRoute) =>
    route.action === 'drop' ? null : predictObstacles(deps, bot.id, route, message.chatId);
  const asked = routes.map(async (route): Promise<SimulatedRule> => {
    const ofRoute = (candidate: RouteMatch<RouteRecord>) => candidate.route.id === route.id;
    const match = acting.find(ofRoute);
    // A route after a drop is shown as a match that does not act.
    const own = match ?? behind.find(ofRoute);
    const open = undecided.find(ofRoute);
    const isChosen = choice?.route?.id === route.id;
    const acts = match !== undefined || isChosen;
    return {
      route_id: route.id,
      matched: own !== undefined || isChosen,
      acts,
      action: route.action,
      target_bot_id: route.target_bot_id,
      target_chat_id: route.target_chat_id || message.chatId,
      ...targetTopic(route, message),
      ...matchReason(
        own
          ? ruleReason(own.reason, acts)
          : (open?.reason ?? otherReason(bot, message, route, choice)),
      ),
      ...warned(acts ? await warningOf(route) : null),
    };
  });
  const rules = await Promise.all(asked);
  if (choice) {
    const { route } = choice;
    const isSent = route !== null && route.action !== 'drop';
    return {
      outcome: isSent ? 'routed' : route ? 'dropped' : 'none',
      target_bot_id: isSent ? route.target_bot_id : 0,
      ...matchReason(choice.reason),
      ...warned(route && (await warningOf(route))),
      rules,
      model: choice.record,
    };
  }
  if (acting.length === 0) {
    const none = { outcome: 'none' as const, target_bot_id: 0, ...warned(null) };
    const why = undecided.length > 0 ? undecidedReason(undecided) : reason('no_rule_matched');
    return { ...none, ...matchReason(why), rules, model: null };
  }
  const first = rules.find((rule) => rule.acts && rule.action !== 'drop');
  const matched = [...acting, ...undecided].map(({ route, reason: why }) => ({
    route_id: route.id,
    reason: why,
  }));
  return {
    outcome: first ? 'routed' : 'dropped',
    target_bot_id: first?.target_bot_id ?? 0,
    ...matchReason(reason('matched_routes', { routes: matched })),
    ...firstWarning(rules),
    rules,
    model: null,
  };
}

function ruleReason(why: Reason, acts: boolean): Reason {
  return acts ? why : reason('behind_a_drop', { reason: why });
}

/**
 * Explains a route whose own condition does not match: it is disabled, or chosen by meaning or not.
 */
function otherReason(
  bot: BotRecord,
  message: SimulatedMessage,
  route: RouteRecord,
  choice: Choice | null,
): Reason {
  const { target_bot_id } = route;
  if (!route.enabled) return reason('route_disabled');
  if (route.condition_type !== 'llm') return reason('no_match');
  if (!bot.llm_routing_enabled) return reason('route_without_model');
  if (message.text === '' || !isFromSource(route, message)) return reason('no_match');
  if (!choice) return reason('meaning_skipped');
  if (!choice.record.candidates.includes(target_bot_id)) return reason('route_target_disabled');
  return reason(choice.route?.id === route.id ? 'chosen_by_meaning' : 'not_chosen_by_meaning');
}

function warned(why: Reason | null): Pick<SimulatedRule, 'warning' | 'warning_detail'> {
  return { warning: why === null ? '' : reasonText(why), warning_detail: why };
}

export function firstWarning(rules: readonly SimulatedRule[]) {
  return warned(rules.find((rule) => rule.warning_detail !== null)?.warning_detail ?? null);
}
