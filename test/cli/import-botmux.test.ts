import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, vi } from 'vitest';
import type { BotmuxReport } from '../../src/manage/import/import-botmux.ts';
import type { Machine } from '../support/command.ts';
import { dialects } from '../support/database/engines.ts';
import { at, counts, group, machineWithBotmux } from '../support/rigs/botmux-machine.ts';

type Json = Record<string, unknown>;

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
    expect(stdout).toContain('Not imported: bridges (1)');
    expect(stdout).toContain('bot-relay users password ben');
    expect((await machine.run(['users', 'list'])).stdout).toMatch(/ ben .* no password$/m);
    const again = await machine.run(['import', 'botmux', file]);
    expect(again.stdout).toContain('bot-relay users password ben');
    await machine.run(['users', 'password', 'ben', '--password-stdin'], 'a new password\n');
    expect((await machine.run(['users', 'list'])).stdout).toMatch(/ ben .* active$/m);
    const last = await machine.run(['import', 'botmux', file]);
    expect(last.stdout).not.toContain('users password ben');
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
