import { Type } from 'typebox';
import { adminRights, chatActions } from '../../../core/people/chat-rights.ts';
import { maxSeconds, minSeconds, thresholdActions } from '../../../manage/people/moderation.ts';
import { Body, ChatId, Choice, Detail, Id, Moment, Query, UserId } from '../../schemas.ts';

export const personFields = {
  bot_id: Id('Bot ID.'),
  chat_id: ChatId('Chat ID.'),
  user_id: UserId('The person.'),
};

export const PersonQuery = Query(personFields);

const timing = {
  until: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'When it ends, 30 seconds to 366 days ahead; left out: never.',
      examples: ['2030-01-31T12:00:00Z'],
    }),
  ),
  duration_seconds: Type.Optional(
    Type.Integer({
      minimum: minSeconds,
      maximum: maxSeconds,
      description: 'How long it lasts, in place of `until`.',
      examples: [3600],
    }),
  ),
};

export const MuteQuery = Query({ ...personFields, ...timing });
export const BanQuery = Query({
  ...personFields,
  ...timing,
  revoke_messages: Type.Optional(
    Type.Boolean({ default: false, description: 'Also remove what they wrote in the chat.' }),
  ),
});

export const Right = Choice(adminRights, { description: "An administrator's right." });

const seconds = (description: string) =>
  Type.Integer({ minimum: 0, maximum: maxSeconds, description, examples: [0] });

const warnSettings = {
  threshold: Type.Integer({
    minimum: 0,
    maximum: 100,
    description: 'So many warnings that still count bring the action; 0 means never.',
    examples: [3],
  }),
  action: Choice(thresholdActions, {
    description: 'What the threshold brings.',
    examples: ['mute'],
  }),
  action_seconds: seconds('How long a mute or ban lasts; 0 means for ever, else 30 or more.'),
  expire_seconds: seconds('After which a warning no longer counts; 0 means never.'),
};
export const WarnSettings = Type.Object(warnSettings);
export const WarnSettingsBody = Body({
  threshold: Type.Optional(warnSettings.threshold),
  action: Type.Optional(warnSettings.action),
  action_seconds: Type.Optional(warnSettings.action_seconds),
  expire_seconds: Type.Optional(warnSettings.expire_seconds),
});

export const WarnBody = Body({
  reason: Type.Optional(
    Type.String({ maxLength: 1_000, description: 'What for.', examples: ['advertising'] }),
  ),
  expires_in_seconds: Type.Optional(seconds("In place of the chat's own; 0 means never.")),
});

export const Warning = Type.Object({
  id: Id('Warning ID.'),
  chat_id: Type.Integer({ description: 'Chat ID.' }),
  user_id: Type.Integer({ description: 'Who was warned.' }),
  reason: Type.String(),
  warned_by: Type.String({ description: 'Who warned.' }),
  created_at: Moment('When.'),
  expires_at: Moment('When it no longer counts; "" means never.'),
  cleared_at: Moment('When it was taken back or followed by an action; "" means it was not.'),
  active: Type.Boolean({ description: 'Whether it counts now.' }),
});

export const WarnOutcome = Type.Object({
  warning: Warning,
  active: Type.Integer({ description: 'How many counted, this one included.', examples: [1] }),
  threshold: Type.Integer({ description: 'The threshold of the chat.', examples: [3] }),
  action: Choice(['', 'mute', 'kick', 'ban'], {
    description: 'What the threshold brought; "" when it was not reached.',
  }),
  until: Moment('When that action ends; "" means never, or that there was none.'),
});

export const ModerationResult = Type.Object({
  bot_id: Type.Integer(),
  chat_id: Type.Integer(),
  user_id: Type.Integer(),
  action: Choice(chatActions),
  status: Type.String({
    description: 'What the person is in the chat now.',
    examples: ['restricted'],
  }),
  until: Moment('When it ends; "" means never.'),
});

export const RightsAnswer = Type.Object({
  actions: Type.Array(
    Type.Object({
      action: Choice(chatActions),
      allowed: Type.Boolean(),
      right: Right,
      missing: Choice(['', ...adminRights], {
        description: 'The right the bot lacks; "" when it is not for want of one.',
      }),
      reason: Type.String({ description: 'Why not; "" when allowed.' }),
      reason_detail: Detail('reason'),
    }),
  ),
});

export const Note = Type.Object({
  id: Id('Note ID.'),
  user_id: Type.Integer({ description: 'Whom it is about.' }),
  text: Type.String({ examples: ['Prefers to be called in the morning.'] }),
  author: Type.String({ description: 'Who wrote it.' }),
  created_at: Moment('When.'),
});

export const NoteBody = Body({
  bot_id: Id('Bot ID.'),
  user_id: UserId('Whom it is about.'),
  text: Type.String({ minLength: 1, maxLength: 4_096, description: 'The note.' }),
});

const person = {
  user_id: Type.Integer({ description: 'User ID.', examples: [123456789] }),
  username: Type.String({ examples: ['ann'] }),
  first_name: Type.String({ examples: ['Ann'] }),
  last_name: Type.String({ examples: ['Lee'] }),
  is_bot: Type.Boolean(),
};

export const ListedPerson = Type.Object({
  ...person,
  language_code: Type.String({ examples: ['en'] }),
  status: Type.String({ description: 'In the chat asked about; "" when not known.' }),
  until: Moment('When a ban or mute ends; "" means never.'),
  messages: Type.Integer({ description: 'How many they wrote there.' }),
  last_seen_at: Moment('When they were last seen anywhere.'),
});

export const Admin = Type.Object({
  ...person,
  status: Type.String({ description: 'creator or administrator.', examples: ['administrator'] }),
  title: Type.String({ description: 'Custom title.', examples: ['Moderator'] }),
  can_be_edited: Type.Boolean({ description: 'Whether this bot may change them.' }),
  rights: Type.Array(Right, { description: 'The rights they have.' }),
  until: Moment('When a ban or mute ends; "" means never.'),
});

export const Profile = Type.Object({
  ...person,
  language_code: Type.String({ examples: ['en'] }),
  last_seen_at: Moment('When they were last seen anywhere.'),
  messages: Type.Integer({ description: 'How many this bot got from them, in all chats.' }),
  names: Type.Array(
    Type.Object({
      username: Type.String(),
      first_name: Type.String(),
      last_name: Type.String(),
      since: Moment('When they were first seen under this name.'),
    }),
    { description: 'What they were called, newest first.' },
  ),
  chats: Type.Array(
    Type.Object({
      chat_id: Type.Integer(),
      type: Type.String(),
      title: Type.String(),
      status: Type.String({ description: 'member, administrator, kicked, …; "" when unknown.' }),
      until: Moment('When a ban or mute ends; "" means never.'),
      admin_title: Type.String(),
      rights: Type.Array(Right, { description: "An administrator's rights, as last known." }),
      messages: Type.Integer(),
    }),
    { description: 'Chats of this bot in which they were seen.' },
  ),
  tags: Type.Array(
    Type.Object({
      id: Id('Tag ID.'),
      chat_id: Type.Integer(),
      tag: Type.String(),
      color: Type.String(),
    }),
  ),
  notes: Type.Array(Note),
  warnings: Type.Array(Warning),
  member: Type.Optional(Admin),
});
