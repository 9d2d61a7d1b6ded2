import { Type } from 'typebox';
import { stateOf } from '../../../manage/access/audit-subjects.ts';
import type { Admins } from '../../../manage/people/admins.ts';
import { type Endpoint, endpoint } from '../../endpoint.ts';
import { Admin, PersonQuery, personFields, Right } from './person-schema.ts';
import { Body, Query } from '../../schemas.ts';
import { platformErrors } from './people.ts';
import { memberView } from './people-views.ts';

const Title = Type.String({
  maxLength: 16,
  description: 'Custom title, at most 16 characters, no emoji; "" takes it away.',
  examples: ['Moderator'],
});

export function adminEndpoints({ admins }: { admins: Admins }): Endpoint[] {
  const change = {
    method: 'POST',
    audit: { before: stateOf.member },
    scope: 'manage',
    tag: 'Admins',
    query: PersonQuery,
    response: Admin,
    errors: platformErrors,
  } as const;
  return [
    endpoint({
      method: 'GET',
      path: '/api/admins',
      scope: 'read',
      tag: 'Admins',
      summary: 'List the administrators of a chat with their rights',
      description: 'As the platform tells it now; other bots are not named by it.',
      query: Query({ bot_id: personFields.bot_id, chat_id: personFields.chat_id }),
      response: Type.Array(Admin),
      errors: platformErrors,
      handler: async ({ caller, query }) =>
        (await admins.list(caller, query.bot_id, query.chat_id)).map(memberView),
    }),
    endpoint({
      ...change,
      path: '/api/admins/promote',
      summary: 'Make somebody an administrator, or change their rights',
      description: 'They have exactly these rights afterwards; the bot can give only its own.',
      body: Body({
        rights: Type.Array(Right, { minItems: 1, maxItems: 32, uniqueItems: true }),
        title: Type.Optional(Title),
      }),
      handler: async ({ caller, query, body }) =>
        memberView(await admins.promote(caller, query, body.rights, body.title)),
    }),
    endpoint({
      ...change,
      path: '/api/admins/demote',
      summary: 'Take the rights of an administrator away',
      handler: async ({ caller, query }) => memberView(await admins.demote(caller, query)),
    }),
    endpoint({
      ...change,
      path: '/api/admins/title',
      summary: 'Set the custom title of an administrator',
      body: Body({ title: Title }),
      handler: async ({ caller, query, body }) =>
        memberView(await admins.setTitle(caller, query, body.title)),
    }),
  ];
}
