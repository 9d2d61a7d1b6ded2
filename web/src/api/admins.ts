import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type {
  Admin as AdminSchema,
  ListedPerson as ListedPersonSchema,
} from '../../../src/http/api/people/person-schema.ts';
import type { ChatKey } from './chats.ts';
import { get, post } from './client/client.ts';
import type { Somebody } from './people.ts';

export type Admin = Static<typeof AdminSchema>;
export type Right = Admin['rights'][number];
export type ListedPerson = Static<typeof ListedPersonSchema>;

export const adminsQuery = ({ bot_id, chat_id }: ChatKey) =>
  queryOptions({
    queryKey: ['people', bot_id, chat_id, 'admins'],
    queryFn: ({ signal }) => get<Admin[]>('/api/admins', { bot_id, chat_id }, signal),
    retry: false,
  });

/** People seen in a chat, by name. */
export const peopleOf = (chatKey: ChatKey, q: string, signal?: AbortSignal) =>
  get<ListedPerson[]>('/api/users/list', { ...chatKey, q, limit: 20 }, signal);

export const promote = (who: Somebody, rights: Right[], title?: string) =>
  post<Admin>('/api/admins/promote', {
    query: { ...who },
    body: { rights, ...(title === undefined ? {} : { title }) },
  });
export const demote = (who: Somebody) => post<Admin>('/api/admins/demote', { query: { ...who } });
export const setAdminTitle = (who: Somebody, title: string) =>
  post<Admin>('/api/admins/title', { query: { ...who }, body: { title } });
