import { Type } from 'typebox';
import { Choice } from '../../schemas.ts';
import {
  Bot,
  Content,
  IssuedBot,
  Lines,
  message,
  MessageId,
  Name,
  newBot,
  chatFields,
  Ref,
  replyTo,
  Said,
  type SandboxAction,
  Text,
  Time,
} from './fields.ts';
import { chatJoinActions } from './chat-joins.ts';
import { ephemeralActions } from './ephemeral.ts';
import { faultActions } from './faults.ts';
import { paymentActions } from './payments.ts';

/* The actions of the sandbox in the API; sandbox.ts serves them. */

/** By the name of the action in the sandbox's control API. */
export const sandboxActions: Readonly<Record<string, SandboxAction>> = {
  snapshot: { reads: true, summary: 'Get the sandbox state' },
  'bots/create': {
    summary: 'Create a sandbox bot',
    fields: newBot,
    answer: IssuedBot,
    errors: ['conflict'],
  },
  'bots/jump-update-ids': {
    summary: 'Reset update IDs of a bot',
    description: 'As Telegram does after a week without updates.',
    fields: { bot: Bot() },
  },
  'bots/add-game': {
    summary: 'Add a game to a bot',
    fields: {
      bot: Bot(),
      short_name: Type.String({
        pattern: '^\\w{3,30}$',
        description: 'For sendGame.',
        examples: ['snake'],
      }),
      title: Type.Optional(Name('Its title.', 64, 'Snake')),
      description: Type.Optional(Name('What it is about.', 255)),
    },
  },
  'bots/give-stars': {
    summary: 'Give a bot Telegram Stars',
    fields: {
      bot: Bot(),
      stars: Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'How many to add.',
        examples: [100],
      }),
    },
    answer: Type.Object({ stars: Type.Integer({ description: 'Its balance.' }) }),
  },
  'users/create': {
    summary: 'Add a person',
    fields: {
      first_name: Type.Optional(Name('First name.', 64, 'Ben')),
      last_name: Type.Optional(Name('Last name.')),
      username: Type.Optional(
        Type.String({
          pattern: '^[A-Za-z][A-Za-z0-9_]{2,31}$',
          description: 'Username.',
          examples: ['ben'],
        }),
      ),
      language_code: Type.Optional(Name('Language code, such as en.', 8)),
      is_premium: Type.Optional(Type.Boolean({ description: 'Has Telegram Premium.' })),
      bio: Type.Optional(Name('Bio.', 140)),
    },
    errors: ['conflict'],
  },
  'users/chats': {
    reads: true,
    summary: 'List chats of a person',
    fields: { user: chatFields.user },
  },
  'users/photo': { summary: 'Set a profile photo', fields: { user: chatFields.user } },
  'users/block-bot': {
    summary: 'Block or unblock a bot',
    fields: {
      user: chatFields.user,
      bot: Bot(),
      blocked: Type.Optional(Type.Boolean({ description: 'Default: true.' })),
    },
  },
  'business/connect': {
    summary: 'Connect a bot to a business account',
    description:
      'Also changes the rights of a connected bot. An account has one bot: a second one replaces the first. The bot receives messages, edits and deletions of the chats of that account.',
    fields: {
      user: Ref('Whose account.'),
      bot: Bot(),
      rights: Type.Optional(
        Type.Object(
          {
            can_reply: Type.Optional(Type.Boolean({ description: 'Write and edit.' })),
            can_read_messages: Type.Optional(Type.Boolean({ description: 'Mark as read.' })),
            can_delete_outgoing_messages: Type.Optional(
              Type.Boolean({ description: 'Delete messages it sent.' }),
            ),
            can_delete_all_messages: Type.Optional(
              Type.Boolean({ description: 'Delete any message.' }),
            ),
          },
          { additionalProperties: false, description: 'Default: all of these.' },
        ),
      ),
    },
  },
  'business/disconnect': {
    summary: 'Disconnect a bot from a business account',
    fields: { user: Ref('Whose account.') },
  },
  'chats/create': {
    summary: 'Create a group or channel',
    fields: {
      type: Type.Optional(Choice(['group', 'supergroup', 'channel'], { default: 'supergroup' })),
      title: Name('Its title.', 128, 'Tea club'),
      owner: Ref('The owner.'),
      members: Type.Optional(
        Type.Array(Ref('A member.'), { maxItems: 200, description: 'Other members.' }),
      ),
      username: Type.Optional(Name('Public username.', 32, 'tea_club')),
      description: Type.Optional(Name('What it is for.', 255)),
      join_by_request: Type.Optional(Type.Boolean({ description: 'New members need approval.' })),
    },
    errors: ['conflict'],
  },
  ...chatJoinActions,
  'chats/leave': { summary: 'Leave a chat', fields: chatFields },
  'chats/add-member': {
    summary: 'Add a member',
    fields: { ...chatFields, by: Ref('Who adds them.') },
  },
  'chats/remove-member': {
    summary: 'Remove a member',
    fields: { ...chatFields, by: Ref('Who removes them.') },
  },
  'chats/promote': {
    summary: 'Promote or demote a member',
    fields: {
      ...chatFields,
      by: Ref('Who gives them.'),
      rights: Type.Optional(
        Type.Union([Type.Boolean(), Type.Object({}, { additionalProperties: true })], {
          description: 'Rights as in the Bot API; false removes all.',
        }),
      ),
    },
  },
  'chats/upgrade': { summary: 'Upgrade a group to a supergroup', fields: chatFields },
  history: {
    reads: true,
    summary: 'List messages as a person sees them',
    fields: {
      ...chatFields,
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'How many.' })),
      before: Type.Optional(MessageId),
    },
  },
  say: {
    summary: 'Send a message as a person',
    fields: { ...chatFields, text: Text, reply_to: replyTo },
  },
  talk: {
    summary: 'Play a conversation',
    description:
      'Several people write in turn. `after_seconds` moves the sandbox clock, which stays ahead until `POST /api/sandbox/time/reset`.',
    fields: { lines: Lines },
    answer: Said,
  },
  edit: { summary: 'Edit a message as a person', fields: { ...message, text: Text } },
  delete: { summary: 'Delete a message as a person', fields: message },
  'send-media': {
    summary: 'Send media as a person',
    fields: {
      ...chatFields,
      kind: Type.Optional(Name('photo, video, document and so on. Default: photo.', 32, 'photo')),
      data: Type.Optional(
        Type.String({ minLength: 1, maxLength: 900_000, description: 'The bytes, as base64.' }),
      ),
      name: Type.Optional(Name('File name.', 128)),
      caption: Type.Optional(Type.String({ maxLength: 1_024, description: 'Caption.' })),
      media_group_id: Type.Optional(
        Name('Album: the same for all of its messages, sent one by one.', 64, 'album-1'),
      ),
      reply_to: replyTo,
    },
  },
  'send-content': {
    summary: 'Send a location, contact, venue or dice',
    description: 'Set exactly one of them, in the format of the Bot API.',
    fields: {
      ...chatFields,
      location: Content('A location: latitude and longitude.', { latitude: 59.3, longitude: 18.1 }),
      contact: Content('A contact: phone_number and first_name.'),
      venue: Content('A venue: location, title and address.'),
      dice: Content('A dice: emoji and value.'),
    },
    rules: {
      if: { required: ['location'] },
      then: {},
      else: {
        if: { required: ['contact'] },
        then: {},
        else: { if: { required: ['venue'] }, then: {}, else: { required: ['dice'] } },
      },
    },
  },
  forward: {
    summary: 'Forward a message',
    fields: { ...message, from_chat: Ref('The chat it is in.', 'practice_bot') },
  },
  press: {
    summary: 'Press a button',
    fields: { ...message, button: Name('Its text or its data.', 256, 'Yes') },
  },
  'callback-answer': {
    reads: true,
    summary: 'Get the answer to a button press',
    fields: { id: Name('ID from the button press.') },
  },
  'stop-draft': {
    summary: 'Stop a draft of a bot',
    fields: { user: chatFields.user, bot: Bot() },
  },
  react: {
    summary: 'React to a message',
    fields: {
      ...message,
      emoji: Type.String({
        maxLength: 32,
        description: '"" removes the reaction.',
        examples: ['👍'],
      }),
    },
  },
  vote: {
    summary: 'Vote in a poll',
    fields: {
      ...message,
      options: Type.Array(Type.Integer({ minimum: 0, maximum: 100 }), {
        maxItems: 100,
        description: 'Options, counted from 0; an empty list retracts the vote.',
      }),
    },
  },
  pin: {
    summary: 'Pin or unpin a message as a person',
    fields: { ...message, pinned: Type.Optional(Type.Boolean({ description: 'Default: true.' })) },
  },
  'inline-query': {
    summary: 'Send an inline query',
    fields: {
      ...chatFields,
      bot: Bot('The inline bot.'),
      query: Type.Optional(Type.String({ maxLength: 256, description: 'What is typed.' })),
    },
    answer: Type.Object({ id: Type.String({ description: 'For inline-results.' }) }),
  },
  'inline-results': {
    reads: true,
    summary: 'Get inline results',
    fields: { id: Name('ID from the inline query.') },
  },
  'inline-choose': {
    summary: 'Choose an inline result',
    fields: { id: Name('ID from the inline query.'), result_id: Name('Which one.') },
  },
  ...paymentActions,
  ...ephemeralActions,
  ...faultActions,
  time: { reads: true, summary: 'Get the sandbox time', answer: Time },
  'time/advance': {
    summary: 'Advance the sandbox time',
    description:
      'Updates and queries expire, mutes end, polls close and webhooks are retried, as if the time had passed.',
    fields: {
      seconds: Type.Integer({
        minimum: 0,
        maximum: 315_360_000,
        description: 'How long.',
        examples: [3_600],
      }),
    },
    answer: Time,
  },
  'time/set': {
    summary: 'Set the sandbox time',
    description: 'Setting it back undoes nothing: remaining waits keep their length.',
    fields: {
      now: Type.Integer({
        minimum: 0,
        maximum: 4_102_444_800,
        description: 'Unix seconds.',
        examples: [1_893_456_000],
      }),
    },
    answer: Time,
  },
  'time/reset': { summary: 'Reset the sandbox time', answer: Time },
};
