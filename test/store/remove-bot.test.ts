import { expect, it, onTestFinished } from 'vitest';
import { createVault } from '../../src/core/access/vault.ts';
import { type Engine, raw } from '../../src/store/engine.ts';
import { removeBot } from '../../src/store/bots/remove-bot.ts';
import { createStore } from '../../src/store/store.ts';
import { createDatabase, dialects } from '../support/database/engines.ts';

const rows = 2_100;
const tables = [
  'delivery_attempts',
  'outbox',
  'route_decisions',
  'message_pairs',
  'broadcast_recipients',
  'broadcast_marks',
  'topics',
  'topic_reads',
  'desk_ratings',
];

it.each(dialects)(
  'the removal of a bot leaves no large table to the cascade, on %s',
  async (dialect) => {
    const database = await createDatabase(dialect);
    onTestFinished(() => database.drop());
    const engine = await database.open();
    onTestFinished(() => engine.close());
    const vault = createVault(['a master key of at least thirty-two characters']);
    const { bots } = createStore(engine, vault);
    const bot = await bots.insert({ token: '4711:AAdelete', source: 'web' }, 1);
    const other = await bots.insert({ token: '4712:AAkeep', source: 'web' }, 1);
    const fill = (table: string, values: Record<string, string>) =>
      engine.write(function* () {
        const sql = `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${rows})
        insert into ${table} (${Object.keys(values).join()}) select ${Object.values(values).join()} from n`;
        yield { sql, parameters: [] };
      });
    await engine.write(() =>
      raw(
        `insert into users (id, username, password_hash, role, created_at)
         values (1, 'olga', '', 'user', 1)`,
        [],
      ),
    );
    for (const { id } of [bot, other]) {
      const bot_id = String(id);
      const from = { bot_id, position: 'i', update_id: 'i' };
      const made = { created_at: '1' };
      await fill('delivery_attempts', {
        ...from,
        ...{ queue: "''", started_at: '1', duration_ms: '1', status: '200' },
        ...{ error: "''", answer: "''" },
      });
      await fill('outbox', {
        ...{ bot_id, chat_id: 'i', method: "'x'", params: "''", origin: "'api'" },
        ...{ priority: '1', state: "'sent'", ...made, updated_at: '1' },
      });
      await fill('route_decisions', {
        ...{ ...from, chat_id: 'i', user_id: '1', message_id: 'i', outcome: "''", reason: "''" },
        ...{ asked: "''", matched: "''", ...made },
      });
      await engine.write(() =>
        raw(
          `insert into broadcasts (id, bot_id, name, state, message, audience, options, author,
             created_at, updated_at)
           values ($1, $1, '', 'running', '{}', '{}', '{}', '{}', 1, 1)`,
          [id],
        ),
      );
      await fill('broadcast_recipients', {
        ...{ broadcast_id: bot_id, chat_id: 'i', state: "'waiting'" },
      });
      await fill('broadcast_marks', { bot_id, chat_id: 'i', mark: "'blocked'", at: '1' });
      const topic = { bot_id, chat_id: '5', thread_id: 'i' };
      await fill('topics', { ...topic, last_message_at: '1' });
      await fill('topic_reads', {
        ...topic,
        ...{ user_id: '1', message_date: '1', message_id: 'i' },
      });
      await fill('desk_ratings', {
        ...{ bot_id, chat_id: 'i', connection: "''", nonce: "''", text: "''", rating: '4' },
        ...{ assignee: "''", assignee_name: "''", asked_at: '1', rated_at: '1' },
      });
      await fill('message_pairs', {
        ...{ bot_id, chat_id: '1', message_id: 'i' },
        ...{ peer_bot_id: String(id === bot.id ? other.id : bot.id), peer_chat_id: '1' },
        ...{ peer_message_id: 'i', route_id: '1', style: "'copy'", hops: '1', ...made },
      });
    }
    const counts = async () => {
      const found = tables.map((table) =>
        engine.readRaw<{ n: number }>(`select count(*) as n from ${table}`, []),
      );
      return (await Promise.all(found)).map(([row]) => Number(row?.n));
    };
    let beforeLast: number[] = [];
    const watched: Engine = {
      ...engine,
      async write(job, options) {
        beforeLast = await counts();
        return engine.write(job, options);
      },
    };
    expect(await removeBot(watched, bot.id)).toBe(true);
    // Those of the other bot; a pair needs both.
    const left = tables.map((table) => (table === 'message_pairs' ? 0 : rows));
    expect(beforeLast).toEqual(left);
    expect(await counts()).toEqual(left);
    expect(await bots.get(bot.id)).toBeUndefined();
  },
);
