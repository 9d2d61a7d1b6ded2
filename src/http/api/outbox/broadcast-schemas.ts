import { Type } from 'typebox';
import { limits } from '../../../core/limits.ts';
import {
  audienceConversations,
  audienceTypes,
  broadcastStates,
  broadcastTasks,
  recipientStates,
} from '../../../core/messages/broadcast.ts';
import { Choice, Closed, Detail, Flag, Id, Integer, List, Moment, Text } from '../../schemas.ts';
import { MessageAuthor } from '../messages/message-schema.ts';

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
  seen_within_days: Integer(
    'With a message or press of the person, or any message in a group or channel, within so many days; 0 for any time.',
    30,
    {
      minimum: 0,
      maximum: 3_650,
    },
  ),
  states: List(Choice(audienceConversations), 'Conversations in these states; empty for all.', [], {
    maxItems: 3,
  }),
};

export const AudienceInput = Closed(
  {
    chat_types: Type.Optional(audienceFields.chat_types),
    tags: Type.Optional(audienceFields.tags),
    languages: Type.Optional(audienceFields.languages),
    seen_within_days: Type.Optional(audienceFields.seen_within_days),
    states: Type.Optional(audienceFields.states),
  },
  'The chats that get it; each field narrows it. Left out: all private chats.',
);

export const options = {
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

export const paid = Flag(
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

export const id = Id('Broadcast ID.');
export const platformErrors = [
  'platform_refused',
  'platform_rate_limited',
  'platform_unreachable',
  'platform_timeout',
] as const;

export const managing = { audit: {}, scope: 'manage', response: Broadcast } as const;
