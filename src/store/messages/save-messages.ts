/*
 * Stores messages and returns what changed: which messages are new, and the earlier texts of the
 * others.
 *
 * Invariant: of all transactions that store one message, on any node, exactly one finds it new, and
 * each edit finds the text that it replaces. The insert itself decides, which also spares a look
 * beforehand; on PostgreSQL, rows that existed already are locked before they are compared.
 */
import { bulkInsert } from '../sql/bulk-insert.ts';
import type { ManagedBot, ManagedBots } from '../../core/messages/turns.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';

export interface MessageToStore {
  bot_id: number;
  chat_id: number;
  id: number;
  user_id: number;
  username: string;
  first_name: string;
  last_name: string;
  text: string;
  /** Unix seconds, as the platform gives it. */
  date: number;
  media_type: string | null;
  file_id: string | null;
  reply_to_message_id: number | null;
  origin: string;
  edited_at: number | null;
  media_group_id: string | null;
  /** Its topic, 1 for General; null outside of topics. */
  thread_id: number | null;
  extra: string | null;
  /** JSON; null for messages that were received. */
  author: string | null;
  /** The position of its update in the log; null if it came in none. */
  position: number | null;
}

// PostgreSQL's code for a missing reference.
const missingReference = '23503';

type MessageKey = Pick<MessageToStore, 'bot_id' | 'chat_id' | 'id'>;
export type EarlierText = Pick<
  MessageToStore,
  'bot_id' | 'chat_id' | 'id' | 'text' | 'date' | 'edited_at'
>;

export interface MessageChanges {
  /** New messages of managed bots only. */
  added: MessageToStore[];
  /** `isManaged` says whether the search index needs the edit. */
  edited: { before: EarlierText; after: MessageToStore; isManaged: boolean }[];
}

const messagesTable = {
  table: 'messages',
  columns: {
    bot_id: 'bigint',
    chat_id: 'bigint',
    id: 'bigint',
    user_id: 'bigint',
    username: 'text',
    first_name: 'text',
    last_name: 'text',
    text: 'text',
    date: 'bigint',
    media_type: 'text',
    file_id: 'text',
    reply_to_message_id: 'bigint',
    origin: 'text',
    edited_at: 'bigint',
    media_group_id: 'text',
    thread_id: 'bigint',
    extra: 'text',
    author: 'text',
    position: 'bigint',
  },
} as const;

const upsert = bulkInsert<MessageToStore>({
  ...messagesTable,
  // An edit that arrives after a later one (webhooks arrive out of order) changes nothing.
  onConflict: `(bot_id, chat_id, id) do update set
    text = excluded.text, media_type = excluded.media_type, file_id = excluded.file_id,
    edited_at = excluded.edited_at, extra = excluded.extra,
    author = coalesce(messages.author, excluded.author),
    position = coalesce(messages.position, excluded.position),
    thread_id = coalesce(excluded.thread_id, messages.thread_id),
    reply_to_message_id = coalesce(messages.reply_to_message_id, excluded.reply_to_message_id)
    where coalesce(excluded.edited_at, 0) >= coalesce(messages.edited_at, 0)`,
});

const insertNew = bulkInsert<MessageToStore, keyof MessageKey>({
  ...messagesTable,
  onConflict: '(bot_id, chat_id, id) do nothing',
  returning: ['bot_id', 'chat_id', 'id'],
});

/** `rows` holds no key twice; on PostgreSQL they are in the order that every node uses. */
export function* saveMessages(
  dialect: DialectName,
  rows: readonly MessageToStore[],
  managed: ManagedBots,
): Step<MessageChanges> {
  // Bots share no messages, so each bot's rows stay in order although they come in two parts.
  const watchedBots = new Set(rows.filter(isWatched(managed)).map((row) => row.bot_id));
  const watched = rows.filter((row) => watchedBots.has(row.bot_id));
  yield* upsert(
    dialect,
    rows.filter((row) => !watchedBots.has(row.bot_id)),
  );
  if (watched.length === 0) return { added: [], edited: [] };
  const known = yield* dialect === 'postgres' ? insertOnPostgres(watched) : insertOnSqlite(watched);
  const stored = yield* dialect === 'postgres' ? lockStored(known) : readStored(known);
  yield* upsert(dialect, known);
  return changesOf(watched, stored, managed);
}

/** Returns the rows that existed before. */
function* insertOnSqlite(rows: readonly MessageToStore[]): Step<MessageToStore[]> {
  const inserted = yield* insertNew('sqlite', rows);
  if (inserted.length === rows.length) return [];
  const added = new Set(inserted.map(keyOf));
  return rows.filter((row) => !added.has(keyOf(row)));
}

let insertAndTellKnown = '';

/** The same; as most rows are new, the server returns only the places of the others. */
function* insertOnPostgres(rows: readonly MessageToStore[]): Step<MessageToStore[]> {
  const { sql, parameters } = insertNew.onArrays(rows);
  insertAndTellKnown ||= `with added as (${sql})
    select k.place from unnest($1::bigint[], $2::bigint[], $3::bigint[])
      with ordinality as k (bot_id, chat_id, id, place)
    where (k.bot_id, k.chat_id, k.id) not in (select bot_id, chat_id, id from added)`;
  const known = yield* raw<{ place: number }>(insertAndTellKnown, parameters);
  return known.map(({ place }) => rows[place - 1] as MessageToStore);
}

/** Most messages are new ones of bots that nobody manages, so nothing depends on them. */
function isWatched(managed: ManagedBots): (row: MessageToStore) => boolean {
  return (row) => row.edited_at !== null || managed.has(row.bot_id);
}

function changesOf(
  rows: readonly MessageToStore[],
  stored: ReadonlyMap<string, EarlierText>,
  managed: ManagedBots,
): MessageChanges {
  const changes: MessageChanges = { added: [], edited: [] };
  for (const after of rows) {
    const before = stored.size > 0 ? stored.get(keyOf(after)) : undefined;
    const isManaged = managed.has(after.bot_id);
    if (!before) {
      if (isManaged) changes.added.push(after);
    } else if (before.text !== after.text && (after.edited_at ?? 0) >= (before.edited_at ?? 0)) {
      changes.edited.push({ before, after, isManaged });
    }
  }
  return changes;
}

/**
 * Returns those bots of these rows whose messages are counted and searched. On PostgreSQL this
 * replaces a reference, which would be checked for each row: none of the bots can be removed
 * meanwhile.
 */
export function* managedAmong(
  dialect: DialectName,
  stored: Iterable<Pick<MessageToStore, 'bot_id'>>,
): Step<ManagedBots> {
  const botIds = [...new Set(Array.from(stored, (row) => row.bot_id))];
  if (botIds.length === 0) return new Map();
  const { isIn, list, lock } = wordsOf[dialect];
  const bots = yield* raw<ManagedBot & { id: number; managed: number }>(
    `select id, manage_enabled as managed, automatic_answers, handoff, per_topic from bots where ${isIn('id', '$1')}
     ${lock('order by id for key share')}`,
    [list(botIds)],
  );
  if (bots.length < botIds.length && dialect === 'postgres') {
    throw Object.assign(new Error('the bot of a message is gone'), { code: missingReference });
  }
  return new Map(bots.filter(({ managed }) => managed === 1).map((bot) => [bot.id, bot]));
}

const columns = 'm.bot_id, m.chat_id, m.id, m.text, m.date, m.edited_at';

function* readStored(rows: readonly MessageKey[]): Step<Map<string, EarlierText>> {
  const stored = new Map<string, EarlierText>();
  for (const row of rows) {
    const [found] = yield* raw<EarlierText>(
      `select ${columns} from messages m where bot_id = $1 and chat_id = $2 and id = $3`,
      [row.bot_id, row.chat_id, row.id],
    );
    if (found) stored.set(keyOf(found), found);
  }
  return stored;
}

function* lockStored(rows: readonly MessageKey[]): Step<Map<string, EarlierText>> {
  if (rows.length === 0) return new Map();
  const found = yield* raw<EarlierText>(
    `select ${columns} from unnest($1::bigint[], $2::bigint[], $3::bigint[])
       with ordinality as k (bot_id, chat_id, id, place) join messages m using (bot_id, chat_id, id)
     order by k.place for no key update of m`,
    [rows.map((row) => row.bot_id), rows.map((row) => row.chat_id), rows.map((row) => row.id)],
  );
  return new Map(found.map((row) => [keyOf(row), row]));
}

function keyOf({ bot_id, chat_id, id }: MessageKey): string {
  return `${bot_id} ${chat_id} ${id}`;
}
