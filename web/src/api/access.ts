import { queryOptions } from '@tanstack/react-query';
import { get, post } from './client/client.ts';
import type { Scope, User } from './client/types.ts';

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => get('/api/auth/api-keys', {}, signal),
});

export const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: ({ signal }) => get('/api/auth/users', {}, signal),
});

export const createKey = (body: {
  name: string;
  scope: Scope;
  bot_ids: number[] | null;
  read_chats: number[] | null;
  write_chats: number[] | null;
  daily_writes: number;
  expires_at: string;
}) => post('/api/auth/api-keys', { body });

export const toggleKey = (id: number) => post('/api/auth/api-keys/toggle', { query: { id } });
export const deleteKey = (id: number) => post('/api/auth/api-keys/delete', { query: { id } });

export const createUser = (body: {
  username: string;
  password: string;
  role: User['role'];
  bot_ids?: number[];
  telegram_user_id?: number;
}) => post('/api/auth/users/create', { body });

export const updateUser = (body: {
  id: number;
  role?: User['role'];
  bot_ids?: number[];
  telegram_user_id?: number;
  disabled?: boolean;
}) => post('/api/auth/users/update', { body });

export const deleteUser = (id: number) => post('/api/auth/users/delete', { query: { id } });

/** Changes the user's own password, with the current one, or by ID that of another user. */
export const changePassword = (
  body: { password: string } & ({ current_password: string } | { id: number }),
) => post('/api/auth/users/password', { body });
