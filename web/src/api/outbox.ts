import type { Gets, OutboxEntry } from '../../../src/api-types.ts';
import { get, post } from './client/client.ts';

/** A sent or queued message of the relay. */
export type Send = OutboxEntry;

type State = NonNullable<Gets['/api/outbox']['query']>['state'];

export const sendsPerPage = 50;

export const sendsOf = (
  botId: number,
  filter: { state: string; before_id: number | undefined },
  signal?: AbortSignal,
) =>
  get(
    '/api/outbox',
    { bot_id: botId, limit: sendsPerPage, ...filter, state: filter.state as State },
    signal,
  );

/** Sends it again as a new message. */
export const sendAgain = (id: number) => post('/api/outbox/send-again', { query: { id } });
