import { Type } from 'typebox';
import { stateOf } from '../../../manage/access/audit-subjects.ts';
import type { ChatService } from '../../../manage/people/chats.ts';
import type { TopicService } from '../../../manage/people/topics.ts';
import { type Endpoint, get, post } from '../../endpoint.ts';
import {
  Chat,
  ChatKeyQuery,
  ChatListQuery,
  ConversationQuery,
  Topic,
  TopicListQuery,
} from './chat-schema.ts';

export function chatEndpoints({
  chats,
  topics,
}: {
  chats: ChatService;
  topics: TopicService;
}): Endpoint[] {
  const common = { response: Chat, query: ChatKeyQuery } as const;
  const errors = ['bot_not_found', 'bot_not_allowed', 'management_disabled'] as const;
  return [
    get('Chats', '/api/chats', {
      scope: 'read',
      chats: 'filtered',
      summary: 'List chats',
      description:
        'Sorted by last message, newest first, or by waiting time. Only of bots with `manage_enabled`. Private chats and chats of business accounts are conversations: they have a `state` and may have an `assignee`. So are the topics of private chats of bots with `per_topic`: each is an entry of its own with `message_thread_id`, and the entry of the chat is about messages outside of topics.',
      query: ChatListQuery,
      response: Type.Array(Chat),
      errors,
      handler: ({ caller, query: { limit = 50, ...query }, signal }) =>
        chats.list(caller, { ...query, limit }, signal),
    }),
    get('Chats', '/api/chats/get', {
      scope: 'read',
      chats: 'reads',
      summary: 'Get a chat',
      query: ConversationQuery,
      response: Chat,
      errors: [...errors, 'chat_not_found'],
      handler: ({ caller, query: { bot_id, chat_id, message_thread_id } }) =>
        chats.get(caller, bot_id, chat_id, message_thread_id),
    }),
    get('Chats', '/api/chats/topics', {
      scope: 'read',
      chats: 'reads',
      summary: 'List topics',
      description:
        'The topics of a forum, or of a private chat with topics, that the relay knows from messages and answers of Telegram. Sorted by last message, newest first.',
      query: TopicListQuery,
      response: Type.Array(Topic),
      errors: [...errors, 'chat_not_found'],
      handler: ({ caller, query: { limit = 50, ...query } }) =>
        topics.list(caller, { ...query, limit }),
    }),
    post('Chats', '/api/chats/refresh', {
      ...common,
      audit: { before: stateOf.chat },
      scope: 'manage',
      summary: 'Refresh a chat',
      description:
        "Updates title, description, photo, member count and the bot's status and rights from Telegram.",
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
    post('Chats', '/api/chats/forget', {
      ...common,
      audit: { before: stateOf.chat, removes: true },
      scope: 'manage',
      summary: 'Forget a chat',
      description:
        'Deletes the stored messages, members, topics, warnings, warning settings and statistics of the chat, also from the totals of the bot. Nothing changes in Telegram. Tags, notes and opt-outs of broadcasts stay; the update log, outbox and routing decisions follow their retention. The chat reappears, empty, with its next message. Returns the chat as it was.',
      errors: [...errors, 'chat_not_found'],
      handler: ({ caller, query }) => chats.forget(caller, query.bot_id, query.chat_id),
    }),
  ];
}
