import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alertAuthor } from '../../src/core/messages/author.ts';
import { secretHash } from '../../src/core/access/vault.ts';
import { dialects } from '../support/database/engines.ts';
import { startManagedPeople } from '../support/rigs/managed-people.ts';
import { auditActions } from '../../web/src/i18n/en/audit-actions.ts';
import { cases, type Json, type World } from './audit-cases.ts';

interface Entry {
  id: number;
  actor: { kind: string; name: string };
  action: string;
  bot_id: number;
  before: Json | null;
  after: Json | null;
}

const secrets = [
  'password one',
  'password two',
  'hook-secret',
  'sk-secret-key',
  'setup-secret',
  'app-secret',
  'config-password',
];

describe.each(dialects)('every change is in the audit log on %s', (dialect) => {
  let world: World;
  beforeAll(async () => {
    const rig = await startManagedPeople(dialect);
    const [bot, moved, other] = [await rig.addBot(), await rig.addBot(), await rig.addBot()];
    await rig.store.bots.update(bot.id, { long_poll_enabled: true }, 1);
    const poll = `/api/updates/poll?bot_id=${bot.id}&consumer=analytics&timeout=0`;
    expect((await rig.admin.get(poll)).status).toBe(200);
    const runtime = rig.store.runtime;
    await runtime.setPreviousWebhook(moved.id, { url: 'https://example.org/hook' });
    const { chatId, ann } = await rig.group(bot, {
      can_restrict_members: true,
      can_promote_members: true,
      can_pin_messages: true,
      can_delete_messages: true,
    });
    const sent = await rig.admin.post<{ id: number }>('/api/messages/send', {
      bot_id: bot.id,
      chat_id: chatId,
      text: 'begun',
    });
    rig.sandboxed.sendMedia(ann, chatId, { kind: 'document' });
    rig.sandboxed.say(ann, bot.platformId, 'Hello?');
    await rig.receive(bot);
    const [newest] = await rig.store.messages.list({
      botId: bot.id,
      chatId,
      limit: 1,
      offset: 0,
    });
    await rig.store.settings.set('setup_token_hash', secretHash('setup-secret'));
    await rig.store.settings.set('first_access_at', String(rig.clock.now()));
    const { token } = rig.sandboxed.createBot();
    const failed = await rig.store.outbox.begin(
      {
        botId: bot.id,
        chatId,
        method: 'sendMessage',
        params: {},
        origin: 'routed',
        intentKey: null,
        priority: 'bulk',
        author: alertAuthor,
      },
      'this',
      1,
    );
    await rig.store.outbox.fail({ id: failed ?? 0, node: 'this' }, 'failed', 'no', 1);
    const scheduled = await rig.admin.post<Json>('/api/messages/send', {
      bot_id: bot.id,
      chat_id: chatId,
      text: 'later',
      send_at: Math.floor(rig.clock.now() / 1_000) + 3_600,
    });
    const canceled = await rig.admin.post<{ id: number }>('/api/broadcasts/add', {
      bot_id: other.id,
      name: 'Unwanted',
      text: 'unwanted',
    });
    await rig.admin.post('/api/broadcasts/cancel', { id: canceled.body.id });
    const forum = rig.sandboxed.createChat({
      title: 'Forum',
      owner: ann,
      members: [bot.platformId],
      isForum: true,
    });
    const [alert] = await rig.store.alertLog.settle(
      [{ kind: 'bot_disabled', botId: bot.id, subject: '', params: {} }],
      rig.clock.now(),
    );
    const made = {
      'open alert': { id: alert?.alert.id },
      forum: { id: forum.id },
      file: { id: newest?.file_id },
      'failed send': { id: failed },
      'scheduled message': scheduled.body,
      'canceled broadcast': canceled.body,
    };
    world = { rig, bot, moved, chatId, ann, messageId: sent.body.id, token, made };
  });
  afterAll(() => world.rig.close());

  it('there is a case for each of them', async () => {
    await world.rig.app.ready();
    const asks = new Set([
      'auth/setup/check',
      'bots/validate',
      'bots/apps/preview',
      'bots/check-backend',
      'broadcasts/count',
      'messages/preview',
      'routes/simulate',
      'desks/check',
      // These change only what one user sees, or a counter.
      'chats/read',
      'chats/writing',
      'replies/used',
      // Without a directory for backups it is refused; the test of the command palette has it.
      'service/backup',
    ]);
    const changing = world.rig.app.relay.endpoints
      .filter(({ method, path }) => method === 'POST' && path.startsWith('/api/'))
      .map(({ path }) => path.slice('/api/'.length))
      .filter((path) => !path.startsWith('sandbox/') && !asks.has(path));
    expect([...new Set(changing)].sort()).toEqual(Object.keys(cases).sort());
  });

  it('the page has words for each of them', () => {
    const actions = world.rig.app.relay.endpoints.flatMap(({ audit = 'none', path }) =>
      audit === 'none' ? [] : [audit.action ?? path.slice('/api/'.length).replaceAll('/', '.')],
    );
    expect(actions.length).toBeGreaterThan(40);
    expect(actions.filter((action) => !Object.hasOwn(auditActions, action))).toEqual([]);
  });

  it('each leaves an entry with before and after, and no secret', async () => {
    const { rig } = world;
    const newest = async () =>
      (await rig.admin.get<Entry[]>('/api/adminlog?limit=1')).body[0] as Entry;
    for (const [path, { query, body, before, after }] of Object.entries(cases)) {
      const earlier = await newest();
      const url = new URL(`/api/${path}`, 'http://relay');
      for (const [name, value] of Object.entries(query?.(world) ?? {})) {
        url.searchParams.set(name, String(value));
      }
      const answer = await rig.admin.post<Json>(url.pathname + url.search, body?.(world));
      expect(answer, path).toMatchObject({ status: 200 });
      world.made[path] = answer.body;
      const entry = await newest();
      expect(entry.id, path).toBeGreaterThan(earlier.id);
      const action = path === 'auth/api-keys' ? 'auth/api-keys/create' : path;
      expect(entry.action).toBe(action.replaceAll('/', '.'));
      if (/^(bots\/apps|routes)\//.test(path)) expect(entry.bot_id, path).toBe(world.bot.id);
      for (const [recorded, expected] of [
        [entry.before, before],
        [entry.after, after],
      ] as const) {
        if (expected === null) expect(recorded, path).toBeNull();
        else expect(recorded, path).toMatchObject(expected);
      }
    }
    const everything = await rig.admin.text('/api/adminlog/export');
    const keys = ['auth/api-keys', 'auth/api-keys/create'].map((path) => world.made[path]?.['key']);
    const tokens = ['bots/apps/add', 'bots/apps/rotate'].map((path) => world.made[path]?.['token']);
    for (const secret of [...secrets, ...keys, ...tokens, world.token.split(':')[1]]) {
      expect(everything).not.toContain(secret);
    }
  });
});
