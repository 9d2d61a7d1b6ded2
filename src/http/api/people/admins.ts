import { Type } from 'typebox';
import { stateOf } from '../../../manage/access/audit-subjects.ts';
import type { Admins } from '../../../manage/people/admins.ts';
import { type Endpoint, get, post } from '../../endpoint.ts';
import { Admin, PersonQuery, personFields, Right } from './person-schema.ts';
import { Body, Query, Text } from '../../schemas.ts';
import { platformErrors } from './people.ts';
import { memberView } from './people-views.ts';

const Title = Text('Custom title, at most 16 characters, no emoji; "" removes it.', 'Moderator', {
  maxLength: 16,
});

export function adminEndpoints({ admins }: { admins: Admins }): Endpoint[] {
  const change = {
    audit: { before: stateOf.member },
    scope: 'manage',
    query: PersonQuery,
    response: Admin,
    errors: platformErrors,
  } as const;
  return [
    get('Admins', '/api/admins', {
      scope: 'read',
      chats: 'reads',
      summary: 'List administrators of a chat',
      description: 'Asks Telegram, which does not list other bots.',
      query: Query({ bot_id: personFields.bot_id, chat_id: personFields.chat_id }),
      response: Type.Array(Admin),
      errors: platformErrors,
      handler: async ({ caller, query }) =>
        (await admins.list(caller, query.bot_id, query.chat_id)).map(memberView),
    }),
    post('Admins', '/api/admins/promote', {
      ...change,
      summary: 'Promote a person',
      description:
        'Makes them an administrator with exactly these rights, or changes their rights. A bot can grant only rights it has.',
      body: Body({
        rights: Type.Array(Right, { minItems: 1, maxItems: 32, uniqueItems: true }),
        title: Type.Optional(Title),
      }),
      handler: async ({ caller, query, body }) =>
        memberView(await admins.promote(caller, query, body.rights, body.title)),
    }),
    post('Admins', '/api/admins/demote', {
      ...change,
      summary: 'Demote an administrator',
      handler: async ({ caller, query }) => memberView(await admins.demote(caller, query)),
    }),
    post('Admins', '/api/admins/title', {
      ...change,
      summary: 'Set the title of an administrator',
      body: Body({ title: Title }),
      handler: async ({ caller, query, body }) =>
        memberView(await admins.setTitle(caller, query, body.title)),
    }),
  ];
}
