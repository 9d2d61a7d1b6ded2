import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { BotmuxReport } from '../../src/manage/import/import-botmux.ts';
import { writeBotmuxFile } from '../support/botmux-file.ts';
import { createMachine, type Machine } from '../support/command.ts';
import { createDatabase, dialects } from '../support/database/engines.ts';

type Json = Record<string, unknown>;
const group = -1001;
const at = Date.parse('2026-03-01T10:00:00Z');

/** Two bots that work, one that Telegram does not know, and what botmux would store of them. */
async function machineWithBotmux(dialect: 'sqlite' | 'postgres') {
  const machine = await createMachine();
  const database = await createDatabase(dialect);
  Object.assign(machine.env, database.settings, { RELAY_SECRET_KEY: 'k'.repeat(40) });
  onTestFinished(() => database.drop());
  const { sandbox } = machine;
  const shop = sandbox.createBot({ username: 'old_shop_bot', first_name: 'Shop' });
  const desk = sandbox.createBot({ username: 'old_desk_bot', first_name: 'Desk' });
  const ann = sandbox.createUser({ first_name: 'Ann', username: 'ann' });
  const file = path.join(machine.folder, 'botmux.db');
  const write = (offset: number) =>
    writeBotmuxFile(file, {
      bots: [
        {
          name: 'Shop',
          token: shop.token,
          bot_username: 'old_shop_bot',
          manage_enabled: 1,
          offset_id: offset,
          description: 'Sells things',
        },
        {
          name: 'Desk',
          token: desk.token,
          manage_enabled: 1,
          proxy_enabled: 1,
          backend_url: 'ftp://desk.example.com',
          secret_token: 'a secret',
        },
        { name: 'Gone', token: '99:gone', manage_enabled: 1 },
      ],
      chats: [
        { bot_id: 1, id: ann.id, type: 'private', title: 'Ann Lee', username: 'ann' },
        {
          bot_id: 2,
          id: group,
          type: 'supergroup',
          title: 'Team',
          member_count: 4,
          is_admin: 1,
          description: 'Ours',
        },
        { bot_id: 3, id: 5, type: 'private', title: 'Nobody' },
      ],
      messages: [
        {
          bot_id: 1,
          chat_id: ann.id,
          id: 10,
          from_user: '@ann',
          from_id: ann.id,
          text: 'An old refund',
          date: at,
        },
        {
          bot_id: 1,
          chat_id: ann.id,
          id: 11,
          from_user: '@old_shop_bot',
          from_id: shop.id,
          text: 'Of course',
          date: at + 60_000,
          reply_to_id: 10,
          deleted: 1,
        },
        {
          bot_id: 1,
          chat_id: ann.id,
          id: 2_000_000_007,
          from_user: '@ann',
          from_id: ann.id,
          text: 'yes',
          date: at + 61_000,
          media_type: 'callback',
        },
        {
          bot_id: 2,
          chat_id: group,
          id: 7,
          from_user: '@old_desk_bot',
          from_id: desk.id,
          text: 'An old refund',
          date: at,
          from_is_bot: 1,
        },
        { bot_id: 3, chat_id: 5, id: 1, text: 'lost', date: at },
      ],
      known_users: [
        { chat_id: ann.id, user_id: ann.id, username: '@ann' },
        { chat_id: group, user_id: 77, username: 'Bob Fox' },
      ],
      user_tags: [
        { chat_id: group, user_id: 77, username: 'Bob Fox', tag: 'vip', color: '#ff0000' },
      ],
      routes: [
        {
          source_bot_id: 1,
          target_bot_id: 2,
          condition_type: 'text',
          condition_value: 'refund|money',
          action: 'forward',
          target_chat_id: group,
          description: 'Money',
        },
        { source_bot_id: 1, target_bot_id: 2, condition_type: 'moon', condition_value: 'full' },
        { source_bot_id: 1, target_bot_id: 2, condition_value: '(unclosed' },
        { source_bot_id: 1, target_bot_id: 3, condition_value: 'x' },
      ],
      route_mappings: [
        {
          route_id: 1,
          source_bot_id: 1,
          source_chat_id: ann.id,
          source_msg_id: 10,
          target_bot_id: 2,
          target_chat_id: group,
          target_msg_id: 7,
          created_at: '2026-03-01T10:00:01Z',
        },
      ],
      llm_config: [
        { api_url: 'https://model.example.com/v1', api_key: 'sk-old', model: 'small', enabled: 0 },
      ],
      auth_users: [
        { username: 'Anna', password_hash: '$2a$10$x', role: 'admin' },
        { username: 'ben', password_hash: '$2a$10$y', role: 'user' },
        { username: 'no name', password_hash: '$2a$10$z', role: 'user' },
      ],
      user_bots: [
        { user_id: 2, bot_id: 2 },
        { user_id: 2, bot_id: 3 },
      ],
      bridges: [{ name: 'slack' }],
    });
  const bring = (...more: string[]) =>
    machine.json<BotmuxReport>(['import', 'botmux', file, ...more]);
  return { machine, file, write, bring, shop, desk, ann };
}

/** Asks the API, of a running service or inside the command's process. */
async function tell(machine: Machine, what: (get: (path: string) => Promise<unknown>) => unknown) {
  const service = await machine.startService();
  const get = async (target: string) => {
    const answer = await fetch(service.address + target, {
      headers: { authorization: `Bearer ${service.localKey}` },
    });
    expect(answer.status, target).toBe(200);
    return answer.json();
  };
  await what(get);
  await service.close();
}

const outcomes = (entries: BotmuxReport['bots']) => entries.map(({ outcome }) => outcome);
const counts = (added: number, known = 0, skipped = 0) => ({ added, known, skipped });

describe.each(dialects)('import botmux on %s', (dialect) => {
  it.each(['while the service runs', 'while it is stopped'])(
    'takes everything over %s, once',
    async (way) => {
      const { machine, write, bring, ann } = await machineWithBotmux(dialect);
      write(0);
      let service = way === 'while the service runs' ? await machine.startService() : undefined;

      const planned = await bring('--dry-run');
      expect(await machine.json(['bots', 'list'])).toEqual([]);
      expect(await machine.json(['users', 'list'])).toEqual([]);
      const report = await bring();
      const ids = ({ bots, routes, users, ...rest }: BotmuxReport) => ({
        ...rest,
        ...Object.fromEntries(
          Object.entries({ bots, routes, users }).map(([kind, entries]) => [
            kind,
            entries.map((entry) => ({ ...entry, id: 0 })),
          ]),
        ),
      });
      expect(ids({ ...planned, dry_run: 0 } as never)).toEqual(
        ids({ ...report, dry_run: 0 } as never),
      );

      expect(report).toMatchObject({
        chats: counts(2, 0, 1),
        messages: counts(4, 0, 1),
        people: counts(2),
        members: counts(2),
        tags: counts(1),
        pairs: counts(1),
        model: { outcome: 'added' },
        not_imported: { bridges: 1, api_keys: 0, admin_log: 0 },
      });
      expect(outcomes(report.bots)).toEqual(['added', 'added', 'refused']);
      expect(report.bots[1]?.problem).toMatch(/^Imported without its backend: the address must be/);
      expect(report.bots[2]?.problem).toMatch(/^Telegram rejects this token/);
      expect(outcomes(report.routes)).toEqual(['added', 'refused', 'refused', 'refused']);
      expect(report.routes.map(({ problem }) => problem)).toEqual([
        '',
        'The condition "moon" does not exist here.',
        expect.stringMatching(/condition_value must be a regular expression/),
        'One of its bots was not imported.',
      ]);
      expect(outcomes(report.users)).toEqual(['added', 'added', 'refused']);
      const [shopId, deskId] = report.bots.map(({ id }) => id) as [number, number];

      const again = await bring();
      expect(outcomes(again.bots)).toEqual(['known', 'known', 'refused']);
      expect(outcomes(again.routes)).toEqual(['known', 'refused', 'refused', 'refused']);
      expect(outcomes(again.users)).toEqual(['known', 'known', 'refused']);
      expect(again).toMatchObject({
        chats: counts(0, 2, 1),
        messages: counts(0, 4, 1),
        people: counts(0, 2),
        members: counts(0, 2),
        tags: counts(0, 1),
        pairs: counts(0, 1),
        model: { outcome: 'known' },
      });
      await service?.close();
      service = undefined;

      await tell(machine, async (get) => {
        expect(await get('/api/bots')).toMatchObject([
          { id: shopId, name: 'Shop', description: 'Sells things', disabled: false },
          { id: deskId, name: 'Desk', backend_url: '', proxy_enabled: false, secret_token: '' },
        ]);
        expect(await get(`/api/chats?bot_id=${deskId}`)).toMatchObject([
          { chat_id: group, title: 'Team', type: 'supergroup', member_count: 4 },
        ]);
        const messages = (await get(`/api/messages?bot_id=${shopId}&chat_id=${ann.id}`)) as Json[];
        expect(messages).toHaveLength(3);
        expect(messages.find(({ id }) => id === 10)).toMatchObject({
          text: 'An old refund',
          username: 'ann',
          date: at / 1_000,
        });
        expect(messages.find(({ id }) => id === 11)).toMatchObject({
          user_id: expect.any(Number) as number,
          reply_to_message_id: 10,
          deleted_at: expect.any(Number) as number,
        });
        expect(messages.find(({ media_type }) => media_type === 'callback')).toMatchObject({
          id: -2_000_000_007,
        });
        expect(await get(`/api/routes?bot_id=${shopId}`)).toMatchObject([
          { condition_type: 'regex', condition_value: '(?i)refund|money', action: 'copy' },
        ]);
        expect(await get(`/api/tags?chat_id=${group}`)).toMatchObject([
          { user_id: 77, tag: 'vip', color: '#ff0000' },
        ]);
        expect(await get('/api/llm-config')).toMatchObject({
          api_url: 'https://model.example.com/v1',
          model: 'small',
          api_key_set: true,
          enabled: false,
        });
        expect(await get('/api/auth/users')).toMatchObject([
          { username: 'anna', role: 'admin' },
          { username: 'ben', role: 'user', bot_ids: [deskId] },
        ]);
        const people = (await get(`/api/users/list?bot_id=${deskId}&chat_id=${group}`)) as Json[];
        expect(people).toContainEqual(
          expect.objectContaining({ user_id: 77, first_name: 'Bob Fox' }),
        );
      });
    },
  );

  it('goes on at the offset of botmux: no update twice, none lost', async () => {
    const { machine, write, bring, shop, ann } = await machineWithBotmux(dialect);
    const { sandbox } = machine;
    sandbox.say(ann.id, 'old_shop_bot', '/start');
    for (const text of ['one', 'two', 'three']) sandbox.say(ann.id, 'old_shop_bot', text);
    const api = `${machine.env['TELEGRAM_API_URL']}/bot${shop.token}/getUpdates`;
    const { result } = (await (await fetch(api)).json()) as {
      result: { update_id: number; message: { text: string } }[];
    };
    const two = result.find(({ message }) => message.text === 'two');
    // botmux handled "two" and stopped before the poll that confirms it.
    write((two?.update_id ?? 0) + 1);
    await machine.startService();
    const { bots } = await bring();
    const botId = bots[0]?.id;
    const texts = async () => {
      const service = JSON.parse(
        readFileSync(path.join(machine.env['RELAY_DATA_DIR'] ?? '', 'service.json'), 'utf8'),
      ) as { url: string; key: string };
      const answer = await fetch(
        `${service.url}/api/messages?bot_id=${botId}&chat_id=${ann.id}&limit=100`,
        { headers: { authorization: `Bearer ${service.key}` } },
      );
      return ((await answer.json()) as { text: string }[]).map(({ text }) => text).reverse();
    };
    sandbox.say(ann.id, 'old_shop_bot', 'four');
    await vi.waitFor(async () => expect(await texts()).toContain('four'));
    const seen = (await texts()).filter((text) => /^(\/start|one|two|three|four)$/.test(text));
    expect(seen).toEqual(['three', 'four']);
  });
});

describe.each(dialects)('messages that botmux forwarded, on %s', (dialect) => {
  it('are answered: a reply goes back to its author, who sees it as a reply', async () => {
    const { machine, file, shop, desk, ann } = await machineWithBotmux(dialect);
    const { sandbox } = machine;
    const bob = sandbox.createUser({ first_name: 'Bob' });
    const team = sandbox.createChat({ title: 'Team', owner: bob, members: [desk] });
    sandbox.say(ann.id, 'old_shop_bot', '/start');
    const asked = sandbox.say(ann.id, 'old_shop_bot', 'Where is my refund?');
    // botmux sent it on before it was stopped.
    const sent = (await sandbox.call(desk.token, 'sendMessage', {
      chat_id: team.id,
      text: 'Where is my refund?',
    })) as { message_id: number };
    const mapping = {
      source_bot_id: 1,
      source_chat_id: ann.id,
      source_msg_id: asked.message_id,
      target_bot_id: 2,
      target_chat_id: team.id,
      target_msg_id: sent.message_id,
    };
    writeBotmuxFile(file, {
      bots: [
        { name: 'Shop', token: shop.token, manage_enabled: 1 },
        { name: 'Desk', token: desk.token, manage_enabled: 1 },
      ],
      // Its route is gone, and it is older than the relay keeps what it routed itself.
      route_mappings: [{ ...mapping, route_id: 7, created_at: '2020-01-01 10:00:00' }],
    });
    expect(await machine.json<BotmuxReport>(['import', 'botmux', file])).toMatchObject({
      pairs: counts(1),
    });
    // Its start deletes what is too old.
    await machine.startService();
    sandbox.say(bob, team, 'On its way.', { replyTo: sent.message_id });
    await vi.waitFor(
      () => {
        const last = sandbox.history(ann.id, 'old_shop_bot').at(-1);
        expect(last?.message).toMatchObject({
          text: 'On its way.',
          reply_to_message: { message_id: asked.message_id },
        });
      },
      { timeout: 15_000, interval: 50 },
    );
  });
});

describe('import botmux', () => {
  it.each(['import', 'apply'])(
    'a dry run of %s needs and makes no data directory',
    async (what) => {
      const { machine, file, write } = await machineWithBotmux('sqlite');
      write(0);
      const dataDir = path.join(machine.folder, 'none');
      machine.env['RELAY_DATA_DIR'] = dataDir;
      const yaml = path.join(machine.folder, 'relay.yaml');
      const id = machine.token.split(':')[0];
      writeFileSync(
        yaml,
        `version: 1\nbots: [{ platform_id: ${id}, token: "${machine.token}" }]\n`,
      );
      const args = what === 'import' ? ['import', 'botmux', file] : ['apply', '-f', yaml];
      const { code, stdout, stderr } = await machine.run([...args, '--dry-run']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(what === 'import' ? /Bots +2 added/ : /^\+ bot /);
      expect(existsSync(dataDir)).toBe(false);
    },
  );

  it('prints what came over and what did not', async () => {
    const { machine, file, write } = await machineWithBotmux('sqlite');
    write(0);
    const { code, stdout, stderr } = await machine.run(['import', 'botmux', file]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Imported ${file}.`);
    expect(stdout).toMatch(/Bots +2 added, 0 unchanged, 1 not imported/);
    expect(stdout).toMatch(/Bot 3 of botmux \(Gone\): Telegram rejects this token/);
    expect(stdout).toContain('Not taken over: bridges (1)');
    expect(stdout).toContain('bot-relay users password ben');
  });

  it('goes on with an import that broke off', async () => {
    const { machine, file, write, bring } = await machineWithBotmux('sqlite');
    write(0);
    const db = new DatabaseSync(file);
    // A table that cannot be read, as of a damaged file.
    db.exec('alter table user_tags rename column chat_id to lost');
    db.close();
    expect((await machine.run(['import', 'botmux', file])).code).not.toBe(0);
    expect(await machine.json(['bots', 'list'])).toMatchObject([
      { disabled: true },
      { disabled: true },
    ]);
    const mended = new DatabaseSync(file);
    mended.exec('alter table user_tags rename column lost to chat_id');
    mended.close();
    expect(outcomes((await bring()).bots)).toEqual(['known', 'known', 'refused']);
    expect(await machine.json(['bots', 'list'])).toMatchObject([
      { disabled: false },
      { disabled: false },
    ]);
  });

  it.each(['a text', 'another database', 'nothing'])('refuses %s', async (kind) => {
    const { machine, file } = await machineWithBotmux('sqlite');
    if (kind === 'a text') writeFileSync(file, 'bots and chats');
    if (kind === 'another database') new DatabaseSync(file).exec('create table bots (id)');
    for (const more of [[], ['--dry-run']]) {
      const { code, stdout, stderr } = await machine.run(['import', 'botmux', file, ...more]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(kind === 'nothing' ? /not found/ : /is not a botmux database \(/);
    }
  });
});
