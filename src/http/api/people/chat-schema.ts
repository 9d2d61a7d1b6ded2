import { Type } from 'typebox';
import { ChatId, Id, Moment, Query } from '../../schemas.ts';
import { ButtonText, MessageContent } from '../messages/message-schema.ts';

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
      description: '`cursor` of the last chat of the previous page.',
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
  button_text: Type.Optional(ButtonText),
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
    description: Type.String({ description: 'Description; set after a refresh.' }),
    photo_file_id: Type.String({
      description: 'For `GET /api/media`; set after a refresh.',
    }),
    member_count: Type.Optional(
      Type.Integer({ description: 'Number of members; set after a refresh.', examples: [12] }),
    ),
    status: Type.String({
      description: 'Status of the bot: administrator, member, left, kicked, …; empty if unknown.',
      examples: ['administrator'],
    }),
    rights: Type.Record(Type.String(), Type.Boolean(), {
      description: 'Rights of the bot, as Telegram names them; set after a refresh.',
      examples: [{ can_delete_messages: true }],
    }),
    message_count: Type.Integer({ description: 'Number of stored messages.', examples: [1204] }),
    last_message_at: Moment('When the last message was sent.'),
    last_message: Type.Optional(LastMessage),
    migrated_to: Type.Integer({
      description: 'The supergroup that this group became; 0 if none.',
      examples: [0],
    }),
    refreshed_at: Moment('When the chat was last refreshed from Telegram.'),
    cursor: Type.String({
      description: 'Pass as `before` to get the next page.',
      examples: ['1767225600000:-1001234567890'],
    }),
  },
  { additionalProperties: false },
);
