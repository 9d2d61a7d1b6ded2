import { Type } from 'typebox';
import { limits } from '../../../core/limits.ts';
import {
  audienceConversations,
  audienceTypes,
  broadcastStates,
  broadcastTasks,
  everyPrivateChat,
  recipientStates,
} from '../../../core/messages/broadcast.ts';
import type { BroadcastService } from '../../../manage/outbox/broadcasts.ts';
import { mediaTypes } from '../../../manage/messages/send-calls.ts';
import { type Endpoint, get, post } from '../../endpoint.ts';
import {
  Body,
  ChatId,
  Choice,
  Closed,
  Detail,
  Flag,
  Id,
  Integer,
  List,
  Moment,
  Query,
  Text,
} from '../../schemas.ts';
import { MessageAuthor } from '../messages/message-schema.ts';
import { Entities, replyMarkup, words, wordsRules } from '../messages/send-schema.ts';

const audienceFields = {
  chat_types: List(Choice(audienceTypes), 'Kinds of chats.', ['private'], { maxItems: 4 }),
  tags: List(
    Type.String({ minLength: 1, maxLength: limits.tagLength }),
    'Chats with any of these tags; empty for all.',
    ['customer'],
    { maxItems: 50 },
  ),
  languages: List(
    Type.String({ minLength: 2, maxLength: 35 }),
    "Languages of the person's Telegram app; `en` includes `en-US`. Empty for all.",
    ['en'],
    { maxItems: 50 },
  ),
  seen_within_days: Integer('Seen within so many days; 0 for any time.', 30, {
    minimum: 0,
    maximum: 3_650,
  }),
  states: List(Choice(audienceConversations), 'Conversations in these states; empty for all.', [], {
    maxItems: 3,
  }),
};

const AudienceInput = Closed(
  {
    chat_types: Type.Optional(audienceFields.chat_types),
    tags: Type.Optional(audienceFields.tags),
    languages: Type.Optional(audienceFields.languages),
    seen_within_days: Type.Optional(audienceFields.seen_within_days),
    states: Type.Optional(audienceFields.states),
  },
  'The chats that get it; each field narrows it. Left out: all private chats.',
);

const options = {
  opt_out_button: Text(
    'Label of a button under the message by which a person opts out; empty for none. Private chats only.',
    'Unsubscribe',
    { maxLength: 64 },
  ),
  opt_out_word: Text('A message of this text opts out as well; empty for none.', 'stop', {
    maxLength: 64,
  }),
  opt_out_reply: Text('What the person then reads.', 'You get no more news.', { maxLength: 1_024 }),
  stop_at_blocked_percent: Integer(
    'Pauses when a larger share of at least 50 chats has blocked the bot; 0 for never.',
    10,
    { minimum: 0, maximum: 100 },
  ),
};

const paid = Flag(
  'Sends faster than Telegram allows for free: the bot pays 0.1 Stars for each message above 30 a second, and needs 10,000 Stars.',
  false,
);

const number = Type.Integer({ examples: [0] });

export const Broadcast = Closed({
  id: Integer('Broadcast ID.', 1),
  bot_id: Integer('The bot that sends it.', 1),
  name: Text('Display name.', 'Opening hours'),
  state: Choice(broadcastStates, {
    description: 'draft: not started. paused: by you, or by itself; `reason` says why.',
    examples: ['done'],
  }),
  reason: Text('Why it paused by itself; empty otherwise.', ''),
  reason_detail: Detail('reason'),
  text: Text('Its text or caption.', 'We open at nine.'),
  audience: Closed(audienceFields, 'The chats that get it.'),
  recipients: Integer('The number of chats when it was added.', 2),
  counts: Closed(
    {
      queued: number,
      sent: number,
      blocked: number,
      gone: number,
      failed: number,
      unknown: number,
      opted_out: number,
    },
    'Chats by result. unknown: the connection was lost during the send, which is never repeated. gone: the account or chat was deleted, or the bot was removed.',
  ),
  blocked_percent: Type.Number({
    description: 'Share of the chats reached or blocked that blocked the bot.',
    examples: [0.4],
  }),
  ...options,
  allow_paid_broadcast: paid,
  stars: Integer('Stars that it costs at most; 0 if it is not paid for.', 0),
  task: Choice(broadcastTasks, {
    description: 'What it does, or did last: sends, edits what was sent, or deletes it.',
    examples: ['send'],
  }),
  task_counts: Closed(
    { total: number, done: number, failed: number, unknown: number },
    'Messages by result of the last edit or deletion.',
  ),
  author: MessageAuthor,
  created_at: Moment('When it was added.'),
  started_at: Moment('When it was started.'),
  ended_at: Moment('When it ended.'),
});

export const BroadcastResult = Closed({
  chat_id: Integer('Chat ID.', 123456789),
  title: Text('Title of the chat, or name of the person.', 'Ann Lee'),
  state: Choice(recipientStates, {
    description: 'What became of the message.',
    examples: ['sent'],
  }),
  message_id: Integer('ID of the message; 0 if there is none.', 42),
  error: Text('Why it was not sent; empty otherwise.', ''),
  error_detail: Detail('error'),
  task_state: Text('Of the last edit or deletion: queued, done, failed, unknown, or empty.', ''),
  task_error: Text('Why that failed.', ''),
});

const id = Id('Broadcast ID.');
const IdBody = Body({ id });
const platformErrors = [
  'platform_refused',
  'platform_rate_limited',
  'platform_unreachable',
  'platform_timeout',
] as const;
const changeErrors = ['not_found', 'bot_not_allowed', 'conflict'] as const;

export function broadcastEndpoints({ broadcasts }: { broadcasts: BroadcastService }): Endpoint[] {
  const managing = { audit: {}, scope: 'manage', response: Broadcast } as const;
  return [
    get('Broadcasts', '/api/broadcasts', {
      scope: 'read',
      chats: 'refused',
      summary: 'List broadcasts',
      description: 'Newest first, with their progress.',
      query: Query({
        bot_id: Type.Optional(Id('Only of this bot.')),
        before_id: Type.Optional(Id('Only those older than this one, for paging.')),
        limit: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 200,
            default: 50,
            description: 'At most this many.',
          }),
        ),
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
          type: Type.Optional(Choice(mediaTypes, { description: 'Kind of media.', examples: [] })),
          file_id: Type.Optional(
            Text('file_id of a file the bot has seen.', undefined, {
              minLength: 1,
              maxLength: limits.fileIdLength,
            }),
          ),
          caption: Type.Optional(
            Text('Caption of the media.', undefined, { maxLength: limits.captionLength }),
          ),
          caption_entities: Entities('caption', 'caption'),
          ...replyMarkup,
          disable_notification: Type.Optional(Flag('Sends without a sound.', false)),
          protect_content: Type.Optional(Flag('Prevents forwarding and saving.', false)),
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
    post('Broadcasts', '/api/broadcasts/start', {
      ...managing,
      summary: 'Start a broadcast',
      description:
        'Sends it to the audience as it is now, at most 25 messages a second and after ordinary messages. Repeat the number of `recipients` that you saw: 409 if the audience has grown by more than 10 % since. A paid one also needs the `stars` that it may cost, and is refused if the bot has too few. One broadcast of a bot runs at a time.',
      body: Body({
        id,
        recipients: Integer('The number of recipients that you saw.', 2, { minimum: 0 }),
        stars: Type.Optional(
          Integer('For a paid broadcast: the Stars that you agree to pay at most.', 1, {
            minimum: 0,
          }),
        ),
      }),
      errors: [...changeErrors, 'bot_disabled', ...platformErrors],
      handler: ({ caller, body }) => broadcasts.start(caller, body),
    }),
    post('Broadcasts', '/api/broadcasts/pause', {
      ...managing,
      summary: 'Pause a broadcast',
      description: 'Messages that are being sent still arrive. Stays paused over restarts.',
      body: IdBody,
      errors: [...changeErrors],
      handler: ({ caller, body }) => broadcasts.pause(caller, body.id),
    }),
    post('Broadcasts', '/api/broadcasts/resume', {
      ...managing,
      summary: 'Resume a broadcast',
      description: 'Goes on with the chats that have not got it.',
      body: IdBody,
      errors: [...changeErrors, 'bot_disabled'],
      handler: ({ caller, body }) => broadcasts.resume(caller, body.id),
    }),
    post('Broadcasts', '/api/broadcasts/cancel', {
      ...managing,
      summary: 'Cancel a broadcast',
      description: 'Sends no more of it, for good. What was sent can be edited and deleted.',
      body: IdBody,
      errors: [...changeErrors],
      handler: ({ caller, body }) => broadcasts.cancel(caller, body.id),
    }),
    get('Broadcasts', '/api/broadcasts/results', {
      scope: 'read',
      chats: 'refused',
      summary: 'List the results of a broadcast',
      description: 'One entry for each chat, by chat ID.',
      query: Query({
        id,
        state: Type.Optional(Choice(recipientStates, { description: 'Only this result.' })),
        after_chat_id: Type.Optional(ChatId('Only chats after this one, for paging.')),
        limit: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 500,
            default: 100,
            description: 'At most this many.',
          }),
        ),
      }),
      response: Type.Array(BroadcastResult),
      errors: ['not_found', 'bot_not_allowed'],
      handler: ({ caller, query: { limit = 100, ...query } }) =>
        broadcasts.results(caller, { ...query, limit }),
    }),
    post('Broadcasts', '/api/broadcasts/edit', {
      ...managing,
      summary: 'Edit what a broadcast sent',
      description:
        'Changes the text, or the caption of media, in every chat that got the message. The buttons stay. The broadcast must have ended.',
      body: Body(
        { id, ...words('The new text, or the new caption of media.', 'We open at ten.') },
        [],
        wordsRules(),
      ),
      errors: [...changeErrors, 'bot_disabled'],
      handler: ({ caller, body }) => broadcasts.edit(caller, body),
    }),
    post('Broadcasts', '/api/broadcasts/delete', {
      ...managing,
      summary: 'Delete what a broadcast sent',
      description:
        'Deletes the message in every chat that got it. Telegram allows that for 48 hours. The broadcast and its results stay.',
      body: IdBody,
      errors: [...changeErrors, 'bot_disabled'],
      handler: ({ caller, body }) => broadcasts.delete(caller, body.id),
    }),
  ];
}
