import { expect, it } from 'vitest';
import { migrations } from '../../src/store/migrations/index.ts';
import { dialects } from '../support/database/engines.ts';
import { databaseFiles } from './database-files.ts';

/** Added when there was a later one already: no database ever ended with it. */
const neverNewest: ReadonlySet<number> = new Set([17]);

it.each(dialects)('a database of every schema is committed, on %s', (dialect) => {
  const versions = migrations.map(({ id }) => id).filter((id) => !neverNewest.has(id));
  const committed = databaseFiles().filter((file) => file.dialect === dialect);
  expect(
    committed.map(({ version }) => version),
    'run "npm run databases" and commit the files',
  ).toEqual(versions);
});
