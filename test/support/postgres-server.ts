import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

/**
 * A real PostgreSQL for the whole run. It is kept by a process of its own: the package that brings
 * it ends the process it runs in with code 0, which would turn a failed run into a passed one.
 */
export default async function startPostgres(project: TestProject): Promise<() => Promise<void>> {
  const keeper = fork(fileURLToPath(new URL('./postgres-keeper.ts', import.meta.url)));
  const gone = new Promise<void>((resolve) => keeper.once('exit', () => resolve()));
  const url = await Promise.race([
    new Promise<string>((resolve) => keeper.once('message', (sent) => resolve(String(sent)))),
    gone.then(() => {
      throw new Error('PostgreSQL could not be started; its keeper said why above');
    }),
  ]);
  project.provide('postgresUrl', url);
  return async () => {
    if (keeper.connected) keeper.disconnect();
    await gone;
  };
}
