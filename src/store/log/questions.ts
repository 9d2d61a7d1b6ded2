/* What an append asks about questions to people, whose table and rules it does not know. */
import type { IncomingUpdate } from '../../core/log/update-facts.ts';
import { askPrefix } from '../../core/questions/question-message.ts';
import type { Step } from '../engine.ts';
import type { OfferedUpdates } from './claims.ts';

export interface QuestionAnswers {
  /** Reads the questions that these updates may answer, under the lock of the bots' logs. */
  begin(offered: readonly OfferedUpdates[]): Step<ReadonlyMap<number, QuestionTaker>>;
  /** Stores the answers. Run it last, because it locks questions. */
  settle(takers: ReadonlyMap<number, QuestionTaker>): Step<void>;
}

export interface QuestionTaker {
  /** Returns true if the update is for a question and for nobody else. Call it in the order of the log. */
  takes(update: IncomingUpdate, position: number, nowMs: number): boolean;
}

/** True for updates that concern a question even if none is open. */
export const pressesQuestion = ({ facts }: IncomingUpdate): boolean =>
  facts.callbackData?.startsWith(askPrefix) === true;
