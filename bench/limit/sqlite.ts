import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { createCheckpointer } from '../../src/store/sqlite/checkpointer.ts';
import type { LimitStore } from './batch.ts';

export function openSqliteLimit(file: string): LimitStore {
  const db = new DatabaseSync(file);
  // The settings are the same as the relay's.
  db.exec(`pragma journal_mode = wal; pragma synchronous = full;
    pragma cache_size = -32768; pragma mmap_size = 67108864; pragma temp_store = memory;
    create table log (bot_id integer, position integer, update_id integer, kind text, queue text,
      received_at integer, raw text, primary key (bot_id, position));
    create table messages (bot_id integer, chat_id integer, id integer, user_id integer,
      username text, first_name text, last_name text, text text, date integer, media_type text,
      file_id text, reply_to_message_id integer, origin text, edited_at integer, deleted_at integer,
      media_group_id text, extra text, primary key (bot_id, chat_id, id));
    create index messages_newest on messages (bot_id, chat_id, date, id);`);
  // A thread copies the write-ahead log into the database, because within a commit everything would
  // wait.
  const pragmas = new Map<string, StatementSync>();
  const checkpointer = createCheckpointer(file, {
    exec: (sql) => db.exec(sql),
    run(sql) {
      const pragma = pragmas.get(sql) ?? db.prepare(sql);
      pragmas.set(sql, pragma);
      return { rows: pragma.all(), changes: 0 };
    },
  });
  const begin = db.prepare('begin immediate');
  const commit = db.prepare('commit');
  const insertLog = db.prepare('insert into log values (?, ?, ?, ?, ?, ?, ?)');
  const insertMessage = db.prepare(
    "insert into messages values (?, ?, ?, ?, ?, ?, ?, ?, ?, null, null, null, 'received', null, null, null, ?)",
  );
  const positions = new Map<number, number>();
  return {
    commit(batches) {
      begin.run();
      const now = Date.now();
      for (const { bot, updates, raws } of batches) {
        let position = positions.get(bot) ?? 0;
        updates.forEach(({ update_id, message }, index) => {
          const { chat, from } = message;
          position++;
          const queue = `c${chat.id}`;
          insertLog.run(bot, position, update_id, 'message', queue, now, raws[index] as string);
          insertMessage.run(
            bot,
            chat.id,
            message.message_id,
            from.id,
            from.username,
            from.first_name,
            from.last_name,
            message.text,
            message.date,
            JSON.stringify({ entities: message.entities }),
          );
        });
        positions.set(bot, position);
      }
      commit.run();
      checkpointer.committed();
    },
  };
}
