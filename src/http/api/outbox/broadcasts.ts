import { Type } from 'typebox';
import { limits } from '../../../core/limits.ts';
import { everyPrivateChat, recipientStates } from '../../../core/messages/broadcast.ts';
import type { BroadcastService } from '../../../manage/outbox/broadcasts.ts';
import { mediaTypes } from '../../../manage/messages/send-calls.ts';
import { type Endpoint, get, post } from '../../endpoint.ts';
import { Body, ChatId, Closed, Id, Integer, Optional, Query, Text } from '../../schemas.ts';
import { runEndpoints } from './broadcast-runs.ts';
import {
  AudienceInput,
  BroadcastResult,
  Broadcast,
  id,
  managing,
  options,
  paid,
  platformErrors,
} from './broadcast-schemas.ts';
import { Entities, replyMarkup, words, wordsRules } from '../messages/send-schema.ts';

export function broadcastEndpoints({ broadcasts }: { broadcasts: BroadcastService }): Endpoint[] {
  return [
    ...runEndpoints({ broadcasts }),
    get('Broadcasts', '/api/broadcasts', {
      scope: 'read',
      chats: 'refused',
      summary: 'List broadcasts',
      description: 'Newest first, with their progress.',
      query: Query({
        bot_id: Optional.Id('Only of this bot.'),
        before_id: Optional.Id('Only those older than this one, for paging.'),
        limit: Optional.Integer('At most this many.', undefined, {
          minimum: 1,
          maximum: 200,
          default: 50,
        }),
      }),
      response: Type.Array(Broadcast),
      errors: ['bot_not_found', 'bot_not_allowed'],
      handler: ({ caller, query: { limit = 50, ...query } }) =>
        broadcasts.list(caller, { ...query, limit }),
    }),
    post('Broadcasts', '/api/broadcasts/count', {
      audit: 'none',
      scope: 'read',
      chats: 'refused',
      summary: 'Count an audience',
      description:
        'Returns how many chats would get a broadcast, and how many of the audience are left out, because they blocked the bot, are gone or opted out.',
      body: Body({ bot_id: Id('Bot ID.'), audience: Type.Optional(AudienceInput) }),
      response: Closed({
        recipients: Integer('Chats that would get it.', 2),
        left_out: Integer('Chats left out.', 0),
        stars: Integer('Stars that a paid broadcast to them costs at most.', 1),
      }),
      responseName: 'AudienceCount',
      errors: ['bot_not_found', 'bot_not_allowed'],
      handler: ({ caller, body: { bot_id, audience } }) =>
        broadcasts.count(caller, { bot_id, audience: { ...everyPrivateChat, ...audience } }),
    }),
    post('Broadcasts', '/api/broadcasts/add', {
      ...managing,
      summary: 'Add a broadcast',
      description:
        'Adds a draft and counts its audience; nothing is sent before `start`. The message is one text, which may use `format: "markdown"`, a rich message, or media by `file_id`.',
      body: Body(
        {
          bot_id: Id('Bot to send from.'),
          name: Text('Display name.', 'Opening hours', {
            minLength: 1,
            maxLength: limits.nameLength,
          }),
          audience: Type.Optional(AudienceInput),
          ...words('Message text.', 'We open at nine.'),
          type: Optional.Choice(mediaTypes, { description: 'Kind of media.', examples: [] }),
          file_id: Optional.Text('file_id of a file the bot has seen.', undefined, {
            minLength: 1,
            maxLength: limits.fileIdLength,
          }),
          caption: Optional.Text('Caption of the media.', undefined, {
            maxLength: limits.captionLength,
          }),
          caption_entities: Entities('caption', 'caption'),
          ...replyMarkup,
          disable_notification: Optional.Flag('Sends without a sound.', false),
          protect_content: Optional.Flag('Prevents forwarding and saving.', false),
          opt_out_button: Type.Optional(options.opt_out_button),
          opt_out_word: Type.Optional(options.opt_out_word),
          opt_out_reply: Type.Optional(options.opt_out_reply),
          stop_at_blocked_percent: Type.Optional(options.stop_at_blocked_percent),
          allow_paid_broadcast: Type.Optional(paid),
        },
        [],
        { if: { required: ['type'] }, then: { required: ['file_id'] }, else: wordsRules() },
      ),
      errors: ['bot_not_found', 'bot_not_allowed'],
      handler: ({ caller, body }) =>
        broadcasts.add(caller, { ...body, audience: { ...everyPrivateChat, ...body.audience } }),
    }),
    post('Broadcasts', '/api/broadcasts/test', {
      audit: {},
      scope: 'manage',
      summary: 'Test a broadcast',
      description: 'Sends the message to one chat, such as your own, as a recipient would get it.',
      body: Body({ id, chat_id: ChatId('The chat to send it to.') }),
      response: Closed({ message_id: Integer('ID of the message.', 42) }),
      responseName: 'BroadcastTest',
      errors: ['not_found', 'bot_not_allowed', 'bot_disabled', ...platformErrors],
      handler: ({ caller, body }) => broadcasts.test(caller, body),
    }),
    get('Broadcasts', '/api/broadcasts/results', {
      scope: 'read',
      chats: 'refused',
      summary: 'List the results of a broadcast',
      description: 'One entry for each chat, by chat ID.',
      query: Query({
        id,
        state: Optional.Choice(recipientStates, { description: 'Only this result.' }),
        after_chat_id: Optional.ChatId('Only chats after this one, for paging.'),
        limit: Optional.Integer('At most this many.', undefined, {
          minimum: 1,
          maximum: 500,
          default: 100,
        }),
      }),
      response: Type.Array(BroadcastResult),
      errors: ['not_found', 'bot_not_allowed'],
      handler: ({ caller, query: { limit = 100, ...query } }) =>
        broadcasts.results(caller, { ...query, limit }),
    }),
  ];
}
