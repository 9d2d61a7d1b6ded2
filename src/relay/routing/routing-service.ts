/* Shows routing to users and lets them try it: decisions, the graph of all routes, simulations. */
import type { Clock } from '../../clock.ts';
import {
  type Caller,
  callersBot,
  hasScope,
  maySeeBot,
  requireBot,
} from '../../core/access/access.ts';
import { isoTime } from '../../core/iso-time.ts';
import { gistOfUpdate } from '../../core/log/update-gist.ts';
import { reasonFrom, reasonText } from '../../core/reasons/reason.ts';
import { findProblems } from '../../core/routing/route-graph.ts';
import type { OutboxRecord } from '../../store/outbox/outbox-record.ts';
import type { Decision, DecisionFilter } from '../../store/routing/decisions.ts';
import type { RouteRecord } from '../../store/routing/routes.ts';
import type { Store } from '../../store/store.ts';
import type { ChoiceRecord, ChooseDeps } from './choose-target.ts';
import { findDecisions } from './find-decisions.ts';
import { hideInMatch, hideInModel, hideInReason, hideInSimulation } from './hide-other-bots.ts';
import { isNotSent, type MatchRecord } from './routing-decision.ts';
import { type SimulatedMessage, simulate } from './simulate.ts';

export type RoutingService = ReturnType<typeof createRoutingService>;
export type DecisionView = Awaited<ReturnType<RoutingService['decisionsAt']>>[number];

export interface RoutingServiceDeps {
  store: Pick<
    Store,
    'bots' | 'chats' | 'desks' | 'messageTraces' | 'outbox' | 'patterns' | 'routing' | 'topics'
  >;
  /** Lists the routes that the caller may see. */
  routes: { list(caller: Caller, botId: undefined): Promise<RouteRecord[]> };
  choose: ChooseDeps;
  clock: Clock;
}

const dayMs = 86_400_000;
const textLength = 200;

export function createRoutingService({ store, routes, choose, clock }: RoutingServiceDeps) {
  const knowsChat = async (botId: number, chatId: number) =>
    (await store.chats.get(botId, chatId)) !== undefined;

  return {
    /** The model is asked only for a caller who may use up its tokens. */
    async simulate(caller: Caller, botId: number, message: SimulatedMessage, signal: AbortSignal) {
      const bot = await callersBot(store.bots, caller, botId);
      const mayAskModel = hasScope(caller, 'manage');
      const { isGone: isTopicGone } = store.topics;
      const deps = { ...choose, knowsChat, isTopicGone, patterns: store.patterns };
      return hideInSimulation(caller, await simulate(deps, bot, message, { mayAskModel, signal }));
    },

    /**
     * Lists decisions, newest first, with the person and the text. A search that ended early says
     * where to continue, and how far back it came.
     */
    async decisions(
      caller: Caller,
      { botId, q, ...filter }: Omit<DecisionFilter, 'botIds'> & { botId?: number; q?: string },
    ) {
      if (botId !== undefined) requireBot(caller, botId);
      const botIds = botId === undefined ? caller.botIds : [botId];
      const { found, stoppedAt } = await findDecisions(store, clock, { ...filter, botIds }, q);
      const views = await decisionViews(
        caller,
        found.map(({ decision }) => decision),
      );
      const decisions = views.map((view, index) => {
        const entry = found[index]?.entry;
        const { person = '', text = '' } = entry ? gistOfUpdate(entry) : {};
        return { ...view, person, text: text.slice(0, textLength).toWellFormed() };
      });
      return { decisions, stoppedAt };
    },

    /** Returns the decisions on the updates at these positions; the caller may see the bot. */
    decisionsAt: async (caller: Caller, botId: number, positions: readonly number[]) =>
      decisionViews(caller, await store.routing.decisions.at(botId, positions)),

    /** Returns bots and routes, with the traffic of the last day. */
    async graph(caller: Caller) {
      const [bots, list, traffic] = await Promise.all([
        store.bots.list(caller.botIds),
        routes.list(caller, undefined),
        store.routing.traffic(clock.now() - dayMs),
      ]);
      const idsOf = (some: typeof bots) => new Set(some.map((bot) => bot.id));
      return {
        bots: bots.map(({ id, name, disabled, llm_routing_enabled, description }) => ({
          id,
          name,
          disabled,
          llm_routing_enabled,
          has_description: description !== '',
        })),
        routes: list
          .filter((route) => maySeeBot(caller, route.source_bot_id))
          .map(({ id, source_bot_id, target_bot_id, condition_type, action, enabled }) => ({
            id,
            source_bot_id,
            target_bot_id,
            condition_type,
            action,
            enabled,
            messages_last_day: traffic.get(id) ?? 0,
          })),
        problems: findProblems(list, {
          disabled: idsOf(bots.filter((bot) => bot.disabled)),
          withoutModel: idsOf(bots.filter((bot) => !bot.llm_routing_enabled)),
        }),
      };
    },
  };

  async function decisionViews(caller: Caller, decisions: readonly Decision[]) {
    const matched = decisions.map((decision) => JSON.parse(decision.matched) as MatchRecord[]);
    const sends = await store.outbox.byKeys(matched.flat().flatMap((match) => match.intents));
    const isSent = (key: string) => sends.has(key);
    const waiting = await store.desks.waitingAmong(
      matched.flat().flatMap(({ action, intents }) => {
        return action !== 'desk' || intents.some(isSent) ? [] : intents;
      }),
    );
    const models = decisions.map(({ model }) =>
      model === '' ? null : (JSON.parse(model) as ChoiceRecord),
    );
    return decisions.map((decision, index) => ({
      id: decision.id,
      bot_id: decision.botId,
      position: decision.position,
      update_id: decision.updateId,
      business_connection_id: decision.connection,
      chat_id: decision.chatId,
      user_id: decision.userId,
      message_id: decision.messageId,
      outcome: decision.outcome,
      delivery: deliveryOf(matched[index] ?? [], sends, waiting),
      ...hideInReason(
        caller,
        { reason: decision.reason, reason_detail: decision.reasonDetail },
        models[index] ?? null,
      ),
      asked: decision.asked,
      matched: (matched[index] ?? []).map(
        ({ intents, target_connection: _connection, ...match }) => ({
          ...hideInMatch(caller, match, models[index] ?? null),
          ...resultOf(match),
          waits_for_desk: intents.some((key) => waiting.has(key)),
          sends: intents
            .map((key) => sends.get(key))
            .filter((send) => send !== undefined)
            .map(sendView),
        }),
      ),
      model: hideInModel(caller, models[index] ?? null),
      created_at: isoTime(decision.createdAt),
    }));
  }
}

function deliveryOf(
  matched: readonly MatchRecord[],
  sends: ReadonlyMap<string, OutboxRecord>,
  waiting: ReadonlySet<string>,
): '' | 'pending' | 'sent' | 'failed' | 'unknown' {
  const states = new Set(
    matched.flatMap(({ intents }) =>
      intents.map((key) => (waiting.has(key) ? 'queued' : sends.get(key)?.state)),
    ),
  );
  if (matched.some(isNotSent) || states.has('failed')) return 'failed';
  if (states.has('unknown')) return 'unknown';
  if (states.has('queued') || states.has('sending')) return 'pending';
  return states.has('sent') ? 'sent' : '';
}

function sendView({ id, state, method, messageId, error, errorDetail, updatedAt }: OutboxRecord) {
  return {
    id,
    state,
    method,
    message_id: messageId ?? 0,
    error,
    error_detail: errorDetail,
    updated_at: isoTime(updatedAt),
  };
}

function resultOf({ result }: Pick<MatchRecord, 'result'>) {
  const why = reasonFrom({ code: result, text: result });
  return { result: reasonText(why), result_detail: why };
}
