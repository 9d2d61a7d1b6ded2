import { queryOptions } from '@tanstack/react-query';
import type { Question as QuestionAnswer } from '../../../src/api-types.ts';
import { get, post } from './client/client.ts';
import { refreshOn } from './client/refresh-on.ts';

export type Question = QuestionAnswer;

export interface NewQuestion {
  bot_id: number;
  chat_id: number;
  message_thread_id?: number;
  text: string;
  options?: string[];
  user_ids?: number[];
  expires_at?: string;
  callback_url?: string;
}

/** The open questions of a chat, newest first. */
export const openQuestionsQuery = (bot_id: number, chat_id: number) =>
  queryOptions({
    queryKey: ['questions', bot_id, chat_id],
    queryFn: ({ signal }) =>
      get('/api/ask/list', { bot_id, chat_id, state: 'open', limit: 200 }, signal),
    meta: refreshOn(['question'], bot_id),
  });

export const askQuestion = (body: NewQuestion) => post('/api/ask', { body });

export const cancelQuestion = (id: number) => post('/api/ask/cancel', { query: { id } });
