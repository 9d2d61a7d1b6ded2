import { reason } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import { version } from '../../version.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import type { Migration } from '../migrations/migration.ts';
import { migrations, newestMigration as known } from '../migrations/index.ts';

export interface SchemaState {
  /** 0 for a new database. */
  schema: number;
  /** What the database lacks. */
  pending: readonly Migration[];
}

/** Which version made the schema what it is. */
const writerName = 'schema_written_by';

/** Throws when a newer version wrote the database. */
export function* examineSchema(): Step<SchemaState> {
  yield* raw(
    'create table if not exists schema_migrations (id integer primary key, name text not null)',
  );
  const applied = yield* raw<{ id: number }>('select id from schema_migrations order by id');
  const schema = applied.at(-1)?.id ?? 0;
  if (schema > known) {
    const params = { schema, known, version, writer: yield* readWriter() };
    throw new RelayError('schema_too_new', reason('schema_too_new', params));
  }
  const done = new Set(applied.map(({ id }) => id));
  return { schema, pending: migrations.filter(({ id }) => !done.has(id)) };
}

/** '' when it is not known: nobody can tell what a newer schema looks like. */
function* readWriter(): Step<string> {
  try {
    const rows = yield* raw<{ value: string }>('select value from settings where name = $1', [
      writerName,
    ]);
    return rows[0]?.value ?? '';
  } catch {
    return '';
  }
}

/** Brings the schema up to date. The caller holds the lock that keeps other starters out. */
export function* migrate(dialect: DialectName): Step<void> {
  const { pending } = yield* examineSchema();
  if (pending.length === 0) return;
  for (const { id, name, up } of pending) {
    for (const sql of up(dialect)) yield* raw(sql);
    yield* raw('insert into schema_migrations (id, name) values ($1, $2)', [id, name]);
  }
  yield* raw(
    `insert into settings (name, value) values ($1, $2)
     on conflict (name) do update set value = excluded.value`,
    [writerName, version],
  );
}
