import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Question } from '../core/questions/question.ts';
import type { RelayMetrics } from '../core/stats/relay-metrics.ts';
import type { Logger } from '../logger.ts';
import { createQuestionWaits } from '../manage/questions/question-waits.ts';
import { createQuestionService, type QuestionService } from '../manage/questions/questions.ts';
import { createBackground } from '../relay/async/background.ts';
import type { RelayEvents } from '../relay/events/relay-events.ts';
import { createQuestionKeeper } from '../relay/questions/question-keeper.ts';
import { watchAnswers } from '../relay/questions/watch-answers.ts';
import type { Store } from '../store/store.ts';
import { createGuardedAgent } from '../telegram/guarded-agent.ts';
import type { Relay } from './relay.ts';

export interface Questions {
  service: QuestionService;
  /** Keeps questions until the signal aborts; resolves when it has ended. */
  run(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

/** Connects questions to people with the log, the outbox and those who wait for answers. */
export function composeQuestions(deps: {
  config: Config;
  clock: Clock;
  logger: Logger;
  store: Store;
  relay: Relay;
  events: RelayEvents;
  metrics: RelayMetrics;
}): Questions {
  const { clock, config, events, logger, metrics, relay, store } = deps;
  const connections = createGuardedAgent({ policy: config.backends });
  const background = createBackground();
  const waits = createQuestionWaits(clock);
  const onError = (error: unknown) => logger.warn({ err: error }, 'questions failed; retrying');

  function changed(question: Question): void {
    const { botId, chatId: chat_id, id, state } = question;
    if (state !== 'open') metrics.questionEnded(state);
    relay.wakeSends(new Set([botId]));
    events.publish('question', botId, { id, chat_id, state });
    keeper.wake();
  }

  const keeper = createQuestionKeeper({
    clock,
    random: Math.random,
    store,
    connections,
    background,
    giveUpAfterMs: config.push.giveUpAfterMs,
    onEnded: changed,
    onQueued: relay.wakeSends,
    onError,
  });
  const service = createQuestionService({
    store,
    clock,
    config,
    waits,
    onAsked: changed,
    onEnded: changed,
  });
  // Other nodes tell theirs, too.
  events.on('question', (_botId, { id }) => waits.wake(id));
  watchAnswers({ events, store, background, onEnded: changed, onQueued: relay.wakeSends, onError });

  return {
    service,
    run: keeper.run,
    async stop() {
      // Close connections, because calls that hang must not delay the stop.
      await connections.destroy();
      await background.end();
    },
  };
}
