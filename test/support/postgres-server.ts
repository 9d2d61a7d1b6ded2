import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import type { Ready } from './postgres-keeper.ts';

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
export default async function startPostgres(project: TestProject): Promise<() => Promise<void>> {
  const keeper = fork(fileURLToPath(new URL('./postgres-keeper.ts', import.meta.url)));
  const gone = new Promise<void>((resolve) => keeper.once('exit', () => resolve()));
  const ready = await Promise.race([
    new Promise<Ready>((resolve) => keeper.once('message', (sent) => resolve(sent as Ready))),
    gone.then(() => {
      throw new Error('PostgreSQL could not be started; its keeper said why above');
    }),
  ]);
  project.provide('postgresUrl', ready.postgresUrl);
  project.provide('sqliteTemplate', ready.sqliteTemplate);
  project.provide('runFolder', ready.runFolder);
  return async () => {
    if (keeper.connected) keeper.disconnect();
    await gone;
  };
}
