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

/* What can be done in the sandbox through the API; how it is served is in sandbox.ts. */

/** By the name of the action in the sandbox's own control interface. */
export const sandboxActions: Readonly<Record<string, SandboxAction>> = {
  snapshot: { reads: true, summary: 'Show everyone and everything there is' },
  'bots/create': {
    summary: 'Issue a practice bot',
    fields: newBot,
    answer: IssuedBot,
    errors: ['conflict'],
  },
  'bots/jump-update-ids': {
    summary: 'Let the update ids of a bot fall, as after a quiet week',
    fields: { bot: Bot() },
  },
  'bots/add-game': {
    summary: 'Set up a game for a bot, as with @BotFather',
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
        description: 'How many more.',
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
          description: 'User name.',
          examples: ['ben'],
        }),
      ),
      language_code: Type.Optional(Name('Such as en.', 8)),
      is_premium: Type.Optional(Type.Boolean({ description: 'Has Telegram Premium.' })),
      bio: Type.Optional(Name('About them.', 140)),
    },
    errors: ['conflict'],
  },
  'users/chats': {
    reads: true,
    summary: "Show a person's chats",
    fields: { user: chatFields.user },
  },
  'users/photo': { summary: 'Give a person a picture', fields: { user: chatFields.user } },
  'users/block-bot': {
    summary: 'Block a bot, or let it write again',
    fields: {
      user: chatFields.user,
      bot: Bot(),
      blocked: Type.Optional(Type.Boolean({ description: 'Left out: true.' })),
    },
  },
  'business/connect': {
    summary: 'Let a bot answer in the name of a business account, or change its rights',
    description:
      'One bot for an account: a second takes the place of the first. It hears what others write to this person, their edits and deletions.',
    fields: {
      user: Ref('Whose account.'),
      bot: Bot(),
      rights: Type.Optional(
        Type.Object(
          {
            can_reply: Type.Optional(Type.Boolean({ description: 'Write and edit.' })),
            can_read_messages: Type.Optional(Type.Boolean({ description: 'Mark as read.' })),
            can_delete_outgoing_messages: Type.Optional(
              Type.Boolean({ description: 'Delete what it wrote.' }),
            ),
            can_delete_all_messages: Type.Optional(Type.Boolean({ description: 'Delete any.' })),
          },
          { additionalProperties: false, description: 'Left out: all of these.' },
        ),
      ),
    },
  },
  'business/disconnect': {
    summary: 'Take the account back from its bot',
    fields: { user: Ref('Whose account.') },
  },
  'chats/create': {
    summary: 'Open a group or channel',
    fields: {
      type: Type.Optional(Choice(['group', 'supergroup', 'channel'], { default: 'supergroup' })),
      title: Name('Its title.', 128, 'Tea club'),
      owner: Ref('Who opens it.'),
      members: Type.Optional(
        Type.Array(Ref('A member.'), { maxItems: 200, description: 'Others.' }),
      ),
      username: Type.Optional(Name('Its public name.', 32, 'tea_club')),
      description: Type.Optional(Name('What it is for.', 255)),
      join_by_request: Type.Optional(Type.Boolean({ description: 'Admins let people in.' })),
    },
    errors: ['conflict'],
  },
  ...chatJoinActions,
  'chats/leave': { summary: 'Leave a chat', fields: chatFields },
  'chats/add-member': {
    summary: 'Add someone to a chat',
    fields: { ...chatFields, by: Ref('Who adds them.') },
  },
  'chats/remove-member': {
    summary: 'Remove someone from a chat',
    fields: { ...chatFields, by: Ref('Who removes them.') },
  },
  'chats/promote': {
    summary: 'Give someone rights in a chat, or take them back',
    fields: {
      ...chatFields,
      by: Ref('Who gives them.'),
      rights: Type.Optional(
        Type.Union([Type.Boolean(), Type.Object({}, { additionalProperties: true })], {
          description: 'Rights as the Bot API names them; false takes all back.',
        }),
      ),
    },
  },
  'chats/upgrade': { summary: 'Make a supergroup of a group', fields: chatFields },
  history: {
    reads: true,
    summary: 'Show a chat as a person sees it',
    fields: {
      ...chatFields,
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'How many.' })),
      before: Type.Optional(MessageId),
    },
  },
  say: { summary: 'Write a message', fields: { ...chatFields, text: Text, reply_to: replyTo } },
  talk: {
    summary: 'Let several people write in turn',
    description:
      'Time can pass in between; then it stays ahead until POST /api/sandbox/time/reset.',
    fields: { lines: Lines },
    answer: Said,
  },
  edit: { summary: 'Change a message', fields: { ...message, text: Text } },
  delete: { summary: 'Delete a message', fields: message },
  'send-media': {
    summary: 'Send a photo or other media',
    fields: {
      ...chatFields,
      kind: Type.Optional(Name('photo, video, document and so on; left out: photo.', 32, 'photo')),
      data: Type.Optional(
        Type.String({ minLength: 1, maxLength: 900_000, description: 'The bytes, as base64.' }),
      ),
      name: Type.Optional(Name('File name.', 128)),
      caption: Type.Optional(Type.String({ maxLength: 1_024, description: 'Caption.' })),
      reply_to: replyTo,
    },
  },
  'send-content': {
    summary: 'Send a location, a contact, a venue or a dice',
    description: 'One of the four, as the Bot API writes it.',
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
    fields: { ...message, from_chat: Ref('Where it is.', 'practice_bot') },
  },
  press: {
    summary: 'Press a button below a message',
    fields: { ...message, button: Name('Its text or its data.', 256, 'Yes') },
  },
  'callback-answer': {
    reads: true,
    summary: 'Show what a bot answered to a press',
    fields: { id: Name('As given by the press.') },
  },
  'stop-draft': {
    summary: 'Stop what a bot is writing as a draft',
    fields: { user: chatFields.user, bot: Bot() },
  },
  react: {
    summary: 'React to a message',
    fields: {
      ...message,
      emoji: Type.String({ maxLength: 32, description: '"" takes it back.', examples: ['👍'] }),
    },
  },
  vote: {
    summary: 'Vote in a poll',
    fields: {
      ...message,
      options: Type.Array(Type.Integer({ minimum: 0, maximum: 100 }), {
        maxItems: 100,
        description: 'The options, from 0; none takes the vote back.',
      }),
    },
  },
  pin: {
    summary: 'Pin a message, or unpin it',
    fields: { ...message, pinned: Type.Optional(Type.Boolean({ description: 'Left out: true.' })) },
  },
  'inline-query': {
    summary: 'Ask a bot inline, as by typing @bot query in a chat',
    fields: {
      ...chatFields,
      bot: Bot('The bot asked.'),
      query: Type.Optional(Type.String({ maxLength: 256, description: 'What is typed.' })),
    },
    answer: Type.Object({ id: Type.String({ description: 'For inline-results.' }) }),
  },
  'inline-results': {
    reads: true,
    summary: 'Show what a bot offered to an inline query',
    fields: { id: Name('As given by the query.') },
  },
  'inline-choose': {
    summary: 'Take one of the offered results',
    fields: { id: Name('As given by the query.'), result_id: Name('Which one.') },
  },
  ...paymentActions,
  ...ephemeralActions,
  ...faultActions,
  time: { reads: true, summary: "Show the sandbox's time", answer: Time },
  'time/advance': {
    summary: 'Let time pass in the sandbox',
    description:
      'Updates and queries expire, mutes end, polls close, waiting webhooks are tried again: as if one had waited.',
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
    summary: 'Set the time of the sandbox',
    description:
      'Going back makes nothing undone: what waits goes on waiting for as long as before.',
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
  'time/reset': { summary: 'Give the sandbox the real time again', answer: Time },
};
