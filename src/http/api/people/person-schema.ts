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
      description:
        'End time, 30 seconds to 366 days ahead. Cannot be combined with `duration_seconds`. Default: never.',
      examples: ['2030-01-31T12:00:00Z'],
    }),
  ),
  duration_seconds: Type.Optional(
    Type.Integer({
      minimum: minSeconds,
      maximum: maxSeconds,
      description: 'Length. Cannot be combined with `until`.',
      examples: [3600],
    }),
  ),
};

export const MuteQuery = Query({ ...personFields, ...timing });
export const BanQuery = Query({
  ...personFields,
  ...timing,
  revoke_messages: Type.Optional(
    Type.Boolean({ default: false, description: 'Also delete their messages in the chat.' }),
  ),
});

export const Right = Choice(adminRights, { description: "An administrator's right." });

const seconds = (description: string) =>
  Type.Integer({ minimum: 0, maximum: maxSeconds, description, examples: [0] });

const warnSettings = {
  threshold: Type.Integer({
    minimum: 0,
    maximum: 100,
    description: 'Number of active warnings that triggers the action; 0 means never.',
    examples: [3],
  }),
  action: Choice(thresholdActions, {
    description: 'What happens at the threshold.',
    examples: ['mute'],
  }),
  action_seconds: seconds('Length of the mute or ban; 0 means forever, otherwise at least 30.'),
  expire_seconds: seconds('After this time a warning no longer counts; 0 means never.'),
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
    Type.String({
      maxLength: 1_000,
      description: 'Reason for the warning.',
      examples: ['advertising'],
    }),
  ),
  expires_in_seconds: Type.Optional(seconds('Overrides the setting of the chat; 0 means never.')),
});

export const Warning = Type.Object({
  id: Id('Warning ID.'),
  chat_id: Type.Integer({ description: 'Chat ID.' }),
  user_id: Type.Integer({ description: 'Who was warned.' }),
  reason: Type.String(),
  warned_by: Type.String({ description: 'Who warned.' }),
  created_at: Moment('When.'),
  expires_at: Moment('When it no longer counts; "" means never.'),
  cleared_at: Moment('When it was removed or led to an action; "" if neither.'),
  active: Type.Boolean({ description: 'Whether it counts now.' }),
});

export const WarnOutcome = Type.Object({
  warning: Warning,
  active: Type.Integer({ description: 'Active warnings, including this one.', examples: [1] }),
  threshold: Type.Integer({ description: 'The threshold of the chat.', examples: [3] }),
  action: Choice(['', 'mute', 'kick', 'ban'], {
    description: 'The action taken; "" if the threshold was not reached.',
  }),
  until: Moment('When that action ends; "" if never or if there was none.'),
});

export const ModerationResult = Type.Object({
  bot_id: Type.Integer(),
  chat_id: Type.Integer(),
  user_id: Type.Integer(),
  action: Choice(chatActions),
  status: Type.String({
    description: 'Current status of the person in the chat.',
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
        description: 'The missing right; "" if no right is missing.',
      }),
      reason: Type.String({ description: 'Why it is not allowed; "" if it is.' }),
      reason_detail: Detail('reason'),
    }),
  ),
});

export const Note = Type.Object({
  id: Id('Note ID.'),
  user_id: Type.Integer({ description: 'The person it is about.' }),
  text: Type.String({ examples: ['Prefers to be called in the morning.'] }),
  author: Type.String({ description: 'Who wrote it.' }),
  created_at: Moment('When.'),
});

export const NoteBody = Body({
  bot_id: Id('Bot ID.'),
  user_id: UserId('The person it is about.'),
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
  status: Type.String({ description: 'Status in the chat; "" if unknown.' }),
  until: Moment('When a ban or mute ends; "" means never.'),
  messages: Type.Integer({ description: 'Messages they wrote there.' }),
  last_seen_at: Moment('When they were last seen in any chat.'),
});

export const Admin = Type.Object({
  ...person,
  status: Type.String({ description: 'creator or administrator.', examples: ['administrator'] }),
  title: Type.String({ description: 'Custom title.', examples: ['Moderator'] }),
  can_be_edited: Type.Boolean({ description: 'Whether this bot may change their rights.' }),
  rights: Type.Array(Right, { description: 'The rights they have.' }),
  until: Moment('When a ban or mute ends; "" means never.'),
});

export const Profile = Type.Object({
  ...person,
  language_code: Type.String({ examples: ['en'] }),
  last_seen_at: Moment('When they were last seen in any chat.'),
  messages: Type.Integer({ description: 'Messages this bot received from them, in all chats.' }),
  names: Type.Array(
    Type.Object({
      username: Type.String(),
      first_name: Type.String(),
      last_name: Type.String(),
      since: Moment('When they were first seen under this name.'),
    }),
    { description: 'Names they used, newest first.' },
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
