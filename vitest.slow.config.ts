import { configDefaults, defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

/**
 * What takes longer than `npm test` should: faults, upgrades, packages, commands of the documents,
 * and layouts and languages of the page.
 */
export default defineConfig({
  test: {
    ...base.test,
    include: ['test/**/*.slow.test.ts'],
    exclude: configDefaults.exclude,
    testTimeout: 300_000,
  },
});
