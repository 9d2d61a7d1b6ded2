import { get, post } from './client/client.ts';

/** Something the relay sent, or means to send. */
export interface Send {
  id: number;
  bot_id: number;
  chat_id: number;
  method: string;
  origin: string;
  state: string;
  attempts: number;
  error: string;
  message_id: number;
  /** Its first words. */
  text: string;
  created_at: string;
  updated_at: string;
}

export const sendsPerPage = 50;

export const sendsOf = (
  botId: number,
  filter: { state: string; before_id: number | undefined },
  signal?: AbortSignal,
) => get<Send[]>('/api/outbox', { bot_id: botId, limit: sendsPerPage, ...filter }, signal);

/** Once more, as if it were new. */
export const sendAgain = (id: number) => post<Send>('/api/outbox/send-again', { query: { id } });
