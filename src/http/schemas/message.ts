import { Type } from 'typebox';
import { limits } from '../../core/limits.ts';
import { Body, ChatId, Id, largestId, Query } from '../schemas.ts';

export const SendMessageBody = Body({
  bot_id: Id('Bot to send from.'),
  chat_id: ChatId('Target chat (may be a negative number for group chats).'),
  text: Type.String({
    minLength: 1,
    maxLength: limits.messageLength,
    description: 'Message text, 1 to 4096 UTF-16 units.',
    examples: ['Your refund is on its way.'],
  }),
  reply_to_message_id: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: largestId,
      description: 'Message to reply to.',
      examples: [41],
    }),
  ),
});

export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.idempotencyKeyLength,
      description:
        'The same key gives the same answer and one send for 24 hours; with another body it is refused.',
      examples: ['refund-4711'],
    }),
  ),
});

export const MessageQuery = Query({
  chat_id: ChatId('Chat ID.'),
  bot_id: Id('Bot ID.'),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: limits.messagesByDefault,
      description: `Number of messages to return; more than ${limits.messagesPerPage} is served as ${limits.messagesPerPage}.`,
      examples: [50],
    }),
  ),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: largestId,
      default: 0,
      description: 'Pagination offset.',
      examples: [0],
    }),
  ),
  before_id: Type.Optional(ChatId('Only messages older than this one; pages without offsets.')),
});

export const Message = Type.Object(
  {
    id: Type.Integer({
      description: 'Platform message ID; negative for button presses.',
      examples: [42],
    }),
    chat_id: Type.Integer({ description: 'Chat ID.', examples: [-1001234567890] }),
    bot_id: Id('ID of the bot that received or sent the message.'),
    user_id: Type.Integer({ description: 'Sender user ID.', examples: [123456789] }),
    username: Type.String({ description: 'Sender username.', examples: ['ann'] }),
    first_name: Type.String({ description: 'Sender first name.', examples: ['Ann'] }),
    last_name: Type.String({ description: 'Sender last name.', examples: ['Lee'] }),
    text: Type.String({
      description: 'Message text, or the caption of media.',
      examples: ['Your refund is on its way.'],
    }),
    date: Type.Integer({
      description: 'Unix timestamp of the message.',
      examples: [1_767_225_600],
    }),
    media_type: Type.Optional(
      Type.String({
        description:
          'Present when the message has media: photo, video, animation, sticker, voice, audio, document or video_note; callback marks a button press.',
        examples: ['photo'],
      }),
    ),
    file_id: Type.Optional(
      Type.String({
        description: 'Platform file ID, present for media messages.',
        examples: ['AgACAgIAAxkBAAIB'],
      }),
    ),
    reply_to_message_id: Type.Optional(
      Type.Integer({
        description: 'ID of the message this one replies to, present when it does.',
        examples: [41],
      }),
    ),
  },
  { additionalProperties: false },
);
