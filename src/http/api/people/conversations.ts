import { Type } from 'typebox';
import { stateOf } from '../../../manage/access/audit-subjects.ts';
import type { ConversationService } from '../../../manage/people/conversations.ts';
import { type Endpoint, get, post } from '../../endpoint.ts';
import { Body, Optional, Query } from '../../schemas.ts';
import {
  AssignBody,
  Assignee,
  Chat,
  ChatCountsQuery,
  conversationKey,
  ConversationCounts,
  SnoozeBody,
  StateBody,
} from './chat-schema.ts';

export function conversationEndpoints(conversations: ConversationService): Endpoint[] {
  const errors = ['bot_not_found', 'bot_not_allowed', 'management_disabled'] as const;
  return [
    get('Chats', '/api/chats/counts', {
      scope: 'read',
      chats: 'refused',
      summary: 'Count conversations',
      description:
        'Of all bots that the key may see, or of one, by the filters of `GET /api/chats`.',
      query: ChatCountsQuery,
      response: ConversationCounts,
      errors: ['bot_not_allowed'],
      handler: ({ caller, query }) => conversations.counts(caller, query),
    }),
    get('Chats', '/api/chats/assignees', {
      scope: 'send',
      chats: 'none',
      summary: 'List possible assignees',
      description: 'The users of the web UI who may see the bot, or one of the bots.',
      query: Query({
        bot_id: Optional.Id('Bot ID. Default: all bots that the key may see.'),
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
  ];
}
