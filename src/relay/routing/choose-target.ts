/*
 * Chooses the bot for a message that no rule took. The model chooses; the offline ranking does if
 * there is no model, its monthly limit is reached, or it failed.
 */
import { isoMonth } from '../../core/iso-time.ts';
import { type Reason, reason, reasonText, verbatim } from '../../core/reasons/reason.ts';
import type { Clock } from '../../clock.ts';
import type { RelayMetrics } from '../../core/stats/relay-metrics.ts';
import { isFromSource } from '../../core/routing/route-matcher.ts';
import { rankOffline } from '../../core/routing/offline-ranking.ts';
import {
  type Candidate,
  chooseByModel,
  ModelFailure,
  type ModelSettings,
  promptVersion,
} from '../../llm/choose.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { ModelQuestionRepository, ModelUsage } from '../../store/routing/model-questions.ts';
import type { RouteRecord } from '../../store/routing/routes.ts';
import type { Dispatcher } from 'undici';

export interface RouterModel extends ModelSettings {
  enabled: boolean;
  /** 0 means no limit. */
  monthlyCalls: number;
  monthlyTokens: number;
  /** The lead that the best of the offline ranking needs. */
  offlineThreshold: number;
}

export interface ChooseDeps {
  clock: Clock;
  bots: { list(): Promise<BotRecord[]>; get(id: number): Promise<BotRecord | undefined> };
  routesFrom(botId: number): Promise<RouteRecord[]>;
  questions: ModelQuestionRepository;
  /** Returns the present settings of the model. */
  model(): Promise<RouterModel>;
  /** A guarded dispatcher, because users enter the address. */
  dispatcher: Dispatcher;
  metrics?: Pick<RelayMetrics, 'modelAnswered' | 'modelFailed'>;
}

/** The destination of a chosen bot's message. */
export type ChosenRoute = Pick<
  RouteRecord,
  'id' | 'target_bot_id' | 'target_chat_id' | 'target_thread_id' | 'action'
>;

type CandidateRoute = ChosenRoute & Pick<RouteRecord, 'condition_value'>;

export interface Choice {
  route: ChosenRoute | null;
  reason: Reason;
  /** The part of the choice that is stored. */
  record: ChoiceRecord;
  usage: ModelUsage | null;
}

export interface ChoiceRecord {
  by: 'model' | 'offline';
  model: string;
  prompt_version: string;
  candidates: number[];
  target_bot_id: number | null;
  confidence: number;
  reason: string;
  /** Missing in records of older versions. */
  reason_detail?: Reason | null;
  latency_ms: number;
  input_tokens: number;
  output_tokens: number;
  /** The reason why the model's choice was not taken. */
  failure: string;
  failure_detail?: Reason | null;
}

/** A call counts even if it failed. */
export const failedCall: ModelUsage = { calls: 1, inputTokens: 0, outputTokens: 0 };

/** Throws ModelFailure only if `mayFail`, so that the caller can ask again later. */
export async function chooseTarget(
  deps: ChooseDeps,
  source: BotRecord,
  message: { text: string; chatId: number; threadId?: number | undefined },
  options: {
    mayFail: boolean;
    /** The reason why the model must not be asked. */
    obstacle?: Reason;
    timeoutMs?: number;
    signal?: AbortSignal;
  },
): Promise<Choice> {
  const { text } = message;
  const routes = await candidateRoutes(deps, source, message);
  const candidates = await describe(deps, routes);
  const settings = await deps.model();
  const obstacle =
    candidates.length === 0
      ? reason('no_candidates')
      : ((await obstacleOf(deps, settings)) ?? options.obstacle ?? null);
  if (obstacle === null) {
    try {
      return await byModel(deps, settings, routes, candidates, text, options);
    } catch (error) {
      if (!(error instanceof ModelFailure) || (options.mayFail && error.retryable)) throw error;
      return {
        ...offline(settings, routes, candidates, text, error.why),
        usage: failedCall,
      };
    }
  }
  return offline(settings, routes, candidates, text, settings.enabled ? obstacle : null);
}

async function byModel(
  deps: ChooseDeps,
  settings: RouterModel,
  routes: readonly ChosenRoute[],
  candidates: readonly Candidate[],
  text: string,
  options: { timeoutMs?: number; signal?: AbortSignal },
): Promise<Choice> {
  const { clock, metrics } = deps;
  const askedAt = clock.monotonic();
  const answer = await chooseByModel(
    { ...settings, timeoutMs: Math.min(settings.timeoutMs, options.timeoutMs ?? Infinity) },
    candidates,
    text,
    {
      dispatcher: deps.dispatcher,
      clock,
      ...(options.signal ? { signal: options.signal } : {}),
    },
  ).catch((error: unknown) => {
    if (error instanceof ModelFailure) metrics?.modelFailed(clock.monotonic() - askedAt);
    throw error;
  });
  metrics?.modelAnswered(answer.latencyMs, {
    input: answer.inputTokens,
    output: answer.outputTokens,
  });
  const given = answer.reason === '' ? null : verbatim(answer.reason);
  return {
    route: routes.find((route) => route.target_bot_id === answer.botId) ?? null,
    reason: given ?? reason('model_gave_no_reason'),
    usage: { calls: 1, inputTokens: answer.inputTokens, outputTokens: answer.outputTokens },
    record: {
      by: 'model',
      model: settings.model,
      prompt_version: settings.systemPrompt === '' ? promptVersion : 'custom',
      candidates: candidates.map((candidate) => candidate.botId),
      target_bot_id: answer.botId,
      confidence: answer.confidence,
      reason: answer.reason,
      reason_detail: given,
      latency_ms: answer.latencyMs,
      input_tokens: answer.inputTokens,
      output_tokens: answer.outputTokens,
      failure: '',
      failure_detail: null,
    },
  };
}

function offline(
  settings: RouterModel,
  routes: readonly ChosenRoute[],
  candidates: readonly Candidate[],
  text: string,
  failure: Reason | null,
): Choice {
  const choice = rankOffline(candidates, text, settings.offlineThreshold);
  const words = choice.because.filter((term) => !term.endsWith('*')).join(', ');
  const why =
    choice.botId === null ? reason('no_description_fits') : reason('description_fits', { words });
  return {
    route: routes.find((route) => route.target_bot_id === choice.botId) ?? null,
    reason: why,
    usage: null,
    record: {
      by: 'offline',
      model: 'bm25',
      prompt_version: '',
      candidates: candidates.map((candidate) => candidate.botId),
      target_bot_id: choice.botId,
      confidence: choice.confidence,
      reason: reasonText(why),
      reason_detail: why,
      latency_ms: 0,
      input_tokens: 0,
      output_tokens: 0,
      failure: failure === null ? '' : reasonText(failure),
      failure_detail: failure,
    },
  };
}

async function obstacleOf(deps: ChooseDeps, settings: RouterModel): Promise<Reason | null> {
  if (!settings.enabled || settings.apiUrl === '') return reason('no_model');
  const used = await deps.questions.usage(isoMonth(deps.clock.now()));
  if (settings.monthlyCalls > 0 && used.calls >= settings.monthlyCalls) {
    return reason('calls_used_up');
  }
  const tokens = used.inputTokens + used.outputTokens;
  return settings.monthlyTokens > 0 && tokens >= settings.monthlyTokens
    ? reason('tokens_used_up')
    : null;
}

/** Returns the bot's own `llm` routes; without any, every other bot that has a description. */
async function candidateRoutes(
  deps: ChooseDeps,
  source: BotRecord,
  message: { chatId: number; threadId?: number | undefined },
): Promise<CandidateRoute[]> {
  const own = (await deps.routesFrom(source.id)).filter(
    (route) => route.enabled && route.condition_type === 'llm',
  );
  if (own.length > 0) {
    return own.filter((route) => isFromSource(route, message));
  }
  const bots = await deps.bots.list();
  return bots
    .filter((bot) => bot.id !== source.id && !bot.disabled && bot.description !== '')
    .map(({ id }) => ({
      id: 0,
      target_bot_id: id,
      target_chat_id: 0,
      target_thread_id: 0,
      action: 'copy',
      condition_value: '',
    }));
}

/** Describes the bots that the routes lead to, with the examples that the routes give for them. */
async function describe(deps: ChooseDeps, routes: readonly CandidateRoute[]): Promise<Candidate[]> {
  const candidates = new Map<number, Candidate>();
  for (const { target_bot_id, condition_value } of routes) {
    const bot = await deps.bots.get(target_bot_id);
    if (!bot || bot.disabled) continue;
    const known = candidates.get(bot.id)?.examples ?? [];
    const { id, name, description } = bot;
    const examples = [...known, ...examplesOf(condition_value)];
    candidates.set(id, { botId: id, name, description, examples });
  }
  return [...candidates.values()];
}

function examplesOf(conditionValue: string): string[] {
  return conditionValue
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
