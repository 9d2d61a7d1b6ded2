import { readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { codeBlocksOf } from '../../../scripts/document-blocks.ts';
import { databaseFileName, settleRestored } from '../../../src/store/sqlite/database-file.ts';
import type { Database } from './engines.ts';

const guide = readFileSync(new URL('../../../docs/operate.md', import.meta.url), 'utf8');

/** The database is one that was restored from a backup of this moment; PostgreSQL as the guide says. */
export async function settleAsRestored({
  dialect,
  dataDir,
  databaseUrl,
}: Pick<Database, 'dialect' | 'dataDir' | 'databaseUrl'>): Promise<void> {
  if (dialect === 'sqlite') {
    const file = path.join(dataDir, databaseFileName);
    settleRestored(file, { atMs: Date.now(), actorName: 'test', after: {} });
    return;
  }
  const documented = codeBlocksOf(guide).find(({ language }) => language === 'sql');
  if (!documented) throw new Error('the guide has no statements for a restored PostgreSQL');
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(documented.code);
  } finally {
    await client.end();
  }
}
