import { isoTime } from '../iso-time.ts';
import type { Question } from './question.ts';

/** A question as clients and callback URLs see it. */
export function questionView(question: Question) {
  const { answeredBy, answererName, askedBy, botId, chatId, endedAt, state, threadId } = question;
  const isAnswered = state === 'answered';
  return {
    id: question.id,
    bot_id: botId,
    chat_id: chatId,
    ...(threadId === 0 ? {} : { message_thread_id: threadId }),
    message_id: question.messageId,
    text: question.text,
    options: [...question.options],
    user_ids: [...question.userIds],
    state,
    answer: question.answer,
    answered_by: answeredBy,
    answered_by_name: answererName,
    answered_at: isAnswered ? isoTime(endedAt) : '',
    asked_by: askedBy,
    created_at: isoTime(question.createdAt),
    expires_at: isoTime(question.expiresAt),
    ended_at: isoTime(endedAt),
  };
}
