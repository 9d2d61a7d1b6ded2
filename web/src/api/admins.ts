import { queryOptions } from '@tanstack/react-query';
import type { ChatKey } from './chats.ts';
import type { ChatMember, Person } from '../../../src/api-types.ts';
import { get, post } from './client/client.ts';
import type { Somebody } from './people.ts';

export type Admin = ChatMember;
export type Right = Admin['rights'][number];
export type ListedPerson = Person;

export const adminsQuery = ({ bot_id, chat_id }: ChatKey) =>
  queryOptions({
    queryKey: ['people', bot_id, chat_id, 'admins'],
    queryFn: ({ signal }) => get('/api/admins', { bot_id, chat_id }, signal),
    retry: false,
  });

/** People seen in a chat, by name. */
export const peopleOf = (chatKey: ChatKey, q: string, signal?: AbortSignal) =>
  get('/api/users/list', { ...chatKey, q, limit: 20 }, signal);

export const promote = (who: Somebody, rights: Right[], title?: string) =>
  post('/api/admins/promote', {
    query: who,
    body: { rights, ...(title === undefined ? {} : { title }) },
  });
export const demote = (who: Somebody) => post('/api/admins/demote', { query: who });
export const setAdminTitle = (who: Somebody, title: string) =>
  post('/api/admins/title', { query: who, body: { title } });
