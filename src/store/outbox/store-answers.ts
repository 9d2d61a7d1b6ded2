/* Stores what answers of the platform contain, and who made it. */
import type { MessageOrigin } from '../../core/messages/archive-facts.ts';
import {
  type AnswerFacts,
  editsMessages,
  makesMessages,
} from '../../core/messages/answer-facts.ts';
import { type AnswerBy, answererOf, type Author, isReturnKey } from '../../core/messages/author.ts';
import type { DialectName, Step } from '../engine.ts';
import { archive } from '../messages/archive.ts';
import { markDeleted } from '../messages/mark-deleted.ts';

interface StoredAnswer {
  botId: number;
  answer: AnswerFacts;
  author?: Author | undefined;
  answeredBy?: AnswerBy | undefined;
}

/** What others add to the commit that stores what was sent. */
export type ShowAnswers = (answers: readonly StoredAnswer[], nowMs: number) => Step<void>;

/**
 * Stores what answers of the platform contain, all at once, so that rows are locked in the order of
 * the archive.
 */
export function* storeAnswers(
  dialect: DialectName,
  answers: readonly StoredAnswer[],
  origin: MessageOrigin,
  nowMs: number,
  also?: ShowAnswers,
): Step<void> {
  const entries = answers.map(({ botId, answer, author, answeredBy }) => ({
    botId,
    author,
    answeredBy,
    facts: answer.archive,
    origin,
    position: 0,
  }));
  yield* archive(dialect, entries, nowMs);
  for (const { botId, answer } of answers) {
    if (answer.deleted) yield* markDeleted(botId, answer.deleted, nowMs);
  }
  if (also) yield* also(answers, nowMs);
}

/** An edit names no author, but that of an app or a backend answers a press as a message does. */
export function authorship({
  author,
  intentKey,
  method,
}: {
  author: Author | undefined;
  intentKey?: string | null;
  method: string;
}) {
  if (!author) return {};
  const answeredBy = answererOf(author, isReturnKey(intentKey ?? ''));
  if (makesMessages(method)) return { author, answeredBy };
  return answeredBy === 'automatic' && editsMessages(method) ? { answeredBy } : {};
}
