import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialects } from '../support/database/engines.ts';
import { type ManagedPeople, startManagedPeople } from '../support/rigs/managed-people.ts';

interface Entry {
  id: number;
  at: string;
  actor: { kind: string; id: number; name: string };
  action: string;
  bot_id: number;
  input: Record<string, unknown> | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  address: string;
  request_id: string;
}

describe.each(dialects)('the audit log on %s', (dialect) => {
  let rig: ManagedPeople;
  beforeAll(async () => {
    rig = await startManagedPeople(dialect);
  });
  afterAll(() => rig.close());

  const entries = async (query = '') =>
    (await rig.admin.get<Entry[]>(`/api/adminlog?limit=200${query}`)).body;

  it('tells who changed what, before and after, without a secret', async () => {
    const earlier = (await entries()).length;
    const { token } = rig.sandboxed.createBot();
    const added = await rig.admin.post<{ id: number }>('/api/bots/add', {
      token,
      name: 'Shop',
      secret_token: 'very-secret-word',
      backend_url: 'http://127.0.0.1:9/hook/path-secret?key=query-secret',
    });
    expect(added.status).toBe(200);
    const { id } = added.body;
    await rig.admin.post('/api/bots/update', { id, name: 'Store' });
    await rig.admin.post(`/api/bots/toggle-disabled?id=${id}`);
    const user = { username: 'anna', password: 'correct horse battery' };
    await rig.admin.post('/api/auth/users/create', user);
    const made = await rig.admin.post<{ key: string }>('/api/auth/api-keys', { name: 'deploy' });
    await rig.admin.post('/api/llm-config', { api_key: 'sk-model-secret', model: 'm' });
    await rig.admin.post('/api/auth/sign-in', user);
    await rig.admin.post('/api/tags/add', { chat_id: -5, user_id: 7, tag: 'vip' });
    const secret = `whsec_${Buffer.from('s'.repeat(32)).toString('base64')}`;
    const url = 'https://ops.example.com/services/hook-secret';
    const config = { version: 1, alert_channels: [{ url, secret }] };
    expect((await rig.admin.post('/api/config/apply', { config })).status).toBe(200);

    const log = (await entries()).slice(0, -earlier || undefined);
    expect(log.map((entry) => entry.action)).toEqual([
      'config.apply',
      'tags.add',
      'auth.sign-in',
      'llm-config',
      'auth.api-keys.create',
      'auth.users.create',
      'bots.toggle-disabled',
      'bots.update',
      'bots.add',
    ]);
    expect(log.find((entry) => entry.action === 'bots.update')).toMatchObject({
      actor: { kind: 'local', id: 0, name: 'command line' },
      bot_id: id,
      at: new Date(rig.clock.now()).toISOString(),
      input: { id, name: 'Store' },
      before: {
        name: 'Shop',
        secret_token: '***',
        backend_url: 'http://127.0.0.1:9/***?***',
      },
      after: { name: 'Store' },
      address: '127.0.0.1',
      request_id: expect.stringMatching(/./) as string,
    });
    expect(log.find((entry) => entry.action === 'auth.sign-in')?.actor).toMatchObject({
      kind: 'user',
      name: 'anna',
    });
    const everything = JSON.stringify(log) + (await rig.admin.text('/api/adminlog/export'));
    for (const hidden of [
      token.split(':')[1],
      'very-secret-word',
      user.password,
      made.body.key,
      'sk-model-secret',
      'path-secret',
      'query-secret',
      secret,
      'hook-secret',
    ]) {
      expect(everything).not.toContain(hidden);
    }
  });

  it('leaves out what changed nothing', async () => {
    const before = await entries();
    const { token } = rig.sandboxed.createBot();
    expect((await rig.admin.post('/api/auth/setup/check', { token: 'x' })).status).toBe(200);
    await rig.admin.post('/api/bots/validate', { token });
    await rig.admin.post('/api/bots/update', { id: 99_999, name: 'nobody' });
    await rig.admin.post('/api/bots/add', { token: 'no token' });
    await rig.admin.get('/api/bots');
    const users = [{ username: 'dry', password: 'password one' }];
    const dry = { config: { version: 1, users }, dry_run: true };
    expect((await rig.admin.post('/api/config/apply', dry)).status).toBe(200);
    expect(await entries()).toEqual(before);
  });

  it('says of an imported history only how much it was', async () => {
    const bot = await rig.addBot();
    const user = { username: 'dora_secret', first_name: 'Dora Secret' };
    const about = { bot_id: bot.id, chat_id: 77 };
    const portion = {
      people: [{ user_id: 77, ...user, is_bot: false }],
      chats: [
        {
          ...about,
          type: 'private',
          title: 'Dora Secret',
          username: '',
          member_status: '',
          member_count: -1,
          description: '',
          last_message_at: 0,
        },
      ],
      members: [{ ...about, user_id: 77 }],
      messages: [
        {
          ...about,
          id: 1,
          user_id: 77,
          ...user,
          text: 'between us',
          date: 1,
          media_type: null,
          file_id: null,
          reply_to_message_id: null,
          origin: 'received',
          deleted: false,
        },
      ],
      tags: [{ chat_id: 77, user_id: 77, username: '', tag: 'debtor', color: '#ff0000' }],
    };
    expect(await rig.admin.post('/api/import', portion)).toMatchObject({ status: 200 });
    const [newest] = await entries();
    expect(newest).toMatchObject({ action: 'import', after: { messages: 1 } });
    const one = { people: 1, chats: 1, members: 1, messages: 1, tags: 1 };
    expect(newest).toMatchObject({ bot_id: bot.id });
    expect(newest?.input).toEqual({ ...one, bot_id: bot.id, dry_run: false });
    // What is there already changes nothing.
    expect(await rig.admin.post('/api/import', portion)).toMatchObject({ status: 200 });
    expect((await entries())[0]?.id).toBe(newest?.id);
    expect(await rig.admin.text('/api/adminlog/export')).not.toMatch(/between us|dora|debtor/i);
  });

  it('is filtered, paged and limited to the bots a key may see', async () => {
    const bot = await rig.addBot();
    const group = await rig.group(bot, { can_restrict_members: true });
    const manager = await rig.as('manage');
    const from = new Date(rig.clock.now() + 1_000).toISOString();
    await rig.clock.advance(60_000);
    const mute = `/api/users/mute?bot_id=${bot.id}&chat_id=${group.chatId}&user_id=${group.ann}`;
    expect((await manager.post(mute)).status).toBe(200);
    expect((await manager.post(mute.replace('mute', 'unmute'))).status).toBe(200);
    const text = '=1+1';
    const sent = { bot_id: bot.id, chat_id: group.chatId, text };
    expect((await manager.post('/api/messages/send', sent)).status).toBe(200);

    const ofBot = await entries(`&bot_id=${bot.id}`);
    expect(ofBot.map((entry) => entry.action)).toEqual([
      'messages.send',
      'users.unmute',
      'users.mute',
    ]);
    const [, unmuted] = ofBot;
    expect(unmuted).toMatchObject({
      actor: { kind: 'key', name: 'manage key' },
      before: { status: 'restricted' },
      after: { status: 'member' },
    });
    expect(await entries(`&bot_id=${bot.id}&before_id=${unmuted?.id}`)).toEqual(ofBot.slice(2));
    expect(await entries(`&action=users&bot_id=${bot.id}`)).toEqual(ofBot.slice(1));
    expect(await entries(`&action=users.mute&bot_id=${bot.id}`)).toEqual(ofBot.slice(2));
    expect(await entries('&action=user')).toEqual([]);
    expect(await entries(`&actor_kind=key&actor_id=${unmuted?.actor.id}`)).toEqual(ofBot);
    expect(await entries(`&since=${from}&bot_id=${bot.id}`)).toEqual(ofBot);
    expect((await entries(`&until=${from}`)).some((entry) => entry.bot_id === bot.id)).toBe(false);

    const limited = await rig.as('admin', [bot.id]);
    expect((await limited.get<Entry[]>('/api/adminlog')).body).toEqual(ofBot);
    const other = await rig.addBot();
    expect((await limited.get(`/api/adminlog?bot_id=${other.id}`)).status).toBe(403);
    expect((await limited.get(`/api/adminlog/export?bot_id=${other.id}`)).status).toBe(403);
    expect((await manager.get('/api/adminlog')).status).toBe(403);

    const lines = (await rig.admin.text(`/api/adminlog/export?bot_id=${bot.id}`))
      .trim()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line) as Entry)).toEqual(ofBot);
    await rig.admin.post('/api/auth/users/create', {
      username: '@evil',
      password: 'long enough',
    });
    const csv = await rig.admin.text('/api/adminlog/export?format=csv&action=auth.users');
    expect(csv.split('\r\n')[0]).toContain('id,at,actor_kind');
    expect(csv).not.toMatch(/(^|,)[=+@]/m);
  });

  it('cannot be changed or shortened, not even by the database connection', async () => {
    const entry = {
      actor_kind: 'local',
      actor_id: 0,
      actor_name: 'command line',
      bot_id: 0,
      chat_id: 0,
      user_id: 0,
      input: '',
      before: '',
      after: '',
      address: '',
      request_id: '',
    } as const;
    await rig.store.audit.add({ ...entry, at: Date.now(), action: 'test.kept' });
    await rig.store.audit.add({ ...entry, at: 1_700_000_000_000, action: 'test.old' });
    const run = (sql: string) =>
      rig.store.engine.write(function* () {
        yield { sql, parameters: [] };
      });
    await expect(run("update audit set actor_name = 'x'")).rejects.toThrow('append-only');
    await expect(run("delete from audit where action = 'test.kept'")).rejects.toThrow(
      'append-only',
    );
    // Entries of more than a year ago may go.
    await run("delete from audit where action = 'test.old'");
    expect(await entries('&action=test.kept')).toHaveLength(1);
    expect(await entries('&action=test.old')).toHaveLength(0);
  });
});
