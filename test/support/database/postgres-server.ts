import type { TestProject } from 'vitest/node';
import { startPostgres } from './start-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
    /** A SQLite database with the present schema and nothing in it. */
    sqliteTemplate: string;
    /** Goes away with the run, however that ends. */
    runFolder: string;
  }
}

/**
 * A real PostgreSQL for the whole run. A process of its own keeps it, stops it and removes its files,
 * however the run ends.
 */
export default async function providePostgres(project: TestProject): Promise<() => Promise<void>> {
  const ready = await startPostgres();
  project.provide('postgresUrl', ready.postgresUrl);
  project.provide('sqliteTemplate', ready.sqliteTemplate);
  project.provide('runFolder', ready.runFolder);
  return ready.stop;
}
