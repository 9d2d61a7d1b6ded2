import { Type } from 'typebox';
import { ChatId, Id, Moment, Query } from '../../schemas.ts';
import { MessageContent } from '../messages/message-schema.ts';

export const ChatKeyQuery = Query({ bot_id: Id('Bot ID.'), chat_id: ChatId('Chat ID.') });

export const ChatListQuery = Query({
  bot_id: Id('Bot ID.'),
  q: Type.Optional(
    Type.String({
      maxLength: 256,
      description: 'Part of a title or username, or a chat ID.',
      examples: ['team'],
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Chats to return.' }),
  ),
  before: Type.Optional(
    Type.String({
      pattern: '^\\d{1,15}:-?\\d{1,16}$',
      description: 'The `cursor` of the last chat of the page before.',
      examples: ['1767225600000:-1001234567890'],
    }),
  ),
});

export const LastMessage = Type.Object({
  id: Type.Integer({ examples: [42] }),
  text: Type.String({ examples: ['See you tomorrow'] }),
  date: Type.Integer({ description: 'Unix timestamp.', examples: [1_767_225_600] }),
  user_id: Type.Integer({ examples: [123456789] }),
  username: Type.String({ examples: ['ann'] }),
  first_name: Type.String({ examples: ['Ann'] }),
  last_name: Type.String({ examples: ['Lee'] }),
  media_type: Type.Optional(Type.String({ examples: ['photo'] })),
  content: Type.Optional(MessageContent),
});

export const Chat = Type.Object(
  {
    bot_id: Id('Bot that is in the chat.'),
    chat_id: Type.Integer({ description: 'Chat ID.', examples: [-1001234567890] }),
    type: Type.String({
      description: 'private, group, supergroup or channel.',
      examples: ['supergroup'],
    }),
    title: Type.String({
      description: 'Title, or the name of the person in a private chat.',
      examples: ['Team'],
    }),
    username: Type.String({ description: 'Public name, without @.', examples: ['team_chat'] }),
    description: Type.String({ description: 'Known once the chat was refreshed.' }),
    photo_file_id: Type.String({
      description: 'For `GET /api/media`; known once the chat was refreshed.',
    }),
    member_count: Type.Optional(
      Type.Integer({ description: 'Present once the chat was refreshed.', examples: [12] }),
    ),
    status: Type.String({
      description: "The bot's own: administrator, member, left, kicked, …; empty when unknown.",
      examples: ['administrator'],
    }),
    rights: Type.Record(Type.String(), Type.Boolean(), {
      description: "The bot's own rights in the platform's words, once the chat was refreshed.",
      examples: [{ can_delete_messages: true }],
    }),
    message_count: Type.Integer({ description: 'Stored messages.', examples: [1204] }),
    last_message_at: Moment('When the last message was sent.'),
    last_message: Type.Optional(LastMessage),
    migrated_to: Type.Integer({
      description: 'The supergroup that this group became; 0 for none.',
      examples: [0],
    }),
    refreshed_at: Moment('When the platform was last asked.'),
    cursor: Type.String({
      description: 'For `before`, to get the chats that follow this one.',
      examples: ['1767225600000:-1001234567890'],
    }),
  },
  { additionalProperties: false },
);
