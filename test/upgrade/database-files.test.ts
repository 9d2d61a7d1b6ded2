import { expect, it } from 'vitest';
import { migrations } from '../../src/store/migrations/index.ts';
import { dialects } from '../support/database/engines.ts';
import { databaseFiles } from './database-files.ts';

const newest = migrations.at(-1)?.id ?? 0;

it.each(dialects)('a database of the newest schema is committed, on %s', (dialect) => {
  expect(
    databaseFiles().some((file) => file.dialect === dialect && file.version === newest),
    'run "npm run databases" and commit the files',
  ).toBe(true);
});
