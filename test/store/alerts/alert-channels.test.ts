import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { channelDefaults } from '../../../src/core/alerts/alert-channel.ts';
import { moveAlertChannels } from '../../../src/store/messages/chat-moves.ts';
import { addBotRow, createTestStore } from '../../support/database/store.ts';

it('keeps what is set while the group of a channel moves', async () => {
  const { store, database, close } = await createTestStore('postgres');
  onTestFinished(close);
  const { alertChannels, engine } = store;
  await addBotRow(engine, 1);
  const settings = { ...channelDefaults, bot_id: 1, chat_id: -5 };
  const { id } = await alertChannels.add('telegram', settings, '', 1);
  const client = new pg.Client({ connectionString: database.databaseUrl });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('begin');
  await client.query('update alert_channels set settings = $1 where id = $2', [
    JSON.stringify({ ...settings, delay_seconds: 7 }),
    id,
  ]);
  const moved = engine.write(() => moveAlertChannels('postgres', -5, -1005, 2));
  const isWaiting = async () => {
    const waiting = await engine.readRaw(
      `select 1 from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
      [],
    );
    return waiting.length > 0;
  };
  await vi.waitUntil(isWaiting);
  await client.query('commit');
  await moved;
  expect(await alertChannels.get(id)).toMatchObject({ chat_id: -1005, delay_seconds: 7 });
});
