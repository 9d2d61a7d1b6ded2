/* Reads which customer has which topic from the databases of other support bots. */
import { type ForeignFile, openForeignFile } from './foreign-file.ts';

export interface MappedTopic {
  user_id: number;
  message_thread_id: number;
  /** '' if the file has none. */
  name: string;
  banned: boolean;
  closed: boolean;
}

export interface TopicMap {
  source: 'BetterForward' | 'interactive-bot';
  topics: MappedTopic[];
  /** Rows without a person or a topic, such as the topic for spam. */
  skipped: number;
}

type Row = Record<string, unknown>;

const tables = ['topics', 'blocked_users', 'user', 'formn_status'];
/** General has the number 1, and belongs to nobody. */
const firstThread = 2;

/** Throws if the file is damaged or of neither bot. */
export function readTopicMap(path: string): TopicMap {
  const file = openForeignFile(path, tables);
  try {
    const source = sourceOf(file);
    const rows = source === 'BetterForward' ? ofBetterForward(file) : ofInteractiveBot(file);
    const topics = rows.flatMap(usable);
    return { source, topics, skipped: rows.length - topics.length };
  } finally {
    file.db.close();
  }
}

function sourceOf({ columnsOf }: ForeignFile): TopicMap['source'] {
  const has = (table: string, columns: string[]) =>
    columns.every((column) => columnsOf(table).includes(column));
  if (has('topics', ['user_id', 'thread_id'])) return 'BetterForward';
  if (has('user', ['user_id', 'message_thread_id'])) return 'interactive-bot';
  throw new Error('it has no topics of customers');
}

/** Newer versions keep who is blocked in a table, older ones in a column. Both use the first row of a person. */
function ofBetterForward({ columnsOf, db }: ForeignFile): Row[] {
  const isBlocked = columnsOf('blocked_users').includes('user_id')
    ? 'user_id in (select user_id from blocked_users)'
    : columnsOf('topics').includes('ban')
      ? 'ban = 1'
      : '0';
  return db
    .prepare(
      `select user_id, thread_id, '' as name, ${isBlocked} as banned, 0 as closed
       from topics order by rowid`,
    )
    .all();
}

function ofInteractiveBot({ columnsOf, db }: ForeignFile): Row[] {
  const names = ['first_name', 'last_name'].filter((name) => columnsOf('user').includes(name));
  const name = names.map((one) => `coalesce(${one}, '')`).join(` || ' ' || `) || `''`;
  const isClosed = columnsOf('formn_status').includes('status')
    ? `user.message_thread_id in (
         select message_thread_id from formn_status where status = 'closed')`
    : '0';
  return db
    .prepare(
      `select user_id, message_thread_id as thread_id, ${name} as name, 0 as banned,
         ${isClosed} as closed
       from user order by rowid`,
    )
    .all();
}

function usable({ banned, closed, name, thread_id, user_id }: Row): MappedTopic[] {
  const [person, thread] = [Number(user_id ?? 0), Number(thread_id ?? 0)];
  if (!Number.isSafeInteger(person) || person <= 0) return [];
  if (!Number.isSafeInteger(thread) || thread < firstThread) return [];
  return [
    {
      user_id: person,
      message_thread_id: thread,
      name: typeof name === 'string' ? name.trim() : '',
      banned: Number(banned ?? 0) === 1,
      closed: Number(closed ?? 0) === 1,
    },
  ];
}
