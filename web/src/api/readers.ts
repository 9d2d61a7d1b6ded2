import { queryOptions } from '@tanstack/react-query';
import type { BotsReadersRewindRequest, Reader } from '../../../src/api-types.ts';
import { get, post } from './client/client.ts';
import { refreshOn } from './client/refresh-on.ts';

export type { Reader };

export const readersQuery = (botId: number) =>
  queryOptions({
    queryKey: ['deliveries', botId, 'readers'],
    meta: refreshOn(['delivery'], botId),
    queryFn: ({ signal }) => get('/api/bots/readers', { bot_id: botId }, signal),
  });

/** Where a reader continues: at a position, at a time, at the start or at the end. */
export const rewind = (body: BotsReadersRewindRequest) =>
  post('/api/bots/readers/rewind', { body });

export const removeConsumer = (botId: number, consumer: string) =>
  post('/api/bots/readers/remove', { query: { bot_id: botId, consumer } });

export {
  allReaderKinds,
  readerKinds,
} from '../../../src/core/log/reader-kinds.ts';
