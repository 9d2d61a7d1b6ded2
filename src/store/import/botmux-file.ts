/* Reads the database of a botmux service; nothing is ever written to it. */
import { openForeignFile } from './foreign-file.ts';

type Row = Record<string, unknown>;

/**
 * Reads the rows of one table, integers as bigint; older versions of botmux lack some tables and
 * columns.
 */
export interface BotmuxFile {
  bots(): Row[];
  /** Adds `last_date`, the newest date of its messages. */
  chats(): Iterable<Row>;
  /** Ordered by bot, chat and ID. */
  messages(): Iterable<Row>;
  /** Returns each person once, as last seen. */
  people(): Iterable<Row>;
  /** Returns who was seen in which chat. */
  knownUsers(): Iterable<Row>;
  /** Returns the IDs of senders that are bots. */
  botSenders(): Row[];
  tags(): Iterable<Row>;
  routes(): Row[];
  mappings(): Iterable<Row>;
  users(): Row[];
  userBots(): Row[];
  model(): Row | undefined;
  count(table: 'bridges' | 'api_keys' | 'admin_log'): number;
  close(): void;
}

/** The tables and columns that identify a botmux database. */
const required = {
  bots: ['id', 'token', 'bot_username', 'proxy_enabled', 'backend_url', 'offset_id'],
  chats: ['bot_id', 'id', 'type', 'title'],
  messages: ['id', 'bot_id', 'chat_id', 'from_user', 'from_id', 'text', 'date'],
};

/** Tables that are read if they exist. */
const optional = [
  'known_users',
  'user_tags',
  'routes',
  'route_mappings',
  'auth_users',
  'user_bots',
  'llm_config',
  'bridges',
  'api_keys',
  'admin_log',
];

/** Throws if the file is damaged or no database of botmux. */
export function openBotmuxFile(file: string): BotmuxFile {
  const { columnsOf, db } = openForeignFile(file, [...Object.keys(required), ...optional]);
  try {
    for (const [table, columns] of Object.entries(required)) {
      const present = columnsOf(table);
      if (present.length === 0) throw new Error(`it has no table ${table}`);
      const missing = columns.filter((column) => !present.includes(column));
      if (missing.length > 0) throw new Error(`table ${table} lacks ${missing.join(', ')}`);
    }
  } catch (error) {
    db.close();
    throw error;
  }
  const present = (table: string) => columnsOf(table).length > 0;
  const prepare = (sql: string) => {
    const statement = db.prepare(sql);
    // A number too large for JavaScript would otherwise end the reading.
    statement.setReadBigInts(true);
    return statement;
  };
  const all = (table: string, sql: string) => (present(table) ? prepare(sql).all() : []);
  const each = (table: string, sql: string) => (present(table) ? prepare(sql).iterate() : []);

  return {
    bots: () => all('bots', 'select * from bots order by id'),
    chats: () =>
      each(
        'chats',
        `select chats.*, (select max(date) from messages m
           where m.bot_id = chats.bot_id and m.chat_id = chats.id) as last_date
         from chats order by bot_id, id`,
      ),
    messages: () => each('messages', 'select * from messages order by bot_id, chat_id, id'),
    people: () =>
      each(
        'known_users',
        'select user_id, username, max(rowid) from known_users group by user_id order by user_id',
      ),
    knownUsers: () =>
      each(
        'known_users',
        `select c.bot_id, k.chat_id, k.user_id from known_users k join chats c on c.id = k.chat_id
         order by c.bot_id, k.chat_id, k.user_id`,
      ),
    botSenders: () =>
      columnsOf('messages').includes('from_is_bot')
        ? all('messages', 'select distinct from_id from messages where from_is_bot = 1')
        : [],
    tags: () =>
      each(
        'user_tags',
        `select t.*, (select group_concat(c.bot_id) from chats c where c.id = t.chat_id) as bots
         from user_tags t order by id`,
      ),
    routes: () => all('routes', 'select * from routes order by source_bot_id, id'),
    mappings: () => each('route_mappings', 'select * from route_mappings order by id'),
    users: () => all('auth_users', 'select * from auth_users order by id'),
    userBots: () => all('user_bots', 'select * from user_bots order by user_id, bot_id'),
    model: () => all('llm_config', 'select * from llm_config order by id limit 1')[0],
    count: (table) => Number(all(table, `select count(*) as rows from ${table}`)[0]?.['rows'] ?? 0),
    close: () => db.close(),
  };
}
