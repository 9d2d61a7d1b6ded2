import type { AnswerFacts } from '../core/answer-facts.ts';
import type { Engine } from './engine.ts';
import { storeAnswer } from './outbox.ts';

/** Keeps what programs sent through the gateway, as the platform's answers tell it. */
export interface CaptureRepository {
  store(botId: number, answer: AnswerFacts, nowMs: number): Promise<void>;
}

export function createCaptureRepository(engine: Engine): CaptureRepository {
  return {
    store: (botId, answer, nowMs) =>
      engine.write(() => storeAnswer(engine.dialect, botId, 'gateway', answer, nowMs)),
  };
}
