/*
 * Answers the questions that the routers left for the model, apart from routing, so that nothing
 * else waits for the model. One commit holds the choice, its sends and the end of the question.
 */
import { isoMonth } from '../../core/iso-time.ts';
import { reason } from '../../core/reasons/reason.ts';
import { backoffMs } from '../../core/backoff.ts';
import type { RelayMetrics } from '../../core/stats/relay-metrics.ts';
import { ModelFailure } from '../../llm/choose.ts';
import { settleAlbumPart, settleDecision } from '../../store/routing/decisions.ts';
import type { Engine, Step } from '../../store/engine.ts';
import {
  addUsage,
  closeQuestion,
  type ModelQuestion,
} from '../../store/routing/model-questions.ts';
import { dropTurn } from '../../store/messages/conversation-turns.ts';
import { enqueueIntent } from '../../store/outbox/outbox.ts';
import type {
  ChangedConversation,
  ConversationOfBot,
} from '../../store/conversations/topic-states.ts';
import { openRoutingReader } from '../../store/routing/routing.ts';
import { type AlbumDeps, albumPartsOf } from './album-parts.ts';
import { type Choice, type ChooseDeps, chooseTarget, failedCall } from './choose-target.ts';
import { sendsOf } from './decide.ts';
import { asMatchOfPart, itemOf, type Part } from './plan-decisions.ts';
import { messageAt } from './message-at.ts';
import { type RoutingDecision, decisionWithoutSends } from './routing-decision.ts';

export interface ModelWorkerDeps extends ChooseDeps, AlbumDeps {
  engine: Engine;
  random: () => number;
  /** Only the node that runs a bot answers its questions. */
  owns(botId: number): boolean;
  onQueued(botIds: ReadonlySet<number>): void;
  /** Who waits in a conversation changed. */
  onChatState?(conversation: ChangedConversation): void;
  onError(error: unknown): void;
  metrics?: Pick<RelayMetrics, 'decided' | 'modelAnswered' | 'modelFailed'>;
}

export interface ModelWorker {
  start(): void;
  wake(): void;
  stop(): Promise<void>;
}

const atOnce = 4;
const attemptsBeforeFallback = 4;
const lookAgainMs = 5_000;
const maxDelayMs = 30_000;

export function createModelWorker(deps: ModelWorkerDeps): ModelWorker {
  const { clock, engine } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = new Map<string, Promise<void>>();
  let wake = () => {};
  let looping = Promise.resolve();

  async function loop(): Promise<void> {
    while (!signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      let nextMs = Infinity;
      try {
        nextMs = await dispatch();
      } catch (error) {
        if (!signal.aborted) deps.onError(error);
      }
      const waitMs = Math.min(lookAgainMs, nextMs);
      const timer = new AbortController();
      const either = AbortSignal.any([signal, timer.signal]);
      await Promise.race([woken, clock.sleep(waitMs, either).catch(() => {})]);
      timer.abort();
    }
  }

  /**
   * Asks the questions that are due; returns how long the next one has to wait. An answer wakes the
   * loop earlier.
   */
  async function dispatch(): Promise<number> {
    // Questions of bots that this node does not run must not block the others.
    const botIds = (await deps.questions.bots()).filter(deps.owns);
    for (const question of await deps.questions.next(botIds, atOnce + running.size)) {
      const key = `${question.botId}:${question.position}`;
      if (running.has(key)) continue;
      if (running.size >= atOnce) return Infinity;
      const waitMs = question.nextAttemptAt - clock.now();
      // No question is postponed for longer, so the clock was set back since.
      if (waitMs > 0 && waitMs <= maxDelayMs) return waitMs;
      const answered = answer(question)
        .catch(async (error: unknown) => {
          if (signal.aborted) return;
          deps.onError(error);
          await deps.questions.postpone(question, clock.now() + lookAgainMs).catch(() => {});
        })
        .then(() => {
          running.delete(key);
          wake();
        });
      running.set(key, answered);
    }
    return Infinity;
  }

  async function answer(question: ModelQuestion): Promise<void> {
    const bot = await deps.bots.get(question.botId);
    const asked = await messageAt(deps.log, question.botId, question.position);
    const parts = asked ? await albumPartsOf(deps, question.botId, asked.wire) : [];
    const item = bot && asked && itemOf(bot, asked.entry, asked.wire, parts);
    if (!bot || !item) {
      await settle(question, decisionWithoutSends('failed', reason('update_gone')));
      return;
    }
    let choice: Choice;
    try {
      const mayFail = question.attempts < attemptsBeforeFallback;
      const { text, threadId } = item;
      const message = { text, chatId: item.source.chatId, threadId };
      choice = await chooseTarget(deps, bot, message, { mayFail, signal });
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error;
      const delayMs = backoffMs(question.attempts, { random: deps.random, maxMs: maxDelayMs });
      await deps.questions.postpone(question, clock.now() + delayMs);
      await deps.questions.count(isoMonth(clock.now()), failedCall);
      return;
    }
    if (!choice.route) {
      await settle(question, decisionWithoutSends('none', choice.reason), choice);
      return;
    }
    const { route } = choice;
    if (route.action === 'drop') {
      await settle(question, decisionWithoutSends('dropped', choice.reason), choice);
      return;
    }
    const { match, intents } = await sendsOf(deps, route, item, choice.reason, `llm:${route.id}`);
    const decided: RoutingDecision = {
      outcome: 'routed',
      reason: choice.reason,
      matched: [match],
      intents,
    };
    await settle(question, decided, choice, parts);
  }

  async function settle(
    question: ModelQuestion,
    decided: RoutingDecision,
    choice?: Choice,
    parts: readonly Part[] = [],
  ): Promise<void> {
    const now = clock.now();
    const targets = new Set(decided.intents.map((intent) => intent.botId));
    let dropped: ConversationOfBot | undefined;
    const closed = await engine.write(function* (): Step<boolean> {
      if (choice?.usage) yield* addUsage(isoMonth(now), choice.usage);
      if (!(yield* closeQuestion(question))) return false;
      yield* settleDecision(question.botId, question.position, {
        outcome: decided.outcome,
        reason: decided.reason,
        matched: JSON.stringify(decided.matched),
        model: choice ? JSON.stringify(choice.record) : '',
      });
      if (decided.outcome === 'dropped') {
        dropped = yield* dropTurn(question.botId, question.position);
      }
      for (const { entry } of parts) {
        const matched = JSON.stringify(decided.matched.map(asMatchOfPart));
        yield* settleAlbumPart(question.botId, entry.position, matched);
      }
      for (const intent of decided.intents) yield* enqueueIntent(intent, now);
      // The recipient may answer before the send is known to have succeeded.
      for (const botId of targets) yield* openRoutingReader(botId, now);
      return true;
    });
    if (closed) deps.metrics?.decided(decided.outcome);
    if (closed && dropped) deps.onChatState?.(dropped);
    if (closed && targets.size > 0) deps.onQueued(targets);
  }

  return {
    start() {
      looping = loop();
    },
    wake: () => wake(),
    async stop() {
      stopping.abort(new Error('the model worker was stopped'));
      wake();
      await looping;
      await Promise.all(running.values());
    },
  };
}
