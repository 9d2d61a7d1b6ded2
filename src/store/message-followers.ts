/*
 * What hangs on the messages of managed bots: the queue of the search index, the counts of their
 * chats and the statistics; and, for every bot, what a message said before an edit.
 *
 * Written out here and not as triggers: a trigger on messages makes SQLite keep a journal for every
 * single insert, which was measured at four times the cost of the insert itself (50 against 12 µs).
 */
import { bulkInsert } from './bulk-insert.ts';
import { type DialectName, raw, type Step } from './engine.ts';

export interface MessageToStore {
  bot_id: number;
  chat_id: number;
  id: number;
  user_id: number;
  text: string;
  date: number;
  media_type: string | null;
  origin: string;
  edited_at: number | null;
}

interface Stored {
  bot_id: number;
  chat_id: number;
  id: number;
  text: string;
  date: number;
  edited_at: number | null;
}

/** What storing these messages changes; read before they are stored, applied after. */
export interface MessageChanges {
  /** Of managed bots only. */
  added: MessageToStore[];
  /** `isManaged` tells whether the search index wants to know. */
  edited: { before: Stored; after: MessageToStore; isManaged: boolean }[];
}

const insertEdits = bulkInsert({
  table: 'message_edits',
  columns: {
    bot_id: 'bigint',
    chat_id: 'bigint',
    message_id: 'bigint',
    text: 'text',
    written_at: 'bigint',
    replaced_at: 'bigint',
  },
});

const insertSearchQueue = bulkInsert({
  table: 'search_queue',
  columns: { bot_id: 'bigint', chat_id: 'bigint', message_id: 'bigint' },
});

const insertStatsPending = bulkInsert({
  table: 'stats_pending',
  columns: {
    bot_id: 'bigint',
    chat_id: 'bigint',
    user_id: 'bigint',
    date: 'bigint',
    is_media: 'integer',
    is_own: 'integer',
  },
});

export function* readChanges(
  dialect: DialectName,
  rows: readonly MessageToStore[],
): Step<MessageChanges> {
  const managed = yield* managedAmong(dialect, [...new Set(rows.map((row) => row.bot_id))]);
  // Most messages are new ones of bots that nobody manages: nothing hangs on them.
  const watched = rows.filter((row) => row.edited_at !== null || managed.has(row.bot_id));
  if (watched.length === 0) return { added: [], edited: [] };
  const stored = yield* storedAmong(dialect, watched);
  const changes: MessageChanges = { added: [], edited: [] };
  for (const after of watched) {
    const before = stored.get(keyOf(after));
    const isManaged = managed.has(after.bot_id);
    if (!before) {
      if (isManaged) changes.added.push(after);
    } else if (before.text !== after.text && (after.edited_at ?? 0) >= (before.edited_at ?? 0)) {
      changes.edited.push({ before, after, isManaged });
    }
  }
  return changes;
}

export function* applyChanges(dialect: DialectName, { added, edited }: MessageChanges): Step<void> {
  yield* insertEdits(
    dialect,
    edited.map(({ before, after }) => editRow(before, after)),
  );
  const searchable = [
    ...added,
    ...edited.filter(({ isManaged }) => isManaged).map(({ after }) => after),
  ];
  yield* insertSearchQueue(
    dialect,
    searchable.map(({ bot_id, chat_id, id }) => ({ bot_id, chat_id, message_id: id })),
  );
  yield* countInChats(added);
  yield* queueForStatistics(dialect, added);
}

/** What a message said before it was edited. */
export function editRow(before: Omit<Stored, 'id'> & { id: number }, after: MessageToStore) {
  return {
    bot_id: before.bot_id,
    chat_id: before.chat_id,
    message_id: before.id,
    text: before.text,
    written_at: before.edited_at ?? before.date,
    replaced_at: after.edited_at ?? after.date,
  };
}

function* managedAmong(dialect: DialectName, botIds: number[]): Step<Set<number>> {
  const rows = yield* raw<{ id: number }>(
    dialect === 'sqlite'
      ? `select id from bots where manage_enabled = 1
         and id in (select value from json_each($1))`
      : 'select id from bots where manage_enabled = 1 and id = any($1::bigint[])',
    [dialect === 'sqlite' ? JSON.stringify(botIds) : botIds],
  );
  return new Set(rows.map((row) => row.id));
}

function* storedAmong(
  dialect: DialectName,
  rows: readonly MessageToStore[],
): Step<Map<string, Stored>> {
  const columns = 'm.bot_id, m.chat_id, m.id, m.text, m.date, m.edited_at';
  const found: Stored[] = [];
  if (dialect === 'postgres') {
    found.push(
      ...(yield* raw<Stored>(
        `select ${columns} from unnest($1::bigint[], $2::bigint[], $3::bigint[])
           as k (bot_id, chat_id, id) join messages m using (bot_id, chat_id, id)`,
        [rows.map((row) => row.bot_id), rows.map((row) => row.chat_id), rows.map((row) => row.id)],
      )),
    );
  } else {
    for (const row of rows) {
      found.push(
        ...(yield* raw<Stored>(
          `select ${columns} from messages m where bot_id = $1 and chat_id = $2 and id = $3`,
          [row.bot_id, row.chat_id, row.id],
        )),
      );
    }
  }
  return new Map(found.map((row) => [keyOf(row), row]));
}

function* countInChats(added: readonly MessageToStore[]): Step<void> {
  const counts = new Map<string, { botId: number; chatId: number; added: number }>();
  for (const { bot_id: botId, chat_id: chatId } of added) {
    const key = `${botId} ${chatId}`;
    counts.set(key, { botId, chatId, added: (counts.get(key)?.added ?? 0) + 1 });
  }
  for (const { botId, chatId, added: more } of counts.values()) {
    yield* raw(
      'update chats set message_count = message_count + $1 where bot_id = $2 and chat_id = $3',
      [more, botId, chatId],
    );
  }
}

/** A message beyond the point that a backfill has reached is left to that backfill. */
function* queueForStatistics(dialect: DialectName, added: readonly MessageToStore[]): Step<void> {
  const counted = added.filter((row) => row.media_type !== 'callback');
  if (counted.length === 0) return;
  // Locked, so that a backfill does not pass a message that is not committed yet.
  const backfills = yield* raw<{ bot_id: number; chat_id: number; message_id: number }>(
    `select bot_id, chat_id, message_id from stats_backfills${
      dialect === 'postgres' ? ' for share' : ''
    }`,
  );
  const reached = new Map(backfills.map((row) => [row.bot_id, row]));
  const due = counted.filter(({ bot_id, chat_id, id }) => {
    const mark = reached.get(bot_id);
    if (!mark) return true;
    return chat_id < mark.chat_id || (chat_id === mark.chat_id && id <= mark.message_id);
  });
  yield* insertStatsPending(
    dialect,
    due.map(({ bot_id, chat_id, user_id, date, media_type, origin }) => ({
      bot_id,
      chat_id,
      user_id,
      date,
      is_media: media_type === null ? 0 : 1,
      is_own: origin === 'received' ? 0 : 1,
    })),
  );
}

function keyOf({ bot_id, chat_id, id }: { bot_id: number; chat_id: number; id: number }): string {
  return `${bot_id} ${chat_id} ${id}`;
}
