import type { Engine } from '../src/store/engine.ts';
import { openPostgres } from '../src/store/postgres/engine.ts';
import { startPostgres } from '../test/support/database/start-postgres.ts';

/** Runs work on a separate PostgreSQL, which is removed afterwards. */
export async function withPostgres<T>(work: (engine: Engine) => Promise<T>): Promise<T> {
  const { postgresUrl, stop } = await startPostgres('durable');
  const engine = await openPostgres(postgresUrl);
  try {
    return await work(engine);
  } finally {
    await engine.close();
    await stop();
  }
}
