import { Type } from 'typebox';
import { stateOf } from '../../../manage/access/audit-subjects.ts';
import type { ChatService } from '../../../manage/people/chats.ts';
import { type Endpoint, endpoint } from '../../endpoint.ts';
import { Chat, ChatKeyQuery, ChatListQuery } from './chat-schema.ts';

export function chatEndpoints({ chats }: { chats: ChatService }): Endpoint[] {
  const common = { tag: 'Chats', response: Chat, query: ChatKeyQuery } as const;
  const errors = ['bot_not_found', 'bot_not_allowed', 'management_disabled'] as const;
  return [
    endpoint({
      method: 'GET',
      path: '/api/chats',
      scope: 'read',
      tag: 'Chats',
      summary: 'List the chats of a bot',
      description:
        'Those it was seen in, by last message, the latest first. Only for bots with `manage_enabled`.',
      query: ChatListQuery,
      response: Type.Array(Chat),
      errors,
      handler: ({ caller, query: { limit = 50, ...query } }) =>
        chats.list(caller, { ...query, limit }),
    }),
    endpoint({
      ...common,
      method: 'GET',
      path: '/api/chats/get',
      scope: 'read',
      summary: 'Show a chat',
      errors: [...errors, 'chat_not_found'],
      handler: ({ caller, query }) => chats.get(caller, query.bot_id, query.chat_id),
    }),
    endpoint({
      ...common,
      method: 'POST',
      path: '/api/chats/refresh',
      audit: { before: stateOf.chat },
      scope: 'manage',
      summary: 'Ask the platform about a chat',
      description:
        "Title, description, photo, number of members and the bot's own status and rights are brought up to date.",
      errors: [
        ...errors,
        'chat_not_found',
        'platform_refused',
        'platform_rate_limited',
        'platform_unreachable',
        'platform_timeout',
      ],
      handler: ({ caller, query }) => chats.refresh(caller, query.bot_id, query.chat_id),
    }),
    endpoint({
      ...common,
      method: 'POST',
      path: '/api/chats/forget',
      audit: { before: stateOf.chat, removes: true },
      scope: 'manage',
      summary: 'Forget a chat',
      description:
        'Removes what is kept of the chat here: messages, members, warnings with their rule, and statistics, also out of the totals of the bot. Nothing happens on the platform; tags and notes stay, and the update log, sends and decisions are left to retention. The chat comes back, empty, with its next message. Answers with the chat as it was.',
      errors: [...errors, 'chat_not_found'],
      handler: ({ caller, query }) => chats.forget(caller, query.bot_id, query.chat_id),
    }),
  ];
}
