import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { BotmuxReport } from '../../../src/manage/import/import-botmux.ts';
import type { DialectName } from '../../../src/store/engine.ts';
import { writeBotmuxFile } from '../botmux-file.ts';
import { createMachine } from '../command.ts';
import { createDatabase } from '../database/engines.ts';

export const group = -1001;
export const at = Date.parse('2026-03-01T10:00:00Z');

/** How the report counts records of one kind. */
export const counts = (added: number, known = 0, skipped = 0) => ({ added, known, skipped });

/** Two bots that work, one that Telegram does not know, and what botmux would store of them. */
export async function machineWithBotmux(dialect: DialectName) {
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
