import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Ready } from './postgres-keeper.ts';

interface Server extends Ready {
  stop(): Promise<void>;
  /** Ends it as a crash does, and starts it again. */
  restart(): Promise<void>;
}

/** A PostgreSQL in a separate process, which ends after `stop` or with the process that started it. */
export async function startPostgres(kind: 'fast' | 'durable' = 'fast'): Promise<Server> {
  const keeper = fork(fileURLToPath(new URL('./postgres-keeper.ts', import.meta.url)), [kind]);
  const gone = new Promise<void>((resolve) => keeper.once('exit', () => resolve()));
  const ready = await Promise.race([
    new Promise<Ready>((resolve) => keeper.once('message', (sent) => resolve(sent as Ready))),
    gone.then(() => {
      throw new Error('PostgreSQL could not be started; its keeper said why above');
    }),
  ]);
  return {
    ...ready,
    restart: () =>
      new Promise((resolve) => {
        keeper.once('message', () => resolve());
        keeper.send('restart');
      }),
    async stop() {
      if (keeper.connected) keeper.disconnect();
      await gone;
    },
  };
}
