/*
 * Stores the same rows on PostgreSQL: both tables are filled by COPY, and BEGIN, both copies and
 * COMMIT are sent together, so that a commit is one round trip.
 */
import pg from 'pg';
import type { Batch, LimitStore } from './batch.ts';

/**
 * Implements what the driver calls while a statement runs; it sends the following messages before
 * it is asked to.
 */
class Copies {
  readonly #sql: string;
  readonly #chunks: readonly string[];
  readonly #done: (error?: Error) => void;
  #failure: Error | undefined;

  constructor(sql: string, chunks: readonly string[], done: (error?: Error) => void) {
    this.#sql = sql;
    this.#chunks = chunks;
    this.#done = done;
  }

  submit(connection: pg.Connection): void {
    const wire = connection as pg.Connection & {
      sendCopyFromChunk(chunk: Buffer): void;
      endCopyFrom(): void;
    };
    connection.stream.cork();
    connection.query(this.#sql);
    for (const chunk of this.#chunks) {
      wire.sendCopyFromChunk(Buffer.from(chunk));
      wire.endCopyFrom();
    }
    connection.stream.uncork();
  }

  handleCopyInResponse(): void {}
  handleCommandComplete(): void {}
  handleError(error: Error): void {
    this.#failure = error;
  }
  handleReadyForQuery(): void {
    this.#done(this.#failure);
  }
}

const special = /[\\\t\n\r]/;
const names: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function field(text: string): string {
  return special.test(text) ? text.replace(/[\\\t\n\r]/g, (found) => names[found] ?? found) : text;
}

const statements = `begin;
  copy log (bot_id, position, update_id, kind, queue, received_at, raw) from stdin;
  copy messages (bot_id, chat_id, id, user_id, username, first_name, last_name, text, date, origin, extra) from stdin;
  commit`;

export async function openPostgresLimit(url: string): Promise<LimitStore> {
  const client = new pg.Client({ connectionString: url });
  const acknowledging = new pg.Client({ connectionString: url });
  await Promise.all([client.connect(), acknowledging.connect()]);
  await client.query(`drop schema if exists bench_limit cascade; create schema bench_limit;
    set search_path = bench_limit;
    create table log (bot_id bigint, position bigint, update_id bigint, kind text, queue text,
      received_at bigint, raw text, primary key (bot_id, position));
    create table messages (bot_id bigint, chat_id bigint, id bigint, user_id bigint,
      username text, first_name text, last_name text, text text, date bigint, media_type text,
      file_id text, reply_to_message_id bigint, origin text, edited_at bigint, deleted_at bigint,
      media_group_id text, extra text, primary key (bot_id, chat_id, id));
    create index messages_newest on messages (bot_id, chat_id, date, id);
    create table readers (bot_id bigint primary key, position bigint)`);
  const positions = new Map<number, number>();

  function rowsOf(batches: readonly Batch[]): [log: string, messages: string] {
    let log = '';
    let messages = '';
    const now = Date.now();
    for (const { bot, updates, raws } of batches) {
      let position = positions.get(bot) ?? 0;
      updates.forEach(({ update_id, message }, index) => {
        const { chat, from } = message;
        position++;
        log += `${bot}\t${position}\t${update_id}\tmessage\tc${chat.id}\t${now}\t${field(raws[index] as string)}\n`;
        const extra = JSON.stringify({ entities: message.entities });
        messages += `${bot}\t${chat.id}\t${message.message_id}\t${from.id}\t${field(from.username)}\t${field(from.first_name)}\t${field(from.last_name)}\t${field(message.text)}\t${message.date}\treceived\t${field(extra)}\n`;
      });
      positions.set(bot, position);
    }
    return [log, messages];
  }

  return {
    commit: (batches) =>
      new Promise((resolve, reject) => {
        const done = (error?: Error) => (error ? reject(error) : resolve());
        client.query(new Copies(statements, rowsOf(batches), done) as unknown as pg.Submittable);
      }),
    async acknowledge(acknowledged) {
      await acknowledging.query({
        name: 'acknowledge',
        text: `insert into bench_limit.readers select * from unnest($1::bigint[], $2::bigint[])
          on conflict (bot_id) do update set position = excluded.position`,
        values: [[...acknowledged.keys()], [...acknowledged.values()]],
      });
    },
  };
}
