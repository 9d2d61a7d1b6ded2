import { Type } from 'typebox';
import { stateOf } from '../../../manage/access/audit-subjects.ts';
import type { ChatService } from '../../../manage/people/chats.ts';
import type { TopicService } from '../../../manage/people/topics.ts';
import { type Endpoint, get, post } from '../../endpoint.ts';
import type { ConversationService } from '../../../manage/people/conversations.ts';
import { Body, Id, Query } from '../../schemas.ts';
import {
  AssignBody,
  Assignee,
  Chat,
  ChatKeyQuery,
  ChatListQuery,
  conversationKey,
  ConversationCounts,
  SnoozeBody,
  StateBody,
  Topic,
  TopicListQuery,
} from './chat-schema.ts';

export function chatEndpoints({
  chats,
  conversations,
  topics,
}: {
  chats: ChatService;
  topics: TopicService;
  conversations: ConversationService;
}): Endpoint[] {
  const common = { response: Chat, query: ChatKeyQuery } as const;
  const errors = ['bot_not_found', 'bot_not_allowed', 'management_disabled'] as const;
  return [
    get('Chats', '/api/chats', {
      scope: 'read',
      chats: 'filtered',
      summary: 'List chats',
      description:
        'Sorted by last message, newest first, or by waiting time. Only of bots with `manage_enabled`. Private chats and chats of business accounts are conversations: they have a `state` and may have an `assignee`.',
      query: ChatListQuery,
      response: Type.Array(Chat),
      errors,
      handler: ({ caller, query: { limit = 50, ...query }, signal }) =>
        chats.list(caller, { ...query, limit }, signal),
    }),
    get('Chats', '/api/chats/get', {
      ...common,
      scope: 'read',
      chats: 'reads',
      summary: 'Get a chat',
      errors: [...errors, 'chat_not_found'],
      handler: ({ caller, query }) => chats.get(caller, query.bot_id, query.chat_id),
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
    get('Chats', '/api/chats/counts', {
      scope: 'read',
      chats: 'refused',
      summary: 'Count conversations',
      description: 'Of all bots that the key may see, or of one.',
      query: Query({ bot_id: Type.Optional(Id('Only conversations of this bot.')) }),
      response: ConversationCounts,
      errors: ['bot_not_allowed'],
      handler: ({ caller, query }) => conversations.counts(caller, query.bot_id),
    }),
    get('Chats', '/api/chats/assignees', {
      scope: 'send',
      chats: 'none',
      summary: 'List possible assignees',
      description: 'The users of the web UI who may see the bot, or one of the bots.',
      query: Query({
        bot_id: Type.Optional(Id('Bot ID. Default: all bots that the key may see.')),
      }),
      response: Type.Array(Assignee),
      errors,
      handler: ({ caller, query }) => conversations.assignees(caller, query.bot_id),
    }),
    post('Chats', '/api/chats/assign', {
      audit: { before: stateOf.chat },
      scope: 'send',
      chats: 'reads and writes',
      summary: 'Assign a conversation',
      description:
        'If somebody else has it, the answer is 409 with the name, unless `confirm` is true. A message to a conversation that nobody has assigns it to the user who sent it.',
      body: AssignBody,
      response: Chat,
      errors: [...errors, 'chat_not_found', 'conflict'],
      handler: ({ caller, body: { confirm = false, ...body } }) =>
        conversations.assign(caller, { ...body, confirm }),
    }),
    post('Chats', '/api/chats/state', {
      audit: { before: stateOf.chat },
      scope: 'send',
      chats: 'reads and writes',
      summary: 'Set the state of a conversation',
      description: 'The next message of the person makes it `waiting` again.',
      body: StateBody,
      response: Chat,
      errors: [...errors, 'chat_not_found'],
      handler: ({ caller, body }) => conversations.setState(caller, body),
    }),
    post('Chats', '/api/chats/snooze', {
      audit: { before: stateOf.chat },
      scope: 'send',
      chats: 'reads and writes',
      summary: 'Snooze a conversation',
      description: 'Hides it from the waiting ones until a time, or until the next message.',
      body: SnoozeBody,
      response: Chat,
      errors: [...errors, 'chat_not_found'],
      handler: ({ caller, body }) => conversations.snooze(caller, body),
    }),
    post('Chats', '/api/chats/read', {
      audit: 'none',
      scope: 'read',
      chats: 'reads',
      summary: 'Mark a conversation as read',
      description:
        'Up to its last message, for the calling user. For a key, nothing changes: `unread` belongs to users.',
      body: Body(conversationKey),
      response: Chat,
      errors: [...errors, 'chat_not_found'],
      handler: ({ caller, body }) => conversations.read(caller, body),
    }),
    post('Chats', '/api/chats/writing', {
      audit: 'none',
      scope: 'send',
      chats: 'writes',
      summary: 'Tell others that you write',
      description:
        'Sends the event `chat.writing` with your name. Repeat it every few seconds while you write an answer. Telegram is told nothing.',
      body: Body(conversationKey),
      response: Type.Object({ told: Type.Boolean() }),
      errors,
      async handler({ caller, body }) {
        await conversations.writing(caller, body);
        return { told: true };
      },
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
        'Deletes the stored messages, members, topics, warnings, warning settings and statistics of the chat, also from the totals of the bot. Nothing changes in Telegram. Tags and notes stay; the update log, outbox and routing decisions follow their retention. The chat reappears, empty, with its next message. Returns the chat as it was.',
      errors: [...errors, 'chat_not_found'],
      handler: ({ caller, query }) => chats.forget(caller, query.bot_id, query.chat_id),
    }),
  ];
}
