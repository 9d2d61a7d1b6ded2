import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type {
  Attempt as AttemptSchema,
  BackendCheckResult,
  DeadLetter as DeadLetterSchema,
  LoggedUpdate as LoggedUpdateSchema,
  Queues as QueuesSchema,
  ReplayBody,
} from '../../../src/http/api/delivery/delivery-schema.ts';
import { get, post } from './client/client.ts';

export type Attempt = Static<typeof AttemptSchema>;
export type DeadLetter = Static<typeof DeadLetterSchema>;
export type Queues = Static<typeof QueuesSchema>;
export type LoggedUpdate = Static<typeof LoggedUpdateSchema>;

export const queuesOf = (botId: number, signal?: AbortSignal) =>
  get<Queues>('/api/deliveries/queues', { bot_id: botId }, signal);

export const queuesQuery = (botId: number) =>
  queryOptions({
    queryKey: ['deliveries', botId, 'queues'],
    queryFn: ({ signal }) => queuesOf(botId, signal),
  });

export const deadQuery = (botId: number) =>
  queryOptions({
    queryKey: ['deliveries', botId, 'dead'],
    queryFn: ({ signal }) => get<DeadLetter[]>('/api/deliveries/dead', { bot_id: botId }, signal),
  });

/** Also of updates in the log. */
export const attemptsPerPage = 50;

export const attemptsOf = (
  botId: number,
  filter: { status?: string; before_id?: number | undefined },
  signal?: AbortSignal,
) =>
  get<Attempt[]>('/api/deliveries', { bot_id: botId, limit: attemptsPerPage, ...filter }, signal);

export const logOf = (
  botId: number,
  filter: { kind?: string; before?: number | undefined; after?: number; limit?: number },
  signal?: AbortSignal,
) =>
  get<LoggedUpdate[]>(
    '/api/updates/log',
    { bot_id: botId, limit: attemptsPerPage, ...filter },
    signal,
  );

export const replay = (body: Static<typeof ReplayBody>) =>
  post<{ queued: number }>('/api/deliveries/replay', { body });

export const discard = (body: { bot_id: number; ids?: number[]; all_dead?: boolean }) =>
  post<{ discarded: number }>('/api/deliveries/discard', { body });

export const retryNow = (botId: number) =>
  post<{ queues: number }>('/api/deliveries/retry-now', { query: { bot_id: botId } });

export type BackendCheck = Static<typeof BackendCheckResult>;

export const checkBackend = (id: number) =>
  post<BackendCheck>('/api/bots/check-backend', { query: { id } });
