import { Type } from 'typebox';
import type { MessageLookup } from '../../../manage/messages/message-lookup.ts';
import { type Endpoint, get } from '../../endpoint.ts';
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
    scope: 'read',
    chats: 'reads',
    errors: [...errors, 'message_not_found'],
  } as const;
  return [
    get('Messages', '/api/messages/search', {
      ...common,
      chats: 'filtered',
      summary: 'Search messages',
      description:
        'Newest first. Case and accents do not matter. New messages appear in the search after about a second, or later under heavy load or right after `manage_enabled` is turned on.',
      query: SearchQuery,
      response: SearchAnswer,
      errors,
      handler: ({ caller, query: { limit = 50, ...query } }) =>
        lookup.search(caller, { ...query, limit }),
    }),
    get('Messages', '/api/messages/context', {
      ...common,
      summary: 'Get messages around a message',
      description: 'Oldest first, including the message itself.',
      query: ContextQuery,
      response: Type.Array(ContextMessage),
      handler: ({ caller, query: { before = 20, after = 20, ...key } }) =>
        lookup.context(caller, { ...key, before, after }),
    }),
    get('Messages', '/api/messages/thread', {
      ...common,
      summary: 'Get a reply thread',
      description:
        'The messages it replies to and the replies to it, oldest first, including the message itself.',
      query: ThreadQuery,
      response: Type.Array(DetailedMessage),
      handler: ({ caller, query: { limit = 100, ...key } }) =>
        lookup.thread(caller, { ...key, limit }),
    }),
    get('Messages', '/api/messages/pinned', {
      ...common,
      summary: 'List pinned messages',
      description:
        'Newest first, stored messages only. Telegram does not report when others unpin a message; `POST /api/chats/refresh` updates it.',
      query: PinnedQuery,
      response: Type.Array(DetailedMessage),
      errors,
      handler: ({ caller, query: { limit = 50, ...query } }) =>
        lookup.pinned(caller, { ...query, limit }),
    }),
    get('Messages', '/api/messages/edits', {
      ...common,
      summary: 'List edits of a message',
      description:
        'Oldest first; the last entry is the current text. Of messages of the bot, a text that was there for less than 10 seconds between two edits is left out.',
      query: MessageKeyQuery,
      response: Type.Array(MessageText),
      handler: ({ caller, query }) => lookup.edits(caller, query),
    }),
  ];
}
