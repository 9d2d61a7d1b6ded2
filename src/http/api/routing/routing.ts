import { reason, reasonFrom, reasonText } from '../../../core/reasons/reason.ts';
import {
  type Caller,
  hasScope,
  maySeeBot,
  requireBot,
  requireEveryBot,
} from '../../../core/access/access.ts';
import { findProblems } from '../../../core/routing/route-graph.ts';
import type { Clock } from '../../../clock.ts';
import { RelayError } from '../../../errors.ts';
import { stateOf } from '../../../manage/access/audit-subjects.ts';
import type { LlmConfigService } from '../../../manage/routing/llm-config.ts';
import type { RouteService } from '../../../manage/routing/routes.ts';
import type { ChoiceRecord, ChooseDeps } from '../../../relay/routing/choose-target.ts';
import { isNotSent, type MatchRecord } from '../../../relay/routing/routing-decision.ts';
import { simulate } from '../../../relay/routing/simulate.ts';
import type { Decision as StoredDecision } from '../../../store/routing/decisions.ts';
import type { OutboxRecord } from '../../../store/outbox/outbox.ts';
import type { Store } from '../../../store/store.ts';
import { type Endpoint, endpoint } from '../../endpoint.ts';
import {
  hideInMatch,
  hideInModel,
  hideInReason,
  hideInSimulation,
} from '../access/hide-other-bots.ts';
import {
  Decision,
  DecisionsQuery,
  LlmConfig,
  RouteGraph,
  SimulateBody,
  Simulation,
  UpdateLlmConfigBody,
} from './routing-schema.ts';
import { type Static, Type } from 'typebox';

interface RoutingApi {
  store: Store;
  clock: Clock;
  routes: RouteService;
  llmConfig: LlmConfigService;
  choose: ChooseDeps;
}

const dayMs = 86_400_000;

export function routingEndpoints({
  store,
  clock,
  routes,
  llmConfig,
  choose,
}: RoutingApi): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/api/routes/simulate',
      audit: 'none',
      scope: 'read',
      tag: 'Routes',
      summary: 'Try a message',
      description:
        'Which rule would take a message, and why. Nothing is sent; where the model would choose, it is asked once for whoever has the scope `manage`, and the offline ranking answers others.',
      body: SimulateBody,
      response: Simulation,
      errors: ['bot_not_found', 'bot_not_allowed'],
      async handler({ caller, body, signal }) {
        requireBot(caller, body.bot_id);
        const bot = await store.bots.get(body.bot_id);
        if (!bot)
          throw new RelayError('bot_not_found', reason('no_such_bot', { bot_id: body.bot_id }));
        const message = {
          text: body.text,
          chatId: body.chat_id ?? body.user_id ?? 0,
          userId: body.user_id ?? 0,
          mediaType: body.media_type || null,
        };
        const knowsChat = async (botId: number, chatId: number) =>
          (await store.chats.get(botId, chatId)) !== undefined;
        const simulation = await simulate({ ...choose, knowsChat }, bot, message, {
          mayAskModel: hasScope(caller, 'manage'),
          signal,
        });
        return hideInSimulation(caller, simulation);
      },
    }),
    endpoint({
      method: 'GET',
      path: '/api/routes/decisions',
      scope: 'read',
      tag: 'Routes',
      summary: 'Why was this routed',
      description: 'Every decision, newest first, with what became of what was sent.',
      query: DecisionsQuery,
      response: Type.Array(Decision),
      errors: ['bot_not_allowed'],
      async handler({ caller, query }) {
        if (query.bot_id !== undefined) requireBot(caller, query.bot_id);
        const decisions = await store.routing.decisions.list({
          botIds: query.bot_id === undefined ? caller.botIds : [query.bot_id],
          limit: query.limit ?? 50,
          ...(query.chat_id === undefined ? {} : { chatId: query.chat_id }),
          ...(query.outcome === undefined ? {} : { outcome: query.outcome }),
          ...(query.failed ? { failed: true } : {}),
          ...(query.before_id === undefined ? {} : { beforeId: query.before_id }),
        });
        return showDecisions(store, caller, decisions);
      },
    }),
    endpoint({
      method: 'GET',
      path: '/api/routes/graph',
      scope: 'read',
      tag: 'Routes',
      summary: 'The picture of all routes',
      description: 'Bots, routes with the traffic of the last day, loops and unreachable routes.',
      response: RouteGraph,
      async handler({ caller }) {
        const [bots, list, traffic] = await Promise.all([
          store.bots.list(caller.botIds),
          routes.list(caller, undefined),
          store.routing.traffic(clock.now() - dayMs),
        ]);
        const idsOf = (list: typeof bots) => new Set(list.map((bot) => bot.id));
        const problems = findProblems(list, {
          disabled: idsOf(bots.filter((bot) => bot.disabled)),
          withoutModel: idsOf(bots.filter((bot) => !bot.llm_routing_enabled)),
        });
        return {
          bots: bots.map(({ id, name, disabled: off, llm_routing_enabled, description }) => ({
            id,
            name,
            disabled: off,
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
          problems,
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/api/llm-config',
      scope: 'admin',
      tag: 'Language model',
      summary: 'How the language model is asked',
      description: 'For all bots: a key limited to some may not see it.',
      response: LlmConfig,
      errors: ['bot_not_allowed'],
      async handler({ caller }) {
        requireEveryBot(caller);
        return llmConfig.show();
      },
    }),
    endpoint({
      method: 'POST',
      path: '/api/llm-config',
      audit: { before: stateOf.llmConfig },
      scope: 'admin',
      tag: 'Language model',
      summary: 'Change how the language model is asked',
      description:
        'A field left out keeps its value. It holds for all bots: a key limited to some may not change it.',
      body: UpdateLlmConfigBody,
      response: LlmConfig,
      errors: ['bot_not_allowed'],
      async handler({ caller, body }) {
        requireEveryBot(caller);
        return llmConfig.update(body);
      },
    }),
  ];
}

async function showDecisions(store: Store, caller: Caller, decisions: readonly StoredDecision[]) {
  const matched = decisions.map((decision) => JSON.parse(decision.matched) as MatchRecord[]);
  const sends = await store.outbox.byKeys(matched.flat().flatMap((match) => match.intents));
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
    delivery: deliveryOf(matched[index] ?? [], sends),
    ...hideInReason(
      caller,
      { reason: decision.reason, reason_detail: decision.reasonDetail },
      models[index] ?? null,
    ),
    asked: decision.asked,
    matched: (matched[index] ?? []).map(
      ({ intents, target_connection: _connection, ...match }) => ({
        ...hideInMatch(caller, match),
        ...resultOf(match),
        sends: intents
          .map((key) => sends.get(key))
          .filter((send) => send !== undefined)
          .map(showSend),
      }),
    ),
    model: hideInModel(caller, models[index] ?? null),
    created_at: new Date(decision.createdAt).toISOString(),
  }));
}

function deliveryOf(
  matched: readonly MatchRecord[],
  sends: ReadonlyMap<string, OutboxRecord>,
): Static<typeof Decision>['delivery'] {
  const states = new Set(
    matched.flatMap(({ intents }) => intents.map((key) => sends.get(key)?.state)),
  );
  if (matched.some(isNotSent)) return 'failed';
  if (states.has('failed')) return 'failed';
  if (states.has('unknown')) return 'unknown';
  if (states.has('queued') || states.has('sending')) return 'pending';
  return states.has('sent') ? 'sent' : '';
}

function showSend({ state, method, messageId, error, errorDetail }: OutboxRecord) {
  return { state, method, message_id: messageId ?? 0, error, error_detail: errorDetail };
}

function resultOf({ result }: Pick<MatchRecord, 'result'>) {
  const why = reasonFrom({ code: result, text: result });
  return { result: reasonText(why), result_detail: why };
}
