import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type {
  ListedPerson,
  ModerationResult,
  Note as NoteSchema,
  Profile as ProfileSchema,
  RightsAnswer,
  Warning as WarningSchema,
  WarnOutcome,
} from '../../../src/http/api/people/person-schema.ts';
import { get, post } from './client/client.ts';

export type Profile = Static<typeof ProfileSchema>;
export type Note = Static<typeof NoteSchema>;
export type Warning = Static<typeof WarningSchema>;
export type Outcome = Static<typeof ModerationResult>;
export type RightsCheck = Static<typeof RightsAnswer>['actions'][number];

/** Somebody in a chat, as a bot sees them. */
export interface Somebody {
  bot_id: number;
  chat_id: number;
  user_id: number;
}

export const profileQuery = ({ bot_id, chat_id, user_id }: Somebody) =>
  queryOptions({
    queryKey: ['people', bot_id, chat_id, user_id, 'profile'],
    queryFn: ({ signal }) =>
      get<Profile>(
        '/api/users/profile',
        // In a private chat there is no membership to ask the platform about.
        { bot_id, user_id, ...(chat_id < 0 ? { chat_id } : {}) },
        signal,
      ),
    retry: false,
  });

/** Those a bot has met whose name holds what is looked for. */
export const peopleOf = (
  query: { bot_id: number; q: string; limit: number },
  signal?: AbortSignal,
) => get<Static<typeof ListedPerson>[]>('/api/users/list', { ...query }, signal);

export const profileOf = (query: { bot_id: number; user_id: number }) =>
  get<Profile>('/api/users/profile', { ...query });

/** What the bot may do in a chat, or to somebody there. */
export const rightsQuery = (chatKey: Omit<Somebody, 'user_id'> & { user_id?: number }) =>
  queryOptions({
    queryKey: ['people', chatKey.bot_id, chatKey.chat_id, chatKey.user_id ?? 0, 'rights'],
    queryFn: async ({ signal }) =>
      (await get<Static<typeof RightsAnswer>>('/api/users/rights', { ...chatKey }, signal)).actions,
    retry: false,
  });

export type SimpleAction = 'unban' | 'kick' | 'unmute';
export type TimedAction = 'ban' | 'mute';

export const moderate = (action: SimpleAction, who: Somebody) =>
  post<Outcome>(`/api/users/${action}`, { query: { ...who } });

/** `seconds` 0 means for ever. */
export const moderateFor = (action: TimedAction, who: Somebody, seconds: number) =>
  post<Outcome>(`/api/users/${action}`, {
    query: { ...who, ...(seconds === 0 ? {} : { duration_seconds: seconds }) },
  });

export const warn = (who: Somebody, reason: string) =>
  post<Static<typeof WarnOutcome>>('/api/users/warn', { query: { ...who }, body: { reason } });
export const unwarn = (botId: number, id: number) =>
  post<Warning>('/api/users/unwarn', { query: { bot_id: botId, id } });

export const addNote = (body: { bot_id: number; user_id: number; text: string }) =>
  post<Note>('/api/users/notes/add', { body });
export const deleteNote = (botId: number, id: number) =>
  post<Note>('/api/users/notes/delete', { query: { bot_id: botId, id } });
