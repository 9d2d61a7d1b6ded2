import { readAuthor } from '../../core/messages/author.ts';
import type { Question } from '../../core/questions/question.ts';

/** A question as it is stored. */
export type QuestionRow = Omit<Question, 'options' | 'userIds' | 'askedBy'> & {
  options: string;
  userIds: string;
  askedBy: string;
};

export const questionColumns = `id, bot_id as "botId", chat_id as "chatId", thread_id as "threadId", text,
  options, user_ids as "userIds", asked_by as "askedBy", nonce, intent, message_id as "messageId", state,
  answer, answered_by as "answeredBy", answerer_name as "answererName", created_at as "createdAt",
  expires_at as "expiresAt", ended_at as "endedAt", callback_url as "callbackUrl",
  callback_state as "callbackState", callback_attempts as "callbackAttempts", callback_at as "callbackAt",
  callback_error as "callbackError"`;

export function questionOf(row: QuestionRow): Question {
  return {
    ...row,
    options: JSON.parse(row.options) as string[],
    userIds: JSON.parse(row.userIds) as number[],
    askedBy: readAuthor(row.askedBy) as Question['askedBy'],
  };
}
