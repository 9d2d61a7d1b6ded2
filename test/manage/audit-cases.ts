import { expect } from 'vitest';
import type { Bot, ManagedPeople } from '../support/rigs/managed-people.ts';

export type Json = Record<string, unknown>;

/** The subjects of the requests. */
export interface World {
  rig: ManagedPeople;
  bot: Bot;
  /** One that had a webhook before it came here. */
  moved: Bot;
  chatId: number;
  ann: number;
  /** A message of the bot. */
  messageId: number;
  token: string;
  /** Results of earlier requests, by the path without /api/. */
  made: Record<string, Json>;
}

interface Case {
  query?: (world: World) => Json;
  body?: (world: World) => Json;
  /** Null where there was nothing before, or nothing is left. */
  before: Json | null;
  after: Json | null;
}

const anyId = expect.any(Number) as number;
const person = ({ bot, chatId, ann }: World) => ({
  bot_id: bot.id,
  chat_id: chatId,
  user_id: ann,
});
const target = ({ bot, chatId }: World) => ({ bot_id: bot.id, chat_id: chatId });
const conversation = ({ bot, ann }: World) => ({ bot_id: bot.id, chat_id: ann });
const message = (world: World) => ({ ...target(world), message_id: world.messageId });
const scheduledOf = ({ made }: World) => ({
  scheduled_id: made['scheduled message']?.['scheduled_id'],
});
const idOf = (path: string) => (world: World) => ({ id: world.made[path]?.['id'] });
const recordOf = (path: string) => (world: World) => ({
  bot_id: world.bot.id,
  ...idOf(path)(world),
});
const route = (world: World) => ({
  source_bot_id: world.bot.id,
  target_bot_id: world.bot.id,
  action: 'copy',
  condition_type: 'keyword',
  condition_value: 'x',
  target_chat_id: 5,
});

/** Every request that changes something, in an order in which each can. */
export const cases: Record<string, Case> = {
  'auth/setup': {
    body: () => ({ token: 'setup-secret', username: 'first', password: 'password one' }),
    before: null,
    after: { name: 'first', csrf_token: '***' },
  },
  'auth/api-keys': {
    body: () => ({ name: 'deploy', scope: 'read' }),
    before: null,
    after: { name: 'deploy', key: '***' },
  },
  'auth/api-keys/create': {
    body: () => ({ name: 'again', scope: 'read' }),
    before: null,
    after: { name: 'again', key: '***' },
  },
  'auth/api-keys/toggle': {
    query: idOf('auth/api-keys'),
    before: { disabled: false },
    after: { disabled: true },
  },
  'auth/api-keys/delete': { query: idOf('auth/api-keys'), before: { name: 'deploy' }, after: null },
  'auth/users/create': {
    body: () => ({ username: 'anna', password: 'password one', role: 'user' }),
    before: null,
    after: { username: 'anna', role: 'user' },
  },
  'auth/users/update': {
    body: (world) => ({ ...idOf('auth/users/create')(world), role: 'admin' }),
    before: { role: 'user' },
    after: { role: 'admin' },
  },
  'auth/users/password': {
    body: (world) => ({ ...idOf('auth/users/create')(world), password: 'password two' }),
    before: { username: 'anna' },
    after: { username: 'anna' },
  },
  'auth/sign-in': {
    body: () => ({ username: 'anna', password: 'password two' }),
    before: null,
    after: { csrf_token: '***' },
  },
  'auth/sign-out': { before: null, after: { signed_out: false } },
  'auth/users/delete': {
    query: idOf('auth/users/create'),
    before: { username: 'anna' },
    after: null,
  },
  'bots/add': {
    body: ({ token }) => ({ token, name: 'Shop', secret_token: 'hook-secret' }),
    before: null,
    after: { name: 'Shop', secret_token: '***' },
  },
  'bots/update': {
    body: (world) => ({ ...idOf('bots/add')(world), name: 'Store' }),
    before: { name: 'Shop', secret_token: '***' },
    after: { name: 'Store', secret_token: '***' },
  },
  'bots/toggle-disabled': {
    query: idOf('bots/add'),
    before: { disabled: false },
    after: { disabled: true },
  },
  'bots/restore-webhook': {
    query: ({ moved }) => ({ id: moved.id }),
    body: () => ({ secret_token: 'hook-secret' }),
    before: { id: anyId },
    after: { url: 'https://example.org/***' },
  },
  'bots/readers/rewind': {
    body: ({ bot }) => ({ bot_id: bot.id, reader: 'pull:analytics', to: 'start' }),
    before: null,
    after: { position: 0 },
  },
  'bots/readers/remove': {
    query: ({ bot }) => ({ bot_id: bot.id, consumer: 'analytics' }),
    before: { consumer: 'analytics' },
    after: null,
  },
  'bots/apps/add': {
    body: ({ bot }) => ({
      bot_id: bot.id,
      name: 'report',
      backend_url: 'https://report.example.org/secret-path',
      secret_token: 'app-secret',
    }),
    before: null,
    after: {
      name: 'report',
      token: expect.stringMatching(/^\d+:\*\*\*$/) as string,
      secret_token: '***',
      backend_url: 'https://report.example.org/***',
    },
  },
  'bots/apps/update': {
    body: (world) => ({ ...idOf('bots/apps/add')(world), priority: 5 }),
    before: { priority: 0, secret_token: '***', backend_url: 'https://report.example.org/***' },
    after: { priority: 5, secret_token: '***' },
  },
  'bots/apps/rotate': {
    query: idOf('bots/apps/add'),
    before: { name: 'report' },
    after: { token: expect.stringMatching(/^\d+:\*\*\*$/) as string },
  },
  'bots/apps/toggle-disabled': {
    query: idOf('bots/apps/add'),
    before: { disabled: false },
    after: { disabled: true },
  },
  'bots/apps/delete': { query: idOf('bots/apps/add'), before: { name: 'report' }, after: null },
  'bots/delete': { query: idOf('bots/add'), before: { name: 'Store' }, after: null },
  'alerts/acknowledge': {
    body: idOf('open alert'),
    before: { acknowledgedBy: '' },
    after: { acknowledged_by: 'command line' },
  },
  'alerts/mute': {
    body: idOf('open alert'),
    before: { mutedUntil: 0 },
    after: { muted_by: 'command line' },
  },
  'alerts/channels/add': {
    body: ({ bot, ann }) => ({ type: 'telegram', bot_id: bot.id, chat_id: ann }),
    before: null,
    after: { type: 'telegram', min_severity: 'warning' },
  },
  'alerts/channels/update': {
    body: (world) => ({ ...idOf('alerts/channels/add')(world), delay_seconds: 5 }),
    before: { delay_seconds: 120 },
    after: { delay_seconds: 5 },
  },
  'alerts/channels/test': {
    query: idOf('alerts/channels/add'),
    before: null,
    after: { delivered: expect.any(Boolean) as boolean },
  },
  'alerts/channels/toggle-disabled': {
    query: idOf('alerts/channels/add'),
    before: { disabled: false },
    after: { disabled: true },
  },
  'alerts/channels/delete': {
    query: idOf('alerts/channels/add'),
    before: { type: 'telegram' },
    after: null,
  },
  'routes/add': { body: route, before: null, after: { condition_value: 'x' } },
  'routes/update': {
    body: (world) => ({
      ...idOf('routes/add')(world),
      ...route(world),
      condition_value: 'y',
    }),
    before: { condition_value: 'x' },
    after: { condition_value: 'y' },
  },
  'routes/delete': { query: idOf('routes/add'), before: { condition_value: 'y' }, after: null },
  'config/apply': {
    body: ({ bot }) => ({
      config: {
        version: 1,
        bots: [],
        users: [{ username: 'configured', password: 'config-password', bots: [bot.platformId] }],
      },
    }),
    before: null,
    after: { changes: [{ change: 'add', kind: 'user', name: 'configured', fields: [] }] },
  },
  'llm-config': {
    body: () => ({ api_key: 'sk-secret-key', model: 'm' }),
    before: null,
    after: { model: 'm' },
  },
  'tags/add': {
    body: ({ chatId, ann }) => ({ chat_id: chatId, user_id: ann, tag: 'vip' }),
    before: null,
    after: { tag: 'vip' },
  },
  'replies/add': {
    body: () => ({ name: 'hours', text: 'From 9 to 5' }),
    before: null,
    after: { name: 'hours' },
  },
  'replies/update': {
    body: (world) => ({ ...idOf('replies/add')(world), text: 'From 9 to 6' }),
    before: { text: 'From 9 to 5' },
    after: { text: 'From 9 to 6' },
  },
  'replies/delete': { query: idOf('replies/add'), before: { name: 'hours' }, after: null },
  ask: {
    body: (world) => ({ ...target(world), text: 'Ship it?', options: ['Yes', 'No'] }),
    before: null,
    after: { state: 'open' },
  },
  'ask/cancel': { query: idOf('ask'), before: null, after: { state: 'cancelled' } },
  'desks/add': {
    body: ({ bot, made }) => ({
      name: 'Help',
      desk_bot_id: bot.id,
      chat_id: made['forum']?.['id'],
      bot_ids: [bot.id],
    }),
    before: null,
    after: { name: 'Help' },
  },
  'desks/update': {
    body: (world) => ({ ...idOf('desks/add')(world), name: 'Support' }),
    before: { name: 'Help' },
    after: { name: 'Support' },
  },
  'desks/import-topics': {
    body: (world) => ({
      ...idOf('desks/add')(world),
      bot_id: world.bot.id,
      topics: [{ user_id: 77, message_thread_id: 40 }],
    }),
    before: null,
    after: { added: 1 },
  },
  'desks/delete': { query: idOf('desks/add'), before: { name: 'Support' }, after: null },
  'tags/remove': { query: idOf('tags/add'), before: { tag: 'vip' }, after: null },
  'messages/send': {
    body: (world) => ({ ...target(world), text: 'hello' }),
    before: null,
    after: { text: 'hello' },
  },
  'messages/scheduled/update': {
    body: (world) => ({ ...scheduledOf(world), text: 'later' }),
    before: null,
    after: { text: 'later' },
  },
  'messages/scheduled/cancel': { body: scheduledOf, before: null, after: { text: 'later' } },
  'broadcasts/add': {
    body: ({ bot }) => ({ bot_id: bot.id, name: 'News', text: 'news' }),
    before: null,
    after: { name: 'News', state: 'draft' },
  },
  'broadcasts/test': {
    body: (world) => ({ ...idOf('broadcasts/add')(world), chat_id: world.chatId }),
    before: null,
    after: { message_id: anyId },
  },
  'broadcasts/start': {
    body: (world) => ({ ...idOf('broadcasts/add')(world), recipients: 1_000 }),
    before: null,
    after: { state: 'running' },
  },
  'broadcasts/pause': {
    body: idOf('broadcasts/add'),
    before: null,
    after: { state: 'paused' },
  },
  'broadcasts/resume': {
    body: idOf('broadcasts/add'),
    before: null,
    after: { state: 'running' },
  },
  'broadcasts/cancel': {
    body: idOf('broadcasts/add'),
    before: null,
    after: { state: 'canceled' },
  },
  'broadcasts/edit': {
    body: (world) => ({ ...idOf('broadcasts/add')(world), text: 'newer' }),
    before: null,
    after: { task: 'edit' },
  },
  'broadcasts/delete': {
    body: idOf('canceled broadcast'),
    before: null,
    after: { task: 'delete' },
  },
  'outbox/send-again': {
    query: idOf('failed send'),
    before: null,
    after: { state: 'queued' },
  },
  'messages/edit': {
    query: message,
    body: () => ({ text: 'better' }),
    before: { text: 'begun' },
    after: { text: 'better' },
  },
  'messages/pin': { query: message, before: { text: 'better' }, after: { ok: true } },
  'messages/unpin': { query: message, before: { pinned: true }, after: { ok: true } },
  'messages/unpin-all': { query: target, before: null, after: { ok: true } },
  'messages/delete': { query: message, before: { text: 'better' }, after: { ok: true } },
  'messages/send-media': {
    body: (world) => ({ ...target(world), type: 'document', file_id: world.made['file']?.['id'] }),
    before: null,
    after: { media_type: 'document' },
  },
  'chats/refresh': {
    query: target,
    before: { type: 'supergroup' },
    after: { member_count: anyId },
  },
  'chats/warn-settings': {
    query: target,
    body: () => ({ threshold: 5 }),
    before: null,
    after: { threshold: 5 },
  },
  'users/warn': {
    query: person,
    body: () => ({ reason: 'spam' }),
    before: null,
    after: { active: 1, warning: { reason: 'spam' } },
  },
  'users/unwarn': {
    query: (world) => {
      const { warning } = world.made['users/warn'] as { warning: { id: number } };
      return { bot_id: world.bot.id, id: warning.id };
    },
    before: { reason: 'spam' },
    after: null,
  },
  'users/notes/add': {
    body: ({ bot, ann }) => ({ bot_id: bot.id, user_id: ann, text: 'knows much' }),
    before: null,
    after: { text: 'knows much' },
  },
  'users/notes/delete': {
    query: recordOf('users/notes/add'),
    before: { text: 'knows much' },
    after: null,
  },
  'admins/promote': {
    query: person,
    body: () => ({ rights: ['can_pin_messages'] }),
    before: { status: 'member' },
    after: { status: 'administrator' },
  },
  'admins/title': {
    query: person,
    body: () => ({ title: 'Chief' }),
    before: { title: '' },
    after: { title: 'Chief' },
  },
  'admins/demote': {
    query: person,
    before: { status: 'administrator' },
    after: { status: 'member' },
  },
  'users/mute': { query: person, before: { status: 'member' }, after: { status: 'restricted' } },
  'users/unmute': { query: person, before: { status: 'restricted' }, after: { status: 'member' } },
  'users/kick': { query: person, before: { status: 'member' }, after: { status: 'left' } },
  'users/ban': { query: person, before: { status: 'left' }, after: { status: 'kicked' } },
  'users/unban': { query: person, before: { status: 'kicked' }, after: { status: 'left' } },
  'deliveries/replay': {
    body: ({ bot }) => ({ bot_id: bot.id, from_position: 1, to_position: 1 }),
    before: null,
    after: { queued: anyId, next: 0 },
  },
  'deliveries/discard': {
    body: ({ bot }) => ({ bot_id: bot.id, all_dead: true }),
    before: null,
    after: { discarded: 0 },
  },
  'deliveries/retry-now': {
    query: ({ bot }) => ({ bot_id: bot.id }),
    before: null,
    after: { queues: anyId },
  },
  import: {
    body: () => ({ people: [{ user_id: 77, username: 'dora', first_name: '', is_bot: false }] }),
    before: null,
    after: { people: 1 },
  },
  'chats/assign': {
    body: (world) => ({ ...conversation(world), assignee: `person:${world.ann}` }),
    before: { assignee: '' },
    after: { state: 'waiting', assignee: { kind: 'person' } },
  },
  'chats/snooze': {
    body: (world) => ({ ...conversation(world), until: '2999-01-01T00:00:00Z' }),
    before: { snoozed_until: 0 },
    after: { snoozed_until: '2999-01-01T00:00:00.000Z' },
  },
  'chats/state': {
    body: (world) => ({ ...conversation(world), state: 'open' }),
    before: { is_done: 1 },
    after: { state: 'open' },
  },
  'chats/forget': { query: target, before: { type: 'supergroup' }, after: null },
};
