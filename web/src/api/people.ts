import { queryOptions } from '@tanstack/react-query';
import type { BotRights, Note, Profile, Warning } from '../../../src/api-types.ts';
import { get, post } from './client/client.ts';

export type { Note, Profile, Warning };
export type RightsCheck = BotRights['actions'][number];

/** A person in a chat, as a bot sees them. */
export interface Somebody {
  bot_id: number;
  chat_id: number;
  user_id: number;
}

export const profileQuery = ({ bot_id, chat_id, user_id }: Somebody) =>
  queryOptions({
    queryKey: ['people', bot_id, chat_id, user_id, 'profile'],
    queryFn: ({ signal }) =>
      get(
        '/api/users/profile',
        // A private chat has no membership to ask the platform about.
        { bot_id, user_id, ...(chat_id < 0 ? { chat_id } : {}) },
        signal,
      ),
    retry: false,
  });

/** People known to a bot whose name contains the text. */
export const peopleOf = (
  query: { bot_id: number; q: string; limit: number },
  signal?: AbortSignal,
) => get('/api/users/list', query, signal);

export const profileOf = (query: { bot_id: number; user_id: number }, signal?: AbortSignal) =>
  get('/api/users/profile', { ...query }, signal);

/** What the bot may do in a chat, or to a person there. */
export const rightsQuery = (chatKey: Omit<Somebody, 'user_id'> & { user_id?: number }) =>
  queryOptions({
    queryKey: ['people', chatKey.bot_id, chatKey.chat_id, chatKey.user_id ?? 0, 'rights'],
    queryFn: async ({ signal }) => (await get('/api/users/rights', { ...chatKey }, signal)).actions,
    retry: false,
  });

export type SimpleAction = 'unban' | 'kick' | 'unmute';
export type TimedAction = 'ban' | 'mute';

export const moderate = (action: SimpleAction, who: Somebody) =>
  post(`/api/users/${action}`, { query: who });

/** `seconds` is 0 for an action without end. */
export const moderateFor = (action: TimedAction, who: Somebody, seconds: number) =>
  post(`/api/users/${action}`, {
    query: { ...who, ...(seconds === 0 ? {} : { duration_seconds: seconds }) },
  });

export const warn = (who: Somebody, reason: string) =>
  post('/api/users/warn', { query: who, body: { reason } });
export const unwarn = (botId: number, id: number) =>
  post('/api/users/unwarn', { query: { bot_id: botId, id } });

export const addNote = (body: { bot_id: number; user_id: number; text: string }) =>
  post('/api/users/notes/add', { body });
export const deleteNote = (botId: number, id: number) =>
  post('/api/users/notes/delete', { query: { bot_id: botId, id } });
