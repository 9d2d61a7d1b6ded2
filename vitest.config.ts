import { configDefaults, defineConfig } from 'vitest/config';

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
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // A test that asserts nothing could not fail.
    expect: { requireAssertions: true },
  },
});
