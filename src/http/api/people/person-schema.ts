import { Type } from 'typebox';
import { adminRights, chatActions } from '../../../core/people/chat-rights.ts';
import { maxSeconds, minSeconds, thresholdActions } from '../../../manage/people/moderation.ts';
import {
  Body,
  ChatId,
  Choice,
  Detail,
  Flag,
  Id,
  Integer,
  List,
  Moment,
  Optional,
  Query,
  Text,
  UserId,
} from '../../schemas.ts';

export const personFields = {
  bot_id: Id('Bot ID.'),
  chat_id: ChatId('Chat ID.'),
  user_id: UserId('The person.'),
};

export const PersonQuery = Query(personFields);

const timing = {
  until: Optional.Text(
    'End time, 30 seconds to 366 days ahead. Cannot be combined with `duration_seconds`. Default: never.',
    '2030-01-31T12:00:00Z',
    { format: 'date-time' },
  ),
  duration_seconds: Optional.Integer('Length. Cannot be combined with `until`.', 3600, {
    minimum: minSeconds,
    maximum: maxSeconds,
  }),
};

export const MuteQuery = Query({ ...personFields, ...timing });
export const BanQuery = Query({
  ...personFields,
  ...timing,
  revoke_messages: Optional.Flag('Also delete their messages in the chat.', undefined, {
    default: false,
  }),
});

export const Right = Choice(adminRights, { description: "An administrator's right." });

const seconds = (description: string) =>
  Integer(description, 0, { minimum: 0, maximum: maxSeconds });

const warnSettings = {
  threshold: Integer('Number of active warnings that triggers the action; 0 means never.', 3, {
    minimum: 0,
    maximum: 100,
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
  reason: Optional.Text('Reason for the warning.', 'advertising', { maxLength: 1_000 }),
  expires_in_seconds: Type.Optional(seconds('Overrides the setting of the chat; 0 means never.')),
});

export const Warning = Type.Object({
  id: Id('Warning ID.'),
  chat_id: Integer('Chat ID.'),
  user_id: Integer('Who was warned.'),
  reason: Type.String(),
  warned_by: Text('Who warned.'),
  created_at: Moment('When.'),
  expires_at: Moment('When it no longer counts; "" means never.'),
  cleared_at: Moment('When it was removed or led to an action; "" if neither.'),
  active: Flag('Whether it counts now.'),
});

export const WarnOutcome = Type.Object({
  warning: Warning,
  active: Integer('Active warnings, including this one.', 1),
  threshold: Integer('The threshold of the chat.', 3),
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
  status: Text('Current status of the person in the chat.', 'restricted'),
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
      reason: Text('Why it is not allowed; "" if it is.'),
      reason_detail: Detail('reason'),
    }),
  ),
});

export const Note = Type.Object({
  id: Id('Note ID.'),
  user_id: Integer('The person it is about.'),
  text: Type.String({ examples: ['Prefers to be called in the morning.'] }),
  author: Text('Who wrote it.'),
  created_at: Moment('When.'),
});

export const NoteBody = Body({
  bot_id: Id('Bot ID.'),
  user_id: UserId('The person it is about.'),
  text: Type.String({ minLength: 1, maxLength: 4_096, description: 'The note.' }),
});

const person = {
  user_id: Integer('User ID.', 123456789),
  username: Type.String({ examples: ['ann'] }),
  first_name: Type.String({ examples: ['Ann'] }),
  last_name: Type.String({ examples: ['Lee'] }),
  is_bot: Type.Boolean(),
};

export const ListedPerson = Type.Object({
  ...person,
  language_code: Type.String({ examples: ['en'] }),
  status: Text('Status in the chat; "" if unknown.'),
  until: Moment('When a ban or mute ends; "" means never.'),
  messages: Integer('Messages they wrote there.'),
  last_seen_at: Moment('When they were last seen in any chat.'),
});

export const Admin = Type.Object({
  ...person,
  status: Text('creator or administrator.', 'administrator'),
  title: Text('Custom title.', 'Moderator'),
  can_be_edited: Flag('Whether this bot may change their rights.'),
  rights: List(Right, 'The rights they have.'),
  until: Moment('When a ban or mute ends; "" means never.'),
});

export const Profile = Type.Object({
  ...person,
  language_code: Type.String({ examples: ['en'] }),
  last_seen_at: Moment('When they were last seen in any chat.'),
  messages: Integer('Messages this bot received from them, in all chats.'),
  names: List(
    Type.Object({
      username: Type.String(),
      first_name: Type.String(),
      last_name: Type.String(),
      since: Moment('When they were first seen under this name.'),
    }),
    'Names they used, newest first.',
  ),
  chats: List(
    Type.Object({
      chat_id: Type.Integer(),
      type: Type.String(),
      title: Type.String(),
      status: Text('member, administrator, kicked, …; "" when unknown.'),
      until: Moment('When a ban or mute ends; "" means never.'),
      admin_title: Type.String(),
      rights: List(Right, "An administrator's rights, as last known."),
      messages: Type.Integer(),
    }),
    'Chats of this bot in which they were seen.',
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
