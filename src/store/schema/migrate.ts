import { reason } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import { migrations, newestMigration as newestKnown } from '../migrations/index.ts';

/** Brings the schema up to date. The caller holds the lock that keeps other starters out. */
export function* migrate(dialect: DialectName): Step<void> {
  yield* raw(
    'create table if not exists schema_migrations (id integer primary key, name text not null)',
  );
  const applied = yield* raw<{ id: number }>('select id from schema_migrations order by id');
  const newestApplied = applied.at(-1)?.id ?? 0;
  if (newestApplied > newestKnown) {
    throw new RelayError(
      'schema_too_new',
      reason('schema_too_new', { schema: newestApplied, known: newestKnown }),
    );
  }
  const done = new Set(applied.map((row) => row.id));
  for (const migration of migrations) {
    if (done.has(migration.id)) continue;
    for (const sql of migration.up(dialect)) yield* raw(sql);
    yield* raw('insert into schema_migrations (id, name) values ($1, $2)', [
      migration.id,
      migration.name,
    ]);
  }
}
