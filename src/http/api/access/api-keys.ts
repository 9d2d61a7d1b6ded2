import { reason } from '../../../core/reasons/reason.ts';
import { type Static, Type } from 'typebox';
import { scopes } from '../../../core/access/access.ts';
import { linePattern } from '../../../core/people/plain-text.ts';
import { invalidField } from '../../../errors.ts';
import { stateOf } from '../../../manage/access/audit-subjects.ts';
import type { ApiKeys } from '../../../manage/access/api-keys.ts';
import { type Endpoint, type EndpointRequest, type Listed, get, post } from '../../endpoint.ts';
import { isoTime } from '../../../core/iso-time.ts';
import {
  Body,
  ChatId,
  Choice,
  Flag,
  Id,
  Integer,
  Moment,
  Optional,
  Query,
  stated,
  Text,
} from '../../schemas.ts';
import { dateTimePattern, isDateTime } from '../../request/validation.ts';

const keyFields = {
  id: Id('Key ID.'),
  name: Text('What the key is for.', 'deploy script'),
  hint: Text('The last characters of the key.', 'brs_…x4Zq'),
  scope: Choice(scopes, {
    description: 'What the key may do. Each scope includes the ones before it.',
  }),
  bot_ids: Type.Union([Type.Array(Type.Integer()), Type.Null()], {
    description: 'The bots the key is limited to; null means all.',
  }),
  read_chats: Type.Union([Type.Array(Type.Integer()), Type.Null()], {
    description: 'The chats the key may read; null means all.',
  }),
  write_chats: Type.Union([Type.Array(Type.Integer()), Type.Null()], {
    description: 'The chats the key may write to; null means all.',
  }),
  daily_writes: Integer(
    'How many changes and sends it may make in a day (UTC); 0 for any number.',
    0,
  ),
  writes_today: Integer('Those it made today, if `daily_writes` is set.', 0),
  expires_at: Moment('Expiry time; "" means never.'),
  disabled: Flag('Whether the key is disabled.'),
  created_by: Text('Who created it.'),
  created_at: Moment('Creation time.'),
  last_used_at: Moment('Last use, to the minute; "" means never.'),
};

export const ApiKey = Type.Object(keyFields);
export const NewApiKey = Type.Object({
  ...keyFields,
  key: Text('The key. Shown only in this response.', 'brs_1c0Jk2…'),
});

const ChatList = (description: string) =>
  Type.Optional(
    Type.Union(
      [Type.Array(ChatId('Chat ID.'), { maxItems: 1_000, uniqueItems: true }), Type.Null()],
      { description, examples: [[-1001234567890]] },
    ),
  );

const CreateBody = Body(
  {
    name: Text('What the key is for.', 'shop backend', {
      minLength: 1,
      maxLength: 256,
      pattern: linePattern,
    }),
    scope: Optional.Choice(scopes, {
      default: 'read',
      description: 'What the key may do. You cannot grant more than your own scope.',
    }),
    bot_ids: Type.Optional(
      Type.Union(
        [
          Type.Array(Id('Bot ID.'), { minItems: 1, maxItems: 1_000, uniqueItems: true }),
          Type.Null(),
        ],
        {
          description: 'Limit the key to these bots. Default: all.',
          examples: [[1]],
        },
      ),
    ),
    read_chats: ChatList(
      'Limit the key to reading these chats, of whichever bot; an empty list means none. Such a key has at most the scope `send`, and endpoints that concern all chats refuse it. Groups that become supergroups keep their place in the list. Default: all.',
    ),
    write_chats: ChatList('The same for writing. Default: all.'),
    daily_writes: Optional.Integer(
      'How many requests that send or change something the key may make in a day (UTC), on all nodes together; 0 for any number. More are refused with 429.',
      200,
      { default: 0, minimum: 0, maximum: 1_000_000 },
    ),
    expires_at: Optional.Text(
      'Expiry time, ISO 8601 with a time zone; "" means never.',
      '2030-01-31T12:00:00Z',
      {
        ...stated({ pattern: `^$|${dateTimePattern}` }),
      },
    ),
  },
  ['id', 'hint', 'disabled', 'created_by', 'created_at', 'last_used_at', 'writes_today'],
);

const IdQuery = Query({ id: Id('Key ID.') });

export function apiKeyEndpoints({ apiKeys }: { apiKeys: ApiKeys }): Endpoint[] {
  async function create({ body, caller }: EndpointRequest<never, typeof CreateBody>) {
    const { record, key } = await apiKeys.create(caller, {
      name: body.name,
      ...(body.scope === undefined ? {} : { scope: body.scope }),
      botIds: body.bot_ids ?? null,
      readChats: body.read_chats ?? null,
      writeChats: body.write_chats ?? null,
      dailyWrites: body.daily_writes ?? 0,
      expiresAt: expiryOf(body.expires_at ?? ''),
    });
    return { ...shown(record), key };
  }

  const shown = (key: Listed<ApiKeys['list']>) => toResource(key, apiKeys.writesToday(key));
  const createEndpoint = (path: string) =>
    post('Keys', path, {
      audit: { action: 'auth.api-keys.create' },
      scope: 'admin',
      summary: 'Create an API key',
      description: 'The key is shown only in this response: the service stores its hash.',
      body: CreateBody,
      response: NewApiKey,
      errors: ['bot_not_found', 'bot_not_allowed'],
      handler: create,
    });

  return [
    get('Keys', '/api/auth/api-keys', {
      scope: 'admin',
      summary: 'List API keys',
      response: Type.Array(ApiKey),
      handler: async ({ caller }) => (await apiKeys.list(caller)).map(shown),
    }),
    createEndpoint('/api/auth/api-keys'),
    createEndpoint('/api/auth/api-keys/create'),
    post('Keys', '/api/auth/api-keys/toggle', {
      audit: { before: stateOf.key },
      scope: 'admin',
      summary: 'Disable or enable an API key',
      description: 'A disabled key is refused from its next request, on every node.',
      query: IdQuery,
      response: ApiKey,
      errors: ['key_not_found', 'bot_not_allowed', 'conflict'],
      handler: async ({ caller, query }) => shown(await apiKeys.toggle(caller, query.id)),
    }),
    post('Keys', '/api/auth/api-keys/delete', {
      audit: { before: stateOf.key, removes: true },
      scope: 'admin',
      summary: 'Delete an API key',
      description: 'Returns the deleted key.',
      query: IdQuery,
      response: ApiKey,
      errors: ['key_not_found', 'bot_not_allowed', 'conflict'],
      handler: async ({ caller, query }) => shown(await apiKeys.remove(caller, query.id)),
    }),
  ];
}

function expiryOf(text: string): number | null {
  if (text === '') return null;
  if (!isDateTime(text)) {
    throw invalidField('expires_at', reason('not_a_moment', { example: '2030-01-31T12:00:00Z' }));
  }
  return Date.parse(text);
}

function toResource(key: Listed<ApiKeys['list']>, writesToday: number): Static<typeof ApiKey> {
  return {
    id: key.id,
    name: key.name,
    hint: key.hint,
    scope: key.scope,
    bot_ids: key.botIds,
    read_chats: key.readChats,
    write_chats: key.writeChats,
    daily_writes: key.dailyWrites,
    writes_today: writesToday,
    expires_at: isoTime(key.expiresAt),
    disabled: key.disabled,
    created_by: key.createdBy,
    created_at: isoTime(key.createdAt),
    last_used_at: isoTime(key.lastUsedAt),
  };
}
