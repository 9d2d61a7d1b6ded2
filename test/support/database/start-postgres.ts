import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Ready } from './postgres-keeper.ts';

/** A PostgreSQL in a separate process, which ends after `stop` or with the process that started it. */
export async function startPostgres(): Promise<Ready & { stop(): Promise<void> }> {
  const keeper = fork(fileURLToPath(new URL('./postgres-keeper.ts', import.meta.url)));
  const gone = new Promise<void>((resolve) => keeper.once('exit', () => resolve()));
  const ready = await Promise.race([
    new Promise<Ready>((resolve) => keeper.once('message', (sent) => resolve(sent as Ready))),
    gone.then(() => {
      throw new Error('PostgreSQL could not be started; its keeper said why above');
    }),
  ]);
  return {
    ...ready,
    async stop() {
      if (keeper.connected) keeper.disconnect();
      await gone;
    },
  };
}
