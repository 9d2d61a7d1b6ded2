import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFileName } from '../../src/store/sqlite/database-file.ts';
import type { Database } from '../support/database/engines.ts';
import { onPostgres } from './base-database.ts';

/** All that the engine knows of the tables, without what depends only on the way in which they were made. */
export async function schemaOf(database: Database): Promise<unknown> {
  if (database.dialect === 'postgres') {
    return onPostgres(database.databaseUrl, async (client) => {
      const found: Record<string, unknown> = {};
      for (const [part, sql] of Object.entries(postgresParts)) {
        found[part] = (await client.query<Record<string, unknown>>(sql)).rows.map(withoutLayout);
      }
      return found;
    });
  }
  const db = new DatabaseSync(path.join(database.dataDir, databaseFileName), { readOnly: true });
  try {
    return Object.fromEntries(
      Object.entries(sqliteParts).map(([part, sql]) => [
        part,
        db.prepare(sql).all().map(withoutLayout),
      ]),
    );
  } finally {
    db.close();
  }
}

function withoutLayout(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replace(/\s+/g, '') : value,
    ]),
  );
}

const eachTable = `(select name as of_table from sqlite_master where type = 'table')`;
const sqliteParts = {
  // The statement of a table depends on the way in which it was made, the others do not.
  objects: `select type, name, tbl_name, case when type = 'table' and sql not like '%virtual%'
      then sql like '%autoincrement%' else sql end as made
    from sqlite_master order by type, name`,
  tables: 'select name, type, wr, strict from pragma_table_list order by name',
  columns: `select of_table, c.* from ${eachTable}, pragma_table_xinfo(of_table) c order by 1, cid`,
  references: `select of_table, f.* from ${eachTable}, pragma_foreign_key_list(of_table) f order by 1, id, seq`,
  indexes: `select of_table, i.name, i."unique", i.origin, i.partial, x.* from ${eachTable},
      pragma_index_list(of_table) i, pragma_index_xinfo(i.name) x order by 1, 2, seqno`,
};

const ours = `'public'::regnamespace`;
const postgresParts = {
  tables: `select relname, relkind, reloptions, relpersistence, relreplident from pg_class
    where relnamespace = ${ours} order by 1`,
  columns: `select relname, attnum, attname, format_type(atttypid, atttypmod) as type, attnotnull, attidentity,
      attgenerated, attstorage, attcompression, attcollation, attisdropped, attoptions, pg_get_expr(adbin, adrelid)
    from pg_attribute join pg_class c on c.oid = attrelid
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relnamespace = ${ours} and attnum > 0 order by 1, 2`,
  // The names of "not null" are made from former names, and nothing uses them.
  constraints: `select conrelid::regclass::text as table_, conname, pg_get_constraintdef(oid) from pg_constraint
    where connamespace = ${ours} and contype <> 'n' order by 1, 2`,
  // Rows that go with another are locked in this order.
  cascades: `select confrelid::regclass::text as parent, conrelid::regclass::text as child from pg_constraint
    where connamespace = ${ours} and contype = 'f' order by 1, oid`,
  indexes: `select indexrelid::regclass::text, pg_get_indexdef(indexrelid), reloptions from pg_index
      join pg_class c on c.oid = indexrelid
    where relnamespace = ${ours} order by 1`,
  triggers: `select tgrelid::regclass::text, tgname, tgenabled, pg_get_triggerdef(oid) from pg_trigger
    where not tgisinternal order by 1, 2`,
  functions: `select pg_get_functiondef(oid) from pg_proc where pronamespace = ${ours} order by proname`,
  sequences: `select seqrelid::regclass::text, seqtypid, seqstart, seqincrement, seqmax, seqmin, seqcache, seqcycle
    from pg_sequence order by 1`,
};
