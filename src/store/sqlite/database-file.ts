/* Looks into a database file that no engine has open: a backup, or what was just restored. */
import { backup, DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { witnessName } from '../access/sealed-secrets.ts';

export const databaseFileName = 'relay.db';

/** A consistent copy, also while a service runs on the source. */
export async function copyDatabase(source: string, target: string): Promise<void> {
  const db = new DatabaseSync(source, { readOnly: true, timeout: 5_000 });
  try {
    await backup(db, target);
  } finally {
    db.close();
  }
}

/** Its schema number; throws when it is damaged or no database of ours. */
export function readSchema(file: string): number {
  // Immutable: reading a backup must not leave files next to it.
  const address = pathToFileURL(file);
  address.searchParams.set('immutable', '1');
  const db = new DatabaseSync(address, { readOnly: true });
  try {
    const { quick_check: result } = db.prepare('pragma quick_check(1)').get() as {
      quick_check: string;
    };
    if (result !== 'ok') throw new Error(result);
    const row = db.prepare('select max(id) as id from schema_migrations').get() as { id: number };
    return row.id;
  } finally {
    db.close();
  }
}

/** In the audit log of what was restored, if it is new enough to have one. */
export function auditRestore(
  file: string,
  entry: { atMs: number; actorName: string; after: Record<string, unknown> },
): void {
  const db = new DatabaseSync(file);
  try {
    const known = db.prepare("select 1 from sqlite_master where name = 'audit'").get();
    if (!known) return;
    db.prepare(
      `insert into audit (at, actor_kind, actor_id, actor_name, action, bot_id, chat_id, user_id,
         input, before, after, address, request_id)
       values (?, 'local', 0, ?, 'restore', 0, 0, 0, '', '', ?, 'local', '')`,
    ).run(entry.atMs, entry.actorName, JSON.stringify(entry.after));
  } finally {
    db.close();
  }
}

/** What tells the master key of its secrets; undefined when nothing in it is sealed yet. */
export function readWitnessIn(file: string): string | undefined {
  const db = new DatabaseSync(file);
  try {
    const row = db.prepare('select value from settings where name = ?').get(witnessName);
    return row?.['value'] as string | undefined;
  } finally {
    db.close();
  }
}
