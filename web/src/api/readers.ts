import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type {
  Reader as ReaderSchema,
  Readers,
  RewindBody,
  Rewound,
} from '../../../src/http/api/log/reader-schema.ts';
import { get, post } from './client/client.ts';

export type Reader = Static<typeof ReaderSchema>;

export const readersQuery = (botId: number) =>
  queryOptions({
    queryKey: ['deliveries', botId, 'readers'],
    queryFn: ({ signal }) =>
      get<Static<typeof Readers>>('/api/bots/readers', { bot_id: botId }, signal),
  });

/** Where a reader goes on: at a position, at a time, at the start or at the end. */
export const rewind = (body: Static<typeof RewindBody>) =>
  post<Static<typeof Rewound>>('/api/bots/readers/rewind', { body });

export const removeConsumer = (botId: number, consumer: string) =>
  post('/api/bots/readers/remove', { query: { bot_id: botId, consumer } });
