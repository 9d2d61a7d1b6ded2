import { verbatim } from '../../src/core/reasons/reason.ts';
import { Type } from 'typebox';
import { requireBot } from '../../src/core/access/access.ts';
import { RelayError } from '../../src/errors.ts';
import { type Endpoint, get, post } from '../../src/http/endpoint.ts';
import { Body, ChatId, Choice, Id, Query } from '../../src/http/schemas.ts';

/** Endpoints of every shape, which record their input. */
export function sampleEndpoints(seen: unknown[] = []): Endpoint[] {
  return [
    get('Bots', '/api/things', {
      scope: 'read',
      chats: 'reads',
      summary: 'List things',
      query: Query({
        bot_id: Id('Bot ID.'),
        chat_id: ChatId('Chat ID.'),
        limit: Type.Optional(Type.Integer({ minimum: 1, default: 50 })),
        word: Type.Optional(Type.String({ maxLength: 5 })),
        flag: Type.Optional(Type.Boolean()),
      }),
      response: Type.Object({ query: Type.Any() }),
      errors: ['bot_not_allowed', 'bot_not_found'],
      async handler({ caller, query }) {
        requireBot(caller, query.bot_id);
        if (query.bot_id === 404)
          throw new RelayError('bot_not_found', verbatim('There is no bot 404.'));
        seen.push(query);
        return { query };
      },
    }),
    post('Bots', '/api/things/add', {
      audit: {},
      scope: 'manage',
      summary: 'Add a thing',
      body: Body(
        {
          name: Type.String({ minLength: 1, maxLength: 8 }),
          kind: Type.Optional(Choice(['red', 'blue'], { default: 'red' })),
          size: Type.Optional(Type.Integer()),
          list: Type.Optional(Type.Array(Type.Integer({ minimum: 1 }), { maxItems: 3 })),
          nested: Type.Optional(Type.Object({}, { additionalProperties: true })),
        },
        ['id', 'created_at'],
      ),
      response: Type.Object({ body: Type.Any() }),
      async handler({ body }) {
        seen.push(body);
        return { body };
      },
    }),
    post('Tags', '/api/notes/add', {
      audit: {},
      scope: 'manage',
      summary: 'Add a note, as agents may',
      body: Body({ name: Type.String() }),
      response: Type.Object({ body: Type.Any() }),
      handler: async ({ body }) => ({ body }),
    }),
    post('Bots', '/api/things/toggle', {
      audit: {},
      scope: 'manage',
      summary: 'Toggle a thing',
      query: Query({ id: Id('Thing ID.') }),
      response: Type.Object({ id: Type.Integer() }),
      handler: async ({ query }) => ({ id: query.id }),
    }),
    get('Bots', '/api/things/broken', {
      scope: 'read',
      chats: 'none',
      summary: 'Fails',
      response: Type.Object({}),
      async handler() {
        throw new Error('secret 123456:AAbbCCddEEff inside');
      },
    }),
    get('Bots', '/api/things/wait', {
      scope: 'read',
      chats: 'none',
      summary: 'Waits until it is told to go',
      response: Type.Object({}),
      handler: ({ signal }) => waitOn(signal, seen),
    }),
    post('Bots', '/api/things/wait-for', {
      audit: 'none',
      scope: 'read',
      chats: 'none',
      summary: 'Waits with a body that may be left out',
      body: Body({ name: Type.Optional(Type.String()) }),
      response: Type.Object({}),
      handler: ({ signal }) => waitOn(signal, seen),
    }),
  ];
}

function waitOn(signal: AbortSignal, seen: unknown[]): Promise<never> {
  return new Promise((_resolve, reject) => {
    seen.push('waiting');
    signal.addEventListener('abort', () => {
      seen.push('aborted');
      reject(signal.reason as Error);
    });
  });
}
