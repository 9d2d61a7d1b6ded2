import { beforeAll, describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '../../src/http/openapi/openapi.ts';
import { withoutNames } from '../support/openapi.ts';
import { serviceForAllTests } from '../support/whole-service.ts';

type Json = Record<string, unknown>;

type Bounds = { minimum?: number; maximum?: number };
type Lengths = { minLength?: number; maxLength?: number; minItems?: number; maxItems?: number };

/** As much of JSON Schema as the rules use. */
function fits(schema: Json, value: unknown): boolean {
  const parts = (name: string) => schema[name] as Json[] | undefined;
  const one = (name: string) => schema[name] as Json | undefined;
  const branch = one('if');
  if (branch) {
    const then = one(fits(branch, value) ? 'then' : 'else');
    if (then && !fits(then, value)) return false;
  }
  const not = one('not');
  if (not && fits(not, value)) return false;
  if (parts('anyOf')?.every((part) => !fits(part, value))) return false;
  if ('const' in schema && schema['const'] !== value) return false;
  if (parts('enum') && !(schema['enum'] as unknown[]).includes(value)) return false;
  if (typeof value === 'string') {
    const {
      maxLength = Infinity,
      minLength = 0,
      pattern,
    } = schema as Lengths & {
      pattern?: string;
    };
    const isLong = value.length >= minLength && value.length <= maxLength;
    return isLong && (!pattern || new RegExp(pattern, 'u').test(value));
  }
  if (typeof value === 'number') {
    const { maximum = Infinity, minimum = -Infinity } = schema as Bounds;
    return value >= minimum && value <= maximum;
  }
  if (Array.isArray(value)) {
    const { maxItems = Infinity, minItems = 0 } = schema as Lengths;
    const items = one('items');
    const isLong = value.length >= minItems && value.length <= maxItems;
    return isLong && (!items || value.every((item) => fits(items, item)));
  }
  if (value === null || typeof value !== 'object') return true;
  const given = value as Json;
  const { required = [], dependentRequired = {} } = schema as {
    required?: string[];
    dependentRequired?: Record<string, string[]>;
  };
  const needed = Object.entries(dependentRequired).flatMap(([name, others]) =>
    name in given ? others : [],
  );
  if (![...required, ...needed].every((name) => name in given)) return false;
  return Object.entries((one('properties') ?? {}) as Record<string, Json>).every(
    ([name, part]) => !(name in given) || fits(part, given[name]),
  );
}

const rewind = { bot_id: 1, reader: 'pull' };
const route = { source_bot_id: 1, target_bot_id: 2, action: 'copy' };
const tag = { chat_id: 5, user_id: 5, tag: 'vip' };
const target = { user: 'anna', chat: 'practice_bot' };
const webhook = { mode: 'webhook', backend_url: 'http://127.0.0.1:9/' };
const onTelegram = { type: 'telegram', bot_id: 1, chat_id: 5 };
const toAddress = { type: 'webhook', url: 'http://127.0.0.1:9/' };
const send = { bot_id: 1, chat_id: 5, text: 'x' };

/** Bodies that fit, and bodies that do not. */
const cases: Record<string, { fit: Json[]; not: Json[] }> = {
  '/api/bots/readers/rewind': {
    fit: [
      { ...rewind, position: 0 },
      { ...rewind, since: 5 },
      { ...rewind, to: 'start' },
    ],
    not: [rewind, { ...rewind, position: 0, to: 'end' }, { ...rewind, since: 1, to: 'end' }],
  },
  '/api/deliveries/replay': {
    fit: [
      { bot_id: 1, all_dead: true },
      { bot_id: 1, from_position: 1 },
      { bot_id: 1, all_dead: false, from_position: 1 },
    ],
    not: [
      { bot_id: 1 },
      { bot_id: 1, all_dead: false },
      { bot_id: 1, all_dead: true, from_position: 1 },
      { bot_id: 1, ids: [1], from_position: 1 },
    ],
  },
  '/api/deliveries/discard': {
    fit: [{ bot_id: 1, all_dead: true }],
    not: [{ bot_id: 1 }, { bot_id: 1, ids: [1], all_dead: true }],
  },
  '/api/routes/add': {
    fit: [
      route,
      { ...route, condition_type: 'chat_id', condition_value: '-100' },
      { ...route, condition_type: 'user_id', condition_value: '7' },
      { ...route, condition_type: 'keyword', condition_value: 'tea' },
      { ...route, condition_type: 'command', condition_value: '/start' },
      { ...route, condition_type: 'media' },
      { ...route, condition_type: 'media', condition_value: 'photo, video,' },
    ],
    not: [
      { ...route, condition_type: 'chat_id' },
      { ...route, condition_type: 'chat_id', condition_value: 'here' },
      { ...route, condition_type: 'user_id', condition_value: '-7' },
      { ...route, condition_type: 'keyword' },
      { ...route, condition_type: 'regex', condition_value: '' },
      { ...route, condition_type: 'command', condition_value: 'not one' },
      { ...route, condition_type: 'media', condition_value: 'photo video' },
    ],
  },
  '/api/tags/add': {
    fit: [tag, { ...tag, color: '#f80' }, { ...tag, color: 'Tomato' }, { ...tag, color: '' }],
    not: [
      { ...tag, color: '#ff' },
      { ...tag, color: 'rgb(1,2,3)' },
    ],
  },
  '/api/bots/update': {
    fit: [
      { id: 1, backend_url: '' },
      { id: 1, backend_url: 'HTTPS://example.com/x' },
    ],
    not: [
      { id: 1, backend_url: 'nonsense' },
      { id: 1, backend_url: 'ftp://example.com' },
    ],
  },
  '/api/bots/apps/add': {
    fit: [
      { bot_id: 1, name: 'none', max_connections: 0, allowed_updates: [] },
      { bot_id: 1, name: 'some', ...webhook, max_connections: 100, allowed_updates: ['message'] },
    ],
    not: [
      { bot_id: 1, name: 'poll', max_connections: 1 },
      { bot_id: 1, name: 'poll', mode: 'poll', max_connections: 1 },
      { bot_id: 1, name: 'poll', allowed_updates: ['message'] },
      { bot_id: 1, name: 'many', ...webhook, max_connections: 101 },
      { bot_id: 1, name: 'n'.repeat(65) },
    ],
  },
  '/api/alerts/channels/add': {
    fit: [onTelegram, { ...toAddress, bot_id: 0, chat_id: 0 }],
    not: [
      { type: 'telegram', chat_id: 5 },
      { ...onTelegram, bot_id: 0 },
      { ...onTelegram, url: 'http://127.0.0.1:9/' },
      { type: 'webhook' },
      { ...toAddress, bot_id: 1 },
      { ...toAddress, chat_id: 5 },
      { ...toAddress, chat_id: -5 },
    ],
  },
  '/api/llm-config': {
    fit: [{ api_url: '' }, { api_url: 'http://127.0.0.1:9/v1' }],
    not: [{ api_url: 'nonsense' }],
  },
  '/api/auth/api-keys': {
    fit: [
      { name: 'a' },
      { name: 'a', expires_at: '' },
      { name: 'a', expires_at: '2100-01-31T12:00Z' },
    ],
    not: [
      { name: 'a', expires_at: 'tomorrow' },
      { name: 'a', expires_at: '2100-01-31' },
    ],
  },
  '/api/messages/send': {
    fit: [],
    not: [
      { ...send, reply_to_message_id: -5 },
      { bot_id: 1, chat_id: 5 },
      { ...send, rich_message: {} },
      { ...send, parse_mode: 'HTML', entities: [] },
    ],
  },
  '/api/sandbox/faults/add': { fit: [{ kind: 'slow', delay_ms: 1 }], not: [{ kind: 'tired' }] },
  '/api/sandbox/send-media': { fit: [{ ...target }], not: [{ ...target, data: '' }] },
  '/api/sandbox/send-content': { fit: [{ ...target, dice: { value: 3 } }], not: [target] },
  '/api/sandbox/pay': {
    fit: [],
    not: [{ user: 'anna' }, { user: 'anna', chat: 'practice_bot' }],
  },
};

/** Rules that the handlers check: the document states them, neither more nor less. */
describe('the rules of the document', () => {
  const whole = serviceForAllTests('sqlite', { RELAY_SANDBOX: 'on' });
  let document: OpenApiDocument;
  beforeAll(async () => {
    const answer = await fetch(`${whole.service().address}/openapi.json`);
    document = withoutNames((await answer.json()) as OpenApiDocument);
    await whole.call('/api/sandbox/users/create', { first_name: 'Anna', username: 'anna' });
    const { token } = await whole.call<{ token: string }>('/api/sandbox/bots', {
      username: 'practice_bot',
    });
    await whole.call('/api/bots/add', { token, long_poll_enabled: true });
    await whole.addBot();
    await whole.call('/api/sandbox/say', { ...target, text: '/start' });
  });

  it.each(Object.entries(cases))('are those of %s', async (path, { fit, not }) => {
    const content = document.paths[path]?.['post']?.requestBody?.content['application/json'];
    const schema = content?.schema as Json;
    for (const body of fit) {
      const { status, json } = await whole.ask(path, body);
      expect(status, JSON.stringify([body, json])).toBe(200);
      expect(fits(schema, body), JSON.stringify(body)).toBe(true);
    }
    for (const body of not) {
      const { status, json } = await whole.ask(path, body);
      expect(status, JSON.stringify([body, json])).toBe(400);
      expect(fits(schema, body), JSON.stringify(body)).toBe(false);
    }
  });

  it('need a file in the form of send-media', () => {
    const content = document.paths['/api/messages/send-media']?.['post']?.requestBody?.content;
    const schema = content?.['multipart/form-data']?.schema as unknown as Json;
    const form = { bot_id: 1, chat_id: 5, type: 'photo' };
    expect(fits(schema, form)).toBe(false);
    expect(fits(schema, { ...form, file: 'bytes' })).toBe(true);
  });

  it('answer 409 to a user name that someone has', async () => {
    for (const [path, body] of [
      ['/api/sandbox/users/create', { username: 'anna' }],
      ['/api/sandbox/bots', { username: 'practice_bot' }],
      ['/api/sandbox/chats/create', { title: 'Tea', owner: 'anna', username: 'anna' }],
    ] as const) {
      const { status, json } = await whole.ask(path, body);
      expect({ status, json }).toMatchObject({ status: 409, json: { code: 'conflict' } });
      expect(document.paths[path]?.['post']?.responses['409']).toMatchObject({
        content: { 'application/json': { examples: { conflict: {} } } },
      });
    }
  });
});
