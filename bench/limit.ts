// The barest pipeline that does the same work, written by hand: poll, parse, commit the same log
// and message rows with FULL, POST over 64 connections. No order, no retries, no settings. It is
// the limit that the relay is measured against, in the same run and on the same machine.
// Arguments: platform address, sink address ('' for ingest only), database file, bot ids.
import { DatabaseSync } from 'node:sqlite';
import { Pool } from 'undici';

const [platform = '', sink = '', file = '', ids = ''] = process.argv.slice(2);
const bots = ids.split(',').map(Number);

const db = new DatabaseSync(file);
db.exec(`pragma journal_mode = wal; pragma synchronous = full;
  create table log (bot_id integer, position integer, update_id integer, kind text, queue text,
    received_at integer, raw text, primary key (bot_id, position));
  create table messages (bot_id integer, chat_id integer, id integer, user_id integer,
    username text, first_name text, last_name text, text text, date integer, media_type text,
    file_id text, reply_to_message_id integer, origin text, edited_at integer, deleted_at integer,
    media_group_id text, extra text, primary key (bot_id, chat_id, id));
  create index messages_newest on messages (bot_id, chat_id, date, id);`);
const insertLog = db.prepare('insert into log values (?, ?, ?, ?, ?, ?, ?)');
const insertMessage = db.prepare(
  "insert into messages values (?, ?, ?, ?, ?, ?, ?, ?, ?, null, null, null, 'received', null, null, null, ?)",
);

interface Update {
  update_id: number;
  message: {
    message_id: number;
    date: number;
    text: string;
    entities: unknown;
    chat: { id: number };
    from: { id: number; username: string; first_name: string; last_name: string };
  };
}

const polls = new Pool(platform, { connections: bots.length, pipelining: 1 });
const posts = sink === '' ? undefined : new Pool(sink, { connections: 64, pipelining: 1 });
const positions = new Map(bots.map((bot) => [bot, 0]));
let waiting: { bot: number; updates: Update[]; done: () => void }[] = [];
let scheduled = false;

function commit(bot: number, updates: Update[]): Promise<void> {
  return new Promise((done) => {
    waiting.push({ bot, updates, done });
    if (scheduled) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      const group = waiting;
      waiting = [];
      db.exec('begin immediate');
      for (const one of group) {
        for (const update of one.updates) {
          const position = (positions.get(one.bot) ?? 0) + 1;
          positions.set(one.bot, position);
          const { message } = update;
          const queue = `c${message.chat.id}`;
          insertLog.run(
            one.bot,
            position,
            update.update_id,
            'message',
            queue,
            Date.now(),
            JSON.stringify(update),
          );
          insertMessage.run(
            one.bot,
            message.chat.id,
            message.message_id,
            message.from.id,
            message.from.username,
            message.from.first_name,
            message.from.last_name,
            message.text,
            message.date,
            JSON.stringify({ entities: message.entities }),
          );
        }
      }
      db.exec('commit');
      for (const one of group) one.done();
    });
  });
}

async function push(bot: number, update: Update): Promise<void> {
  const response = await posts?.request({
    path: `/b/${bot}`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(update),
  });
  await response?.body.dump();
}

async function serve(bot: number): Promise<void> {
  let offset = 0;
  for (;;) {
    const query = `limit=100&timeout=50${offset ? `&offset=${offset}` : ''}`;
    const response = await polls.request({
      path: `/bot${bot}:benchbenchbench/getUpdates?${query}`,
      method: 'GET',
      headersTimeout: 0,
    });
    const { result } = (await response.body.json()) as { result: Update[] };
    if (result.length === 0) continue;
    await commit(bot, result);
    offset = (result.at(-1)?.update_id ?? 0) + 1;
    // The next poll does not wait for the pushes, but they bound how much is in memory.
    if (posts) await Promise.all(result.map((update) => push(bot, update)));
  }
}

process.on('disconnect', () => process.exit(0));
for (const bot of bots) void serve(bot);
process.send?.('ready');
