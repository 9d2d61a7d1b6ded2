import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { BotmuxReport } from '../../src/manage/import/import-botmux.ts';
import { writeBotmuxFile } from '../support/botmux-file.ts';
import { createMachine } from '../support/command.ts';

const long = 'x'.repeat(9_000);
const group = -1001;
const counts = (added: number, skipped = 0) => ({ added, known: 0, skipped });

describe('import botmux', () => {
  it.each(['messages', 'chats', 'routes'])('refuses a file whose %s are a view', async (table) => {
    const machine = await createMachine();
    const file = path.join(machine.folder, 'botmux.db');
    writeBotmuxFile(file, {});
    const db = new DatabaseSync(file);
    db.exec(`alter table ${table} rename to real_${table};
      create view ${table} as with recursive n (i) as (select 1 union all select i + 1 from n)
        select real_${table}.* from n left join real_${table}`);
    db.close();
    expect(await machine.run(['import', 'botmux', file, '--dry-run'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`is not a botmux database (${table} is not a table)`),
    });
  });

  it('cuts or leaves out what is too large, and takes over everything else', async () => {
    const machine = await createMachine();
    const { sandbox } = machine;
    const [shop, desk] = [sandbox.createBot(), sandbox.createBot()];
    const file = path.join(machine.folder, 'botmux.db');
    const message = { bot_id: 1, chat_id: group, from_user: '@ann', from_id: 5, date: 1_000 };
    const route = { source_bot_id: 1, target_bot_id: 1, target_chat_id: 7 };
    const mapping = {
      route_id: 1,
      source_bot_id: 1,
      source_chat_id: group,
      target_bot_id: 1,
      target_chat_id: 7,
      target_msg_id: 1,
    };
    writeBotmuxFile(file, {
      bots: [
        { name: long, token: shop.token, manage_enabled: 1, description: long },
        {
          name: 'Desk',
          token: desk.token,
          manage_enabled: 1,
          backend_url: `https://x.example/${long}`,
        },
      ],
      chats: [
        {
          bot_id: 1,
          id: group,
          type: 'supergroup',
          title: `${'x'.repeat(8_191)}😀`,
          description: long,
        },
        { bot_id: 1, id: 2n ** 60n, type: 'group', title: 'Far' },
        { bot_id: 1, id: 9, type: 'private', title: 'Near' },
      ],
      messages: [
        { ...message, id: 1, file_id: 'f'.repeat(2_000), media_type: 'photo' },
        { ...message, id: 2, text: 'y'.repeat(200_000), media_type: long },
        { ...message, id: 3, date: 2n ** 62n },
        { ...message, id: 4, date: 2n ** 52n + 5n },
        { ...message, id: 2n ** 55n },
        { ...message, id: 6, text: 'the last' },
      ],
      known_users: [
        { chat_id: group, user_id: 5, username: long },
        { chat_id: group, user_id: 2n ** 53n, username: 'far' },
      ],
      user_tags: [{ chat_id: group, user_id: 5, username: long, tag: long }],
      routes: [
        { ...route, condition_value: long, description: 'too long' },
        { ...route, condition_value: 'a', source_chat_id: 2n ** 60n, description: 'far' },
        { ...route, condition_value: 'refund', description: long },
      ],
      route_mappings: [
        { ...mapping, source_msg_id: 1 },
        { ...mapping, source_msg_id: 2n ** 58n },
      ],
      auth_users: [
        { username: long, password_hash: 'x' },
        { username: 'ben', password_hash: 'x' },
      ],
    });
    const report = await machine.json<BotmuxReport>(['import', 'botmux', file]);
    expect(report).toMatchObject({
      bots: [{ outcome: 'added' }, { outcome: 'refused' }],
      chats: counts(2, 1),
      people: counts(1, 1),
      members: counts(1, 1),
      messages: counts(5, 1),
      tags: counts(1),
      routes: [
        { outcome: 'refused' },
        { outcome: 'refused', problem: 'A chat ID of it is out of range.' },
        { outcome: 'added' },
      ],
      pairs: counts(1, 1),
      users: [{ outcome: 'refused' }, { outcome: 'added' }],
    });
    expect(report.bots[1]?.problem).toMatch(/backend_url/);
    const again = await machine.json<BotmuxReport>(['import', 'botmux', file]);
    expect(again.messages).toEqual({ added: 0, known: 5, skipped: 1 });
  });
});
