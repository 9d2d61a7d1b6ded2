import { configDefaults, defineConfig } from 'vitest/config';
import { patienceMs } from './test/support/patience.ts';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // `npm run test:slow` runs these.
    exclude: [...configDefaults.exclude, '**/*.slow.test.ts'],
    globalSetup: ['test/support/database/postgres-server.ts'],
    setupFiles: ['test/support/clean-up.ts'],
    pool: 'forks',
    maxWorkers: 3,
    // Loading the service anew for every file took half of the processor time.
    isolate: false,
    testTimeout: 3 * patienceMs,
    hookTimeout: 3 * patienceMs,
    // A test that asserts nothing could not fail.
    expect: { requireAssertions: true, poll: { timeout: patienceMs } },
  },
});
