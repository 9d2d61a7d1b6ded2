import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Broadcast, BroadcastResult, BroadcastsAddRequest } from '../../../src/api-types.ts';
import { get, post } from './client/client.ts';
import { refreshOn } from './client/refresh-on.ts';

export type { Broadcast, BroadcastResult };
export type NewBroadcast = BroadcastsAddRequest;
export type Audience = NonNullable<NewBroadcast['audience']>;
export type RecipientState = BroadcastResult['state'];

const broadcastsPerPage = 50;
const resultsPerPage = 100;
const busyMs = 2_000;
const isActive = ({ state }: Broadcast) => state === 'running';

/** All broadcasts, newest first. */
export const broadcastsQuery = infiniteQueryOptions({
  queryKey: ['broadcasts'],
  meta: refreshOn(['bot']),
  initialPageParam: undefined as number | undefined,
  queryFn: ({ pageParam, signal }) =>
    get(
      '/api/broadcasts',
      { limit: broadcastsPerPage, ...(pageParam === undefined ? {} : { before_id: pageParam }) },
      signal,
    ),
  getNextPageParam: (page) => (page.length < broadcastsPerPage ? undefined : page.at(-1)?.id),
  select: ({ pages }) => pages.flat(),
  // Progress is shown as it is made.
  refetchInterval: ({ state }) => (state.data?.pages.flat().some(isActive) ? busyMs : false),
});

export const audienceQuery = (bot_id: number, audience: Audience) =>
  queryOptions({
    queryKey: ['audience', bot_id, audience],
    queryFn: ({ signal }) => post('/api/broadcasts/count', { body: { bot_id, audience }, signal }),
    enabled: bot_id !== 0,
    placeholderData: (before) => before,
  });

export const resultsQuery = (id: number, state: RecipientState) =>
  infiniteQueryOptions({
    queryKey: ['broadcasts', 'results', id, state],
    meta: refreshOn(['bot']),
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) =>
      get(
        '/api/broadcasts/results',
        {
          ...{ id, state, limit: resultsPerPage },
          ...(pageParam === undefined ? {} : { after_chat_id: pageParam }),
        },
        signal,
      ),
    getNextPageParam: (page) => (page.length < resultsPerPage ? undefined : page.at(-1)?.chat_id),
    select: ({ pages }) => pages.flat(),
  });

export const addBroadcast = (body: NewBroadcast) => post('/api/broadcasts/add', { body });
export const startBroadcast = (id: number, seen: { recipients: number; stars?: number }) =>
  post('/api/broadcasts/start', { body: { id, ...seen } });
export const testBroadcast = (id: number, chat_id: number) =>
  post('/api/broadcasts/test', { body: { id, chat_id } });
export const editBroadcast = (id: number, text: string) =>
  post('/api/broadcasts/edit', { body: { id, text, format: 'markdown' } });

export type BroadcastAction = 'pause' | 'resume' | 'cancel' | 'delete';
export const actOnBroadcast = (id: number, action: BroadcastAction) =>
  post(`/api/broadcasts/${action}`, { body: { id } });
