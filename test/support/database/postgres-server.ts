import type { TestProject } from 'vitest/node';
import { serve } from '../local-server.ts';
import { startKeeper } from './start-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the address of PostgreSQL, which the first request starts. */
    postgresAt: string;
    /** A SQLite database with the present schema and nothing in it. */
    sqliteTemplate: string;
    /** Goes away with the run, however that ends. */
    runFolder: string;
  }
}

/**
 * A real PostgreSQL for the whole run, started only if a test needs it. A process of its own keeps
 * it, stops it and removes its files, however the run ends.
 */
export default async function providePostgres(project: TestProject): Promise<() => Promise<void>> {
  const keeper = await startKeeper();
  const door = await serve(async (_request, response) => {
    response.end((await keeper.start()).postgresUrl);
  });
  project.provide('postgresAt', door.url);
  project.provide('sqliteTemplate', keeper.sqliteTemplate);
  project.provide('runFolder', keeper.runFolder);
  return async () => {
    await door.close();
    await keeper.stop();
  };
}
