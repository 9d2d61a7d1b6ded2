import { globSync, readFileSync } from 'node:fs';
import { configDefaults, defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** Files that `npm test` runs on SQLite only. */
const onPostgres = globSync('test/**/*.test.ts', { cwd: import.meta.dirname })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => readFileSync(new URL(file, import.meta.url), 'utf8').includes('eitherDialect'));

/**
 * What takes longer than `npm test` should: faults, upgrades, packages, commands of the documents,
 * layouts and languages of the page, and on PostgreSQL what hardly depends on the database.
 */
export default defineConfig({
  test: {
    ...base.test,
    include: ['test/**/*.slow.test.ts', ...onPostgres],
    exclude: configDefaults.exclude,
    env: { TEST_DIALECT: 'postgres' },
    testTimeout: 300_000,
  },
});
