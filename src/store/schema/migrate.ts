import { reason } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import { version } from '../../version.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import type { Migration } from '../migrations/migration.ts';
import { baseSchema, lastCommitBeforeBase, migrations, newestSchema } from '../migrations/index.ts';

export interface SchemaState {
  /** 0 for a new database. */
  schema: number;
  /** The migrations that the database lacks. */
  pending: readonly Migration[];
  /** Identifies the master key of its secrets; undefined if it has none, or lacks nothing. */
  witness: string | undefined;
}

/** Called before a database is created or migrated; if it throws, nothing is changed. */
export type BeforeMigration = (found: SchemaState) => Promise<void>;

/** The setting that shows which master key sealed the secrets. */
export const witnessName = 'master_key_witness';
/** The setting that names the version that last changed the schema. */
const writerName = 'schema_written_by';

/** Only reads. Throws if a newer version wrote the database, or if it is too old. */
export function* examineSchema(dialect: DialectName): Step<SchemaState> {
  const { tableNamed } = wordsOf[dialect];
  const isNew = (yield* raw(tableNamed('schema_migrations'))).length === 0;
  const applied = isNew
    ? []
    : yield* raw<{ id: number }>('select id from schema_migrations order by id');
  const schema = applied.at(-1)?.id ?? 0;
  const known = newestSchema();
  if (schema > known) {
    const params = { schema, known, version, writer: yield* readWriter() };
    throw new RelayError('schema_too_new', reason('schema_too_new', params));
  }
  if (schema > 0 && schema < baseSchema) {
    const params = { schema, base: baseSchema, commit: lastCommitBeforeBase };
    throw new RelayError('conflict', reason('schema_before_base', params));
  }
  const done = new Set(applied.map(({ id }) => id));
  const pending = migrations.filter(({ id }) => !done.has(id));
  const witness = schema > 0 && pending.length > 0 ? yield* readSetting(witnessName) : undefined;
  return { schema, pending, witness };
}

/** '' if unknown: nobody can tell what a newer schema looks like. */
function* readWriter(): Step<string> {
  try {
    return (yield* readSetting(writerName)) ?? '';
  } catch {
    return '';
  }
}

function* readSetting(name: string): Step<string | undefined> {
  const rows = yield* raw<{ value: string }>('select value from settings where name = $1', [name]);
  return rows[0]?.value;
}

/** Brings the schema up to date. The caller holds the lock that keeps other starters out. */
export function* migrate(dialect: DialectName): Step<void> {
  // This comes first, as a server that takes no writes refuses it even if the table exists.
  yield* raw(
    'create table if not exists schema_migrations (id integer primary key, name text not null)',
  );
  const { pending } = yield* examineSchema(dialect);
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
