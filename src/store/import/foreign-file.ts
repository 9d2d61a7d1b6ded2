/* Opens a SQLite database of another service; nothing is ever written to it. */
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

export interface ForeignFile {
  db: DatabaseSync;
  /** The columns of a table; none if there is no such table. */
  columnsOf(table: string): unknown[];
}

/** Throws if the file is damaged, or if one of these names is not a plain table in it. */
export function openForeignFile(file: string, names: readonly string[]): ForeignFile {
  const address = pathToFileURL(file);
  address.searchParams.set('mode', 'ro');
  const db = new DatabaseSync(address, { readOnly: true, timeout: 5_000 });
  try {
    // Reading a view runs whatever its author wrote, and may never end.
    const [other] = db
      .prepare(
        `select name from sqlite_master where name in (${names.map(() => '?').join(', ')})
           and (type <> 'table' or sql like 'create virtual%')`,
      )
      .all(...names);
    if (other) throw new Error(`${String(other['name'])} is not a table`);
  } catch (error) {
    db.close();
    throw error;
  }
  const columnsOf = (table: string) =>
    db
      .prepare('select name from pragma_table_info(?)')
      .all(table)
      .map((row) => row['name']);
  return { db, columnsOf };
}
