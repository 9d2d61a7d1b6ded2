import { queryOptions } from '@tanstack/react-query';
import type {
  BackendCheck,
  DeadLetter,
  DeliveriesReplayRequest,
  DeliveryAttempt,
  DeliveryQueues,
  Gets,
  LoggedUpdate,
} from '../../../src/api-types.ts';
import { get, post } from './client/client.ts';
import { refreshOn } from './client/refresh-on.ts';

export type { BackendCheck, DeadLetter, LoggedUpdate };
export type Attempt = DeliveryAttempt;
export type Queues = DeliveryQueues;

export const queuesOf = (botId: number, signal?: AbortSignal) =>
  get('/api/deliveries/queues', { bot_id: botId }, signal);

export const queuesQuery = (botId: number) =>
  queryOptions({
    queryKey: ['deliveries', botId, 'queues'],
    meta: refreshOn(['delivery'], botId),
    queryFn: ({ signal }) => queuesOf(botId, signal),
  });

export const deadQuery = (botId: number) =>
  queryOptions({
    queryKey: ['deliveries', botId, 'dead'],
    meta: refreshOn(['delivery'], botId),
    queryFn: ({ signal }) => get('/api/deliveries/dead', { bot_id: botId }, signal),
  });

type Status = NonNullable<Gets['/api/deliveries']['query']>['status'];

/** Includes updates that are only in the log. */
export const attemptsPerPage = 50;

export const attemptsOf = (
  botId: number,
  filter: { status?: string; before_id?: number | undefined },
  signal?: AbortSignal,
) =>
  get(
    '/api/deliveries',
    { bot_id: botId, limit: attemptsPerPage, ...filter, status: filter.status as Status },
    signal,
  );

export const logOf = (
  botId: number,
  filter: { kind?: string; before?: number | undefined; after?: number; limit?: number },
  signal?: AbortSignal,
) => get('/api/updates/log', { bot_id: botId, limit: attemptsPerPage, ...filter }, signal);

export const replay = (body: DeliveriesReplayRequest) => post('/api/deliveries/replay', { body });

export const discard = (body: { bot_id: number; ids?: number[]; all_dead?: boolean }) =>
  post('/api/deliveries/discard', { body });

export const retryNow = (botId: number) =>
  post('/api/deliveries/retry-now', { query: { bot_id: botId } });

export const checkBackend = (id: number) => post('/api/bots/check-backend', { query: { id } });
