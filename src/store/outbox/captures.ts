import type { AnswerFacts } from '../../core/messages/answer-facts.ts';
import { rememberSender } from '../apps/app-messages.ts';
import { endSends } from '../apps/app-sends.ts';
import type { Engine } from '../engine.ts';
import { storeAnswers } from './outbox.ts';

export interface Captured {
  botId: number;
  answer: AnswerFacts;
  /** The app that sent these messages and answers for the replies to them; left out for none. */
  sentBy?: number;
  /** Of the send, if others may wait for it. */
  sendId?: string;
}

/** Keeps what programs sent through the gateway, as the platform's answers tell it. */
export interface CaptureRepository {
  /** All of them in one transaction, in order. */
  store(captured: readonly Captured[], nowMs: number): Promise<void>;
}

export function createCaptureRepository(engine: Engine): CaptureRepository {
  return {
    store: (captured, nowMs) =>
      engine.write(function* () {
        yield* storeAnswers(engine.dialect, captured, 'gateway', nowMs);
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
