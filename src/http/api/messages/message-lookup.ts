import { Type } from 'typebox';
import type { MessageLookup } from '../../../manage/messages/message-lookup.ts';
import { type Endpoint, endpoint } from '../../endpoint.ts';
import {
  ContextMessage,
  ContextQuery,
  DetailedMessage,
  MessageKeyQuery,
  MessageText,
  PinnedQuery,
  SearchAnswer,
  SearchQuery,
  ThreadQuery,
} from './message-schema.ts';

export function messageLookupEndpoints({ lookup }: { lookup: MessageLookup }): Endpoint[] {
  const errors = ['bot_not_found', 'bot_not_allowed', 'management_disabled'] as const;
  const common = {
    method: 'GET',
    scope: 'read',
    tag: 'Messages',
    errors: [...errors, 'message_not_found'],
  } as const;
  return [
    endpoint({
      ...common,
      path: '/api/messages/search',
      summary: 'Search the messages of a bot',
      description:
        'Newest first. Letters match whatever their case and accents. A message can be found about a second after it was stored; a little later while very many arrive, or after `manage_enabled` was switched on.',
      query: SearchQuery,
      response: SearchAnswer,
      errors,
      handler: ({ caller, query: { limit = 50, ...query } }) =>
        lookup.search(caller, { ...query, limit }),
    }),
    endpoint({
      ...common,
      path: '/api/messages/context',
      summary: 'Show the messages around one',
      description: 'Oldest first, with the message itself.',
      query: ContextQuery,
      response: Type.Array(ContextMessage),
      handler: ({ caller, query: { before = 20, after = 20, ...key } }) =>
        lookup.context(caller, { ...key, before, after }),
    }),
    endpoint({
      ...common,
      path: '/api/messages/thread',
      summary: 'Show the replies above and below a message',
      description:
        'From the first message of the chain down to the last reply, the oldest first, with the message itself.',
      query: ThreadQuery,
      response: Type.Array(DetailedMessage),
      handler: ({ caller, query: { limit = 100, ...key } }) =>
        lookup.thread(caller, { ...key, limit }),
    }),
    endpoint({
      ...common,
      path: '/api/messages/pinned',
      summary: 'List the pinned messages of a chat',
      description:
        'Newest first, of the stored ones. The platform does not tell when others unpin a message: `POST /api/chats/refresh` asks.',
      query: PinnedQuery,
      response: Type.Array(DetailedMessage),
      errors,
      handler: ({ caller, query: { limit = 50, ...query } }) =>
        lookup.pinned(caller, { ...query, limit }),
    }),
    endpoint({
      ...common,
      path: '/api/messages/edits',
      summary: 'Show what a message said before its edits',
      description: 'Oldest first; the last is what it says now.',
      query: MessageKeyQuery,
      response: Type.Array(MessageText),
      handler: ({ caller, query }) => lookup.edits(caller, query),
    }),
  ];
}
