import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Engine } from '../src/store/engine.ts';
import { openPostgres } from '../src/store/postgres/engine.ts';
import type { Ready } from '../test/support/postgres-keeper.ts';

/** Runs something on a PostgreSQL of its own, which is gone afterwards. */
export async function withPostgres<T>(work: (engine: Engine) => Promise<T>): Promise<T> {
  const keeper = fork(
    fileURLToPath(new URL('../test/support/postgres-keeper.ts', import.meta.url)),
  );
  const gone = new Promise<void>((resolve) => keeper.once('exit', () => resolve()));
  const { postgresUrl } = await new Promise<Ready>((resolve) =>
    keeper.once('message', (sent) => resolve(sent as Ready)),
  );
  const engine = await openPostgres(postgresUrl);
  try {
    return await work(engine);
  } finally {
    await engine.close();
    keeper.disconnect();
    await gone;
  }
}
