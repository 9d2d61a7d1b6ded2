/*
 * Looks into a database file that no engine has open: a backup, or a file that was just restored.
 */
import { backup, DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { routingReader } from '../../core/log/reader-kinds.ts';
import { reason } from '../../core/reasons/reason.ts';
import { packReason } from '../../core/reasons/stored.ts';
import { broadcasts } from '../migrations/052-broadcasts.ts';
import { scheduledSends } from '../migrations/049-scheduled-sends.ts';
import { witnessName } from '../schema/migrate.ts';

export const databaseFileName = 'relay.db';

/** Identifies the moment that a copy shows: equal in both if nothing is missing. */
export type Contents = Readonly<Record<string, number>>;

const pagesPerStep = 256;

/**
 * Makes a copy of one moment, also while a service runs on the source; calls `onStep` after each
 * megabyte.
 */
export async function copyDatabase(
  source: string,
  target: string,
  onStep: () => void = () => {},
): Promise<Contents> {
  const db = new DatabaseSync(source, { readOnly: true, timeout: 5_000 });
  try {
    // Without a transaction, each commit of the service would restart the copy.
    db.exec('begin');
    const contents = readContents(db);
    await backup(db, target, { rate: pagesPerStep, progress: onStep });
    return contents;
  } finally {
    db.close();
  }
}

function readContents(db: DatabaseSync): Contents {
  const measures = {
    schema_migrations: 'count(*)',
    settings: 'count(*)',
    bots: 'count(*)',
    readers: 'count(*)',
    users: 'count(*)',
    api_keys: 'count(*)',
    log_heads: 'coalesce(sum(last_position), 0)',
  };
  // A database that is refused for its schema may lack some tables.
  const tables = db.prepare("select name from sqlite_master where type = 'table'").all();
  const known = new Set(tables.map((row) => row['name']));
  const columns = Object.entries(measures)
    .filter(([table]) => known.has(table))
    .map(([table, measure]) => `(select ${measure} from ${table}) as ${table}`);
  return { ...db.prepare(`select ${columns.join(', ') || '0 as none'}`).get() } as Contents;
}

/** Returns its schema number; throws if it is damaged or no database of ours. */
export function readSchema(file: string): number {
  return look(file, (db) => {
    requireSound(db, 'quick_check');
    return schemaOf(db);
  });
}

/** Reads the whole copy and compares it with what was copied; returns its schema number. */
export function verifyCopy(file: string, copied: Contents): number {
  return look(file, (db) => {
    requireSound(db, 'integrity_check');
    const found = readContents(db);
    for (const [name, count] of Object.entries(copied)) {
      if (found[name] !== count) throw new Error(`${name}: ${found[name]} of ${count}`);
    }
    return schemaOf(db);
  });
}

function look<T>(file: string, read: (db: DatabaseSync) => T): T {
  // The file is opened as immutable, because reading a backup must not leave files next to it.
  const address = pathToFileURL(file);
  address.searchParams.set('immutable', '1');
  const db = new DatabaseSync(address, { readOnly: true });
  try {
    return read(db);
  } finally {
    db.close();
  }
}

function requireSound(db: DatabaseSync, check: 'quick_check' | 'integrity_check'): void {
  const result = db.prepare(`pragma ${check}(1)`).get()?.[check];
  if (result !== 'ok') throw new Error(String(result));
}

function schemaOf(db: DatabaseSync): number {
  return (db.prepare('select max(id) as id from schema_migrations').get() as { id: number }).id;
}

/** What a backup had still to do, and what may have been done since it was made. */
export interface Unfinished {
  /** The number of sends that are `unknown` from then on. */
  sends: number;
  /** The number of scheduled messages that were due since; they are held. */
  scheduled: number;
  /** The number of updates that routing had not decided on; it does not act on them. */
  updates: number;
  /** The number of updates about which the language model was to be asked; it is not. */
  questions: number;
}

/** Ends what the restored file would do a second time, and records the restore in its audit log. */
export function settleRestored(
  file: string,
  { atMs, actorName, after }: { atMs: number; actorName: string; after: Record<string, unknown> },
): Unfinished {
  const db = new DatabaseSync(file);
  try {
    const change = (sql: string, ...values: (string | number)[]) =>
      Number(db.prepare(sql).run(...values).changes);
    db.exec('begin immediate');
    const sends = change(
      `update outbox set state = 'unknown', error = ?, updated_at = ?
       where state in ('queued', 'sending')`,
      packReason(reason('restored_unsent')),
      atMs,
    );
    // The file may be of an earlier schema, in which nothing was scheduled.
    const scheduled =
      schemaOf(db) < scheduledSends.id
        ? 0
        : change(
            `update outbox set error = ?, updated_at = ?
             where state = 'scheduled' and error = '' and send_at <= ?`,
            packReason(reason('scheduled_restored')),
            atMs,
            atMs,
          );
    if (schemaOf(db) >= broadcasts.id) endBroadcasts(db, atMs);
    const updates = skipUndecided(db, atMs);
    const questions = change('delete from model_questions');
    const unfinished = { sends, scheduled, updates, questions };
    change(
      `insert into audit (at, actor_kind, actor_id, actor_name, action, bot_id, chat_id, user_id,
         input, before, after, address, request_id)
       values (?, 'local', 0, ?, 'restore', 0, 0, 0, '', '', ?, 'local', '')`,
      atMs,
      actorName,
      JSON.stringify({ ...after, ...unfinished }),
    );
    db.exec('commit');
    return unfinished;
  } finally {
    db.close();
  }
}

/** Those who were to get one may have got it since the backup. */
function endBroadcasts(db: DatabaseSync, atMs: number): void {
  const ended = `state in ('running', 'paused')`;
  db.prepare(
    `update broadcast_recipients set state = 'unknown', error = ?, updated_at = ?
     where state = 'waiting' and broadcast_id in (
       select id from broadcasts where ${ended} and task = 'send')`,
  ).run(packReason(reason('restored_unsent')), atMs);
  // One without counts had not listed its recipients yet.
  db.prepare(
    `update broadcasts set counts = json_set(counts,
       '$.unknown', counts ->> 'unknown' + counts ->> 'waiting', '$.waiting', 0)
     where ${ended} and task = 'send' and counts <> ''`,
  ).run();
  db.prepare(
    `update broadcasts set state = 'canceled', ended_at = ?, updated_at = ? where ${ended}`,
  ).run(atMs, atMs);
}

/** Moves routing to the end of each log. */
function skipUndecided(db: DatabaseSync, atMs: number): number {
  const behind = `from readers join log_heads using (bot_id) where name = ?`;
  const row = db
    .prepare(`select coalesce(sum(last_position - position), 0) as updates ${behind}`)
    .get(routingReader);
  db.prepare(
    `update readers set state = '', updated_at = ?,
       position = (select last_position from log_heads where log_heads.bot_id = readers.bot_id)
     where name = ? and bot_id in (select bot_id from log_heads)`,
  ).run(atMs, routingReader);
  return Number(row?.['updates']);
}

/**
 * Returns what identifies the master key of its secrets; undefined if nothing in it is sealed yet.
 */
export function readWitnessIn(file: string): string | undefined {
  const db = new DatabaseSync(file);
  try {
    const row = db.prepare('select value from settings where name = ?').get(witnessName);
    return row?.['value'] as string | undefined;
  } finally {
    db.close();
  }
}
