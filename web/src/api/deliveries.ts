import { queryOptions } from '@tanstack/react-query';
import type {
  Backend,
  BackendCheck,
  DeadLetter,
  DeliveriesDiscardRequest,
  DeliveriesReplayRequest,
  DeliveredUpdate,
  DeliveryQueues,
  Gets,
  LoggedUpdate,
} from '../../../src/api-types.ts';
import { get, post } from './client/client.ts';
import { refreshOn } from './client/refresh-on.ts';

export type { Backend, BackendCheck, DeadLetter, LoggedUpdate };
export type { DeliveredUpdate };
export type WholeUpdate = Gets['/api/deliveries/update']['response'];
export type Queues = DeliveryQueues;

/** The backends of bots and apps, for one bot or for all. */
export const backendsQuery = (botId?: number) =>
  queryOptions({
    queryKey: ['backends', botId ?? 0],
    meta: refreshOn(['bot', 'delivery'], botId),
    queryFn: ({ signal }) =>
      get('/api/backends', botId === undefined ? {} : { bot_id: botId }, signal),
  });

/** Deliveries go to the backend of an app; `default` is the bot itself. */
export const queuesOf = (botId: number, app: string, signal?: AbortSignal) =>
  get('/api/deliveries/queues', { bot_id: botId, app }, signal);

export const queuesQuery = (botId: number, app: string) =>
  queryOptions({
    queryKey: ['deliveries', botId, 'queues', app],
    meta: refreshOn(['delivery'], botId),
    queryFn: ({ signal }) => queuesOf(botId, app, signal),
  });

export const deadQuery = (botId: number, app: string) =>
  queryOptions({
    queryKey: ['deliveries', botId, 'dead', app],
    meta: refreshOn(['delivery'], botId),
    queryFn: ({ signal }) => get('/api/deliveries/dead', { bot_id: botId, app }, signal),
  });

type Status = NonNullable<Gets['/api/deliveries']['query']>['status'];

/** Includes updates that are only in the log. */
export const attemptsPerPage = 50;

export const attemptsOf = (
  botId: number,
  filter: { app: string; status?: string; before_id?: number | undefined },
  signal?: AbortSignal,
) =>
  get(
    '/api/deliveries',
    { bot_id: botId, limit: attemptsPerPage, ...filter, status: filter.status as Status },
    signal,
  );

export interface UpdateFilter {
  q?: string;
  state?: string;
  since?: string;
  until?: string;
}

/** Updates as the backend of an app got them. */
export const updatesOf = (
  botId: number,
  app: string,
  filter: UpdateFilter & { order?: string; cursor?: number | undefined },
  signal?: AbortSignal,
) => {
  const { order, state, ...rest } = filter;
  const chosen = { order, state } as Gets['/api/deliveries/updates']['query'];
  return get(
    '/api/deliveries/updates',
    { ...rest, ...chosen, bot_id: botId, app, limit: attemptsPerPage },
    signal,
  );
};

export const updateQuery = (botId: number, app: string, position: number) =>
  queryOptions({
    queryKey: ['deliveries', botId, 'update', app, position],
    meta: refreshOn(['delivery'], botId),
    queryFn: ({ signal }) =>
      get('/api/deliveries/update', { bot_id: botId, app, position }, signal),
  });

/** Replays all that matches, however many requests that takes. */
export async function replayMatching(
  botId: number,
  app: string,
  filter: UpdateFilter,
): Promise<number> {
  let queued = 0;
  for (let cursor: number | undefined; ; ) {
    const matching = { ...filter, ...(cursor ? { cursor } : {}) };
    const answer = await replay({
      bot_id: botId,
      app,
      matching: matching as NonNullable<DeliveriesReplayRequest['matching']>,
    });
    queued += answer.queued;
    cursor = answer.next;
    if (cursor === 0) return queued;
  }
}

export const logOf = (
  botId: number,
  filter: { kind?: string; before?: number | undefined; after?: number; limit?: number },
  signal?: AbortSignal,
) => get('/api/updates/log', { bot_id: botId, limit: attemptsPerPage, ...filter }, signal);

export const replay = (body: DeliveriesReplayRequest) => post('/api/deliveries/replay', { body });

export const discard = (body: DeliveriesDiscardRequest) =>
  post('/api/deliveries/discard', { body });

export const retryNow = (botId: number, app: string) =>
  post('/api/deliveries/retry-now', { query: { bot_id: botId, app } });

/** With `deliver`, the backend must accept a test update, too. */
export const checkBackend = (id: number, app: string, deliver = false) =>
  post('/api/bots/check-backend', { query: { id, app, deliver } });
