import type { Sentences } from './shape.ts';

/** About questions to people. */
export const questionReasons = {
  no_such_question: ({ question_id }: { question_id: number }) =>
    `Unknown question ${question_id}. List questions with GET /api/ask/list.`,
  too_many_questions: ({ bot_id, most }: { bot_id: number; most: number }) =>
    `Bot ${bot_id} has ${most} open questions, the most it can. Cancel some with POST /api/ask/cancel.`,
  too_far_ahead: ({ days }: { days: number }) => `must be at most ${days} days ahead`,
  question_ended: 'The question ended before it was sent.',
} satisfies Sentences;
