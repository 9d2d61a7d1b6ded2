import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { patienceMs } from './test/support/patience.ts';

// Threads and child processes load the sources by themselves; without this each compiles them anew.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('.cache/compile', import.meta.url));

/** Folders whose files mostly wait, for processes and a browser. */
const waiting = /\/test\/(web|invariants|faults|start|cli|demo|upgrade)\//;

/** Begins with the files that take long, so that no worker is left alone with one at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const takesLong = ({ moduleId }: TestSpecification) => waiting.test(moduleId);
    return [...sorted.filter(takesLong), ...sorted.filter((one) => !takesLong(one))];
  }
}

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // `npm run test:slow` runs these.
    exclude: [...configDefaults.exclude, '**/*.slow.test.ts'],
    globalSetup: ['test/support/database/postgres-server.ts', 'test/support/built-relay.ts'],
    setupFiles: ['test/support/clean-up.ts'],
    sequence: { sequencer: LongestFirst },
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
