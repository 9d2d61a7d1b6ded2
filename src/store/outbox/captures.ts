import type { AnswerFacts } from '../../core/messages/answer-facts.ts';
import type { AnswerBy, Author } from '../../core/messages/author.ts';
import { rememberSender } from '../apps/app-messages.ts';
import { endSends } from '../apps/app-sends.ts';
import type { Engine } from '../engine.ts';
import { type ShowAnswers, storeAnswers } from './store-answers.ts';

export interface Captured {
  botId: number;
  answer: AnswerFacts;
  /**
   * The app that sent these messages and receives the replies to them; left out if there is none.
   */
  sentBy?: number;
  /** Left out if the call made no message. */
  author?: Author;
  /** Set if the call may answer the person of a conversation. */
  answeredBy?: AnswerBy;
  /** The ID of the send, if others may wait for it. */
  sendId?: string;
}

/** Stores what clients sent through the gateway, as shown by the platform's answers. */
export interface CaptureRepository {
  /** Stores all of them in one transaction, in order. */
  store(captured: readonly Captured[], nowMs: number): Promise<void>;
}

export function createCaptureRepository(engine: Engine, show?: ShowAnswers): CaptureRepository {
  return {
    store: (captured, nowMs) =>
      engine.write(function* () {
        yield* storeAnswers(engine.dialect, captured, 'gateway', nowMs, show);
        const sent = captured.flatMap(({ botId, sentBy: appId, answer: { archive } }) =>
          appId === undefined ? [] : { botId, appId, messages: archive.messages },
        );
        yield* rememberSender(engine.dialect, sent, nowMs);
        yield* endSends(
          engine.dialect,
          captured.flatMap(({ sendId }) => sendId ?? []),
        );
      }),
  };
}
