/*
 * Fills a database with messages as the service would have stored them, in bulk: the archive, the
 * log, the search index and the statistics of managed bots. Push readers are at the end of the log.
 */
import type { Engine } from '../../src/store/engine.ts';
import { type CountedMessage, fold, saveFolded } from '../../src/store/stats/stats-fold.ts';
import type { Store } from '../../src/store/store.ts';

export const chatsPerBot = 100;
const perCommit = 20_000;

/** The chats have the same IDs as those of the fake platform, so that its updates continue them. */
export const chatOf = (bot: number, id: number) =>
  1_000_000 + (bot % 1000) * chatsPerBot + (id % chatsPerBot);
const chatSql = `(1000000 + (b.id % 1000) * ${chatsPerBot} + n.i % ${chatsPerBot})`;

interface Filling {
  /** Bots that only have an archive and a log. */
  plain: readonly number[];
  /** Bots whose messages are searched and counted as well. */
  managed: readonly number[];
  /** The first and the last message number of each bot, both included. */
  from: number;
  to: number;
}

export async function fill(store: Store, { plain, managed, from, to }: Filling): Promise<void> {
  const bots = [...plain, ...managed];
  const step = Math.max(1, Math.floor(perCommit / bots.length));
  const now = Date.now();
  const waiting = new Map<string, number>();
  for (let first = from; first <= to; first += step) {
    const last = Math.min(to, first + step - 1);
    // Each bot has a message per hour, up to an hour ago.
    const dateOf = (id: number) => Math.floor(now / 1000) - (to - id + 1) * 3_600;
    await insertRows(store.engine, { bots, first, last, now, dateSql: dateSql(now, to) });
    await queueForSearch(store.engine, managed, first, last);
    const counted: CountedMessage[] = [];
    for (let id = first; id <= last; id++) {
      for (const bot of managed) {
        const chat = chatOf(bot, id);
        counted.push({
          bot_id: bot,
          chat_id: chat,
          user_id: chat,
          date: dateOf(id),
          is_media: 0,
          is_own: 0,
        });
      }
    }
    const folded = fold(counted, waiting);
    await store.engine.write(() => saveFolded('sqlite', folded));
  }
  await moveReaders(store.engine, bots);
  while ((await store.messageSearch.index(2_000)) === 'more');
}

const dateSql = (now: number, to: number) =>
  `(${Math.floor(now / 1000)} - (${to} - n.i + 1) * 3600)`;

interface Rows {
  bots: readonly number[];
  first: number;
  last: number;
  now: number;
  dateSql: string;
}

/**
 * Inserts rows in the order in which they would have arrived, because it decides which pages of the
 * indexes are full.
 */
async function insertRows(engine: Engine, { bots, first, last, now, dateSql: date }: Rows) {
  const source = `from n cross join (select value as id from json_each($3)) b`;
  const numbers = `with recursive n(i) as (select $1 union all select i + 1 from n where i < $2)`;
  const parameters = [first, last, JSON.stringify(bots)];
  const text = `'order' || (n.i % 5000) || ' The quick brown fox jumps over the lazy dog, once for each message, so that it is about as long as people write.'`;
  await engine.write(function* () {
    yield {
      sql: `${numbers} insert into messages (bot_id, chat_id, id, user_id, username, first_name,
          last_name, text, date, origin, extra)
        select b.id, ${chatSql}, n.i, ${chatSql}, 'person_' || ${chatSql}, 'Person ' || ${chatSql},
          'Bench', ${text}, ${date}, 'received',
          '{"entities":[{"type":"bold","offset":0,"length":5}]}' ${source}`,
      parameters,
    };
    yield {
      sql: `${numbers} insert into log (bot_id, position, update_id, kind, queue, received_at, raw, claimed_by)
        select b.id, coalesce(h.last_position, 0) + n.i - $1 + 1, n.i, 'message', 'c' || ${chatSql}, ${now},
          '{"update_id":' || n.i || ',"message":{"message_id":' || n.i || ',"from":{"id":' || ${chatSql}
          || ',"is_bot":false,"first_name":"Person ' || ${chatSql} || '","last_name":"Bench","username":"person_'
          || ${chatSql} || '","language_code":"en"},"chat":{"id":' || ${chatSql} || ',"first_name":"Person '
          || ${chatSql} || '","last_name":"Bench","username":"person_' || ${chatSql}
          || '","type":"private"},"date":' || ${date} || ',"text":"' || ${text}
          || '","entities":[{"type":"bold","offset":0,"length":5}]}}', 0
        ${source} left join log_heads h on h.bot_id = b.id`,
      parameters,
    };
    const added = last - first + 1;
    yield {
      sql: `insert into log_heads (bot_id, last_position, bytes)
        select value, ${added}, ${added * 540} from json_each($1) where true
        on conflict (bot_id) do update set last_position = last_position + ${added},
          bytes = bytes + ${added * 540}`,
      parameters: [JSON.stringify(bots)],
    };
    const perChat = added / chatsPerBot;
    yield {
      sql: `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${chatsPerBot - 1})
        insert into chats (bot_id, chat_id, type, title, username, last_message_at, updated_at, message_count)
        select b.id, ${chatSql}, 'private', 'Person ' || ${chatSql}, 'person_' || ${chatSql},
          ${Math.floor(now / 1000)}, ${now}, ${Math.round(perChat)}
        from n cross join (select value as id from json_each($1)) b where true
        on conflict (bot_id, chat_id) do update set message_count = message_count + ${Math.round(perChat)}`,
      parameters: [JSON.stringify(bots)],
    };
    yield {
      sql: `insert into people (user_id, username, first_name, last_name, seen_at)
        select chat_id, username, title, 'Bench', ${now} from chats where true on conflict do nothing`,
      parameters: [],
    };
  });
}

async function queueForSearch(
  engine: Engine,
  managed: readonly number[],
  first: number,
  last: number,
): Promise<void> {
  await engine.write(function* () {
    yield {
      sql: `with recursive n(i) as (select $1 union all select i + 1 from n where i < $2)
        insert into search_queue (bot_id, chat_id, message_id)
        select b.id, ${chatSql}, n.i from n cross join (select value as id from json_each($3)) b`,
      parameters: [first, last, JSON.stringify(managed)],
    };
  });
}

async function moveReaders(engine: Engine, bots: readonly number[]): Promise<void> {
  await engine.write(function* () {
    yield {
      sql: `update readers set position =
          (select last_position from log_heads h where h.bot_id = readers.bot_id)
        where bot_id in (select value from json_each($1))
          and bot_id in (select bot_id from log_heads)`,
      parameters: [JSON.stringify(bots)],
    };
  });
}
