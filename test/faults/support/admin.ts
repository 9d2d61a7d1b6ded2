import pg from 'pg';
import type { Database } from '../../support/database/engines.ts';

/** A connection to PostgreSQL beside those of the service. */
export async function withAdmin<T>(
  database: Database,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: database.databaseUrl });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
