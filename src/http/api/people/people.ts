import { type Static, Type } from 'typebox';
import type { Clock } from '../../../clock.ts';
import type { ErrorCode } from '../../../errors.ts';
import { stateOf } from '../../../manage/access/audit-subjects.ts';
import type { ModerationView } from '../../../manage/people/member-actions.ts';
import type { Moderation } from '../../../manage/people/moderation.ts';
import type { Profiles } from '../../../manage/people/profiles.ts';
import { type Endpoint, get, post } from '../../endpoint.ts';
import { isoTime } from '../../../core/iso-time.ts';
import {
  BanQuery,
  ListedPerson,
  ModerationResult,
  MuteQuery,
  Note,
  NoteBody,
  PersonQuery,
  personFields,
  Profile,
  RightsAnswer,
  WarnBody,
  Warning,
  WarnOutcome,
  WarnSettings,
  WarnSettingsBody,
} from './person-schema.ts';
import { Id, Optional, Query } from '../../schemas.ts';
import { noteView, personView, profileView, warningView } from './people-views.ts';

export interface PeopleDeps {
  profiles: Profiles;
  moderation: Moderation;
  clock: Clock;
}

const errors = ['bot_not_found', 'bot_not_allowed', 'management_disabled'] as const;
export const platformErrors: readonly ErrorCode[] = [
  ...errors,
  'bot_disabled',
  'platform_refused',
  'platform_rate_limited',
  'platform_unreachable',
  'platform_timeout',
];
const ChatQuery = Query({ bot_id: personFields.bot_id, chat_id: personFields.chat_id });
const RecordQuery = Query({ bot_id: personFields.bot_id, id: Id('Its ID.') });

export function peopleEndpoints(deps: PeopleDeps): Endpoint[] {
  return [...looking(deps), ...acting(deps), ...warning(deps), ...noting(deps)];
}

function looking({ profiles, moderation, clock }: PeopleDeps): Endpoint[] {
  return [
    get('People', '/api/users/list', {
      scope: 'read',
      chats: 'reads',
      summary: 'List people',
      description: 'Everyone the bot has seen, in one chat or in all, sorted by user ID.',
      query: Query({
        bot_id: personFields.bot_id,
        chat_id: Optional.ChatId('Only people of this chat.'),
        q: Optional.Text('Part of a name, or a user ID.', undefined, { maxLength: 256 }),
        limit: Optional.Integer('How many.', undefined, { minimum: 1, maximum: 200, default: 50 }),
        after: Optional.UserId('Last user ID of the previous page.'),
      }),
      response: Type.Array(ListedPerson),
      errors,
      handler: async ({ caller, query: { limit = 50, ...query } }) =>
        (await profiles.list(caller, { ...query, limit })).map(personView),
    }),
    get('People', '/api/users/profile', {
      scope: 'read',
      chats: 'filtered',
      summary: 'Get a person',
      description: 'With `chat_id`, `member` is their current status in that chat, from Telegram.',
      query: Query({ ...personFields, chat_id: Type.Optional(personFields.chat_id) }),
      response: Profile,
      errors: [...errors, 'user_not_found'],
      async handler({ caller, query: { bot_id, user_id, chat_id } }) {
        return profileView(await profiles.profile(caller, bot_id, user_id, chat_id), clock.now());
      },
    }),
    get('People', '/api/users/rights', {
      scope: 'read',
      chats: 'reads',
      summary: 'Check the rights of a bot in a chat',
      description:
        'Shows which actions are allowed and which right is missing. With `user_id`, for actions on that person.',
      query: Query({ ...personFields, user_id: Type.Optional(personFields.user_id) }),
      response: RightsAnswer,
      errors: platformErrors,
      handler: async ({ caller, query: { bot_id, chat_id, user_id } }) => ({
        actions: await moderation.rights(caller, bot_id, chat_id, user_id),
      }),
    }),
  ];
}

function acting({ moderation }: PeopleDeps): Endpoint[] {
  const common = {
    audit: { before: stateOf.member },
    scope: 'manage',
    response: ModerationResult,
    errors: platformErrors,
  } as const;
  const simple = (name: 'unban' | 'kick' | 'unmute', summary: string) =>
    post('People', `/api/users/${name}`, {
      ...common,
      summary,
      query: PersonQuery,
      handler: async ({ caller, query }) => done(await moderation[name](caller, query)),
    });
  return [
    post('People', '/api/users/ban', {
      ...common,
      summary: 'Ban a person',
      description: 'Removes them from the chat until the ban ends.',
      query: BanQuery,
      handler: async ({ caller, query }) => done(await moderation.ban(caller, query)),
    }),
    simple('unban', 'Unban a person'),
    simple('kick', 'Kick a person'),
    post('People', '/api/users/mute', {
      ...common,
      summary: 'Mute a person',
      query: MuteQuery,
      handler: async ({ caller, query }) => done(await moderation.mute(caller, query)),
    }),
    simple('unmute', 'Unmute a person'),
  ];
}

function warning({ moderation, clock }: PeopleDeps): Endpoint[] {
  return [
    post('People', '/api/users/warn', {
      audit: {},
      scope: 'manage',
      summary: 'Warn a person',
      description:
        'When the number of active warnings reaches the threshold of the chat, its action follows and the count starts at zero. If Telegram refuses that action, no warning is added.',
      query: PersonQuery,
      body: WarnBody,
      response: WarnOutcome,
      errors: [...platformErrors, 'conflict'],
      async handler({ caller, query, body }) {
        const outcome = await moderation.warn(caller, query, body);
        return {
          warning: warningView(outcome.warning, clock.now()),
          active: outcome.active,
          threshold: outcome.threshold,
          action: outcome.action as Static<typeof WarnOutcome>['action'],
          until: isoTime(outcome.until),
        };
      },
    }),
    post('People', '/api/users/unwarn', {
      audit: { removes: true },
      scope: 'manage',
      summary: 'Remove a warning',
      description: 'Returns the removed warning.',
      query: RecordQuery,
      response: Warning,
      errors: [...errors, 'not_found'],
      handler: async ({ caller, query }) =>
        warningView(await moderation.unwarn(caller, query.bot_id, query.id), clock.now()),
    }),
    get('People', '/api/chats/warn-settings', {
      scope: 'read',
      chats: 'reads',
      summary: 'Get warning settings of a chat',
      query: ChatQuery,
      response: WarnSettings,
      errors,
      handler: ({ caller, query }) => moderation.warnSettings(caller, query.bot_id, query.chat_id),
    }),
    post('People', '/api/chats/warn-settings', {
      audit: { before: stateOf.warnSettings },
      scope: 'manage',
      summary: 'Update warning settings of a chat',
      description: 'Omitted fields keep their value.',
      query: ChatQuery,
      body: WarnSettingsBody,
      response: WarnSettings,
      errors,
      handler: ({ caller, query, body }) =>
        moderation.setWarnSettings(caller, query.bot_id, query.chat_id, body),
    }),
  ];
}

function noting({ profiles }: PeopleDeps): Endpoint[] {
  return [
    post('People', '/api/users/notes/add', {
      audit: {},
      scope: 'manage',
      area: 'notes',
      summary: 'Add a note about a person',
      description: 'Only people who manage the bot see notes.',
      body: NoteBody,
      response: Note,
      errors,
      handler: async ({ caller, body: { bot_id, user_id, text } }) =>
        noteView(await profiles.addNote(caller, bot_id, user_id, text)),
    }),
    post('People', '/api/users/notes/delete', {
      audit: { removes: true },
      scope: 'manage',
      area: 'notes',
      summary: 'Delete a note',
      description: 'Returns the deleted note.',
      query: RecordQuery,
      response: Note,
      errors: [...errors, 'not_found'],
      handler: async ({ caller, query }) =>
        noteView(await profiles.removeNote(caller, query.bot_id, query.id)),
    }),
  ];
}

function done(view: ModerationView): Static<typeof ModerationResult> {
  return { ...view, until: isoTime(view.until) };
}
