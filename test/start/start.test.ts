import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readSettings, toConfig } from '../../src/config.ts';
import { startService } from '../../src/main.ts';
import {
  createDatabase,
  type Database,
  dialects,
  postgresUrl,
} from '../support/database/engines.ts';
import { command } from '../support/command.ts';
import {
  type RelayProcess,
  runRelay,
  startRelay,
  temporaryFolder,
} from '../support/relay-process.ts';

const secretKey = 'a master key of more than 32 characters';

/** How many connections the system lets wait. */
function mostWaiting(): number {
  const file = '/proc/sys/net/core/somaxconn';
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 128;
}

// Processes start slowly on a machine that is busy with other tests.
describe.each(dialects)('the service as a process on %s', (dialect) => {
  let database: Database;
  let service: RelayProcess | undefined;

  const start = async (env: Record<string, string> = {}) => {
    service = await startRelay({
      ...database.settings,
      RELAY_LOG_LEVEL: 'warn',
      ...(dialect === 'postgres' ? { RELAY_SECRET_KEY: secretKey } : {}),
      ...env,
    });
    return service;
  };

  beforeEach(async () => {
    database = await createDatabase(dialect);
  });
  afterEach(async () => {
    await service?.stop('SIGKILL');
    service = undefined;
    await database.drop();
  });

  it('prints the key and the set-up link once, keeps its data and stops cleanly', async () => {
    const first = await start();
    const key = /Admin key\s+(brs_\S+)/.exec(first.stdout())?.[1] ?? '';
    expect(first.stdout()).toMatch(/Setup link\s+http:\/\/127\.0\.0\.1:\d+\/setup#token=\S{43}\n/);
    const headers = { authorization: `Bearer ${key}` };
    const keysAt = (address: string) => fetch(`${address}/api/auth/api-keys`, { headers });
    expect((await keysAt(first.address)).status).toBe(200);
    expect((await fetch(`${first.address}/`)).headers.get('content-type')).toMatch(/html/);
    expect(await first.stop('SIGTERM')).toMatchObject({ code: 0, stderr: '' });

    const second = await start();
    expect(second.stdout()).not.toMatch(/Admin key|Setup link/);
    expect((await keysAt(second.address)).status).toBe(200);
    expect(await second.stop('SIGINT')).toMatchObject({ code: 0 });
  });

  it('installs the given admin key instead of making one', async () => {
    const key = `brs_${'k'.repeat(40)}`;
    const env = {
      ...database.settings,
      PORT: '0',
      RELAY_LOG_LEVEL: 'silent',
      RELAY_SECRET_KEY: secretKey,
      RELAY_ADMIN_KEY: key,
    };
    const lines: string[] = [];
    const config = toConfig(readSettings({ env, workingDir: database.dataDir }));
    const running = await startService(config, { announce: (line) => lines.push(line) });
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(`${running.address}/api/auth/api-keys`, { headers });
    await running.close();
    expect(answer.status).toBe(200);
    expect(lines).toEqual([expect.stringMatching(/^Bot Relay \S+ is ready at http:/)]);
  });
});

// A connection that is refused a place is tried by its system after 1, 3, 7, 15, 31 and 63 seconds.
it('a busy service takes the connections of many clients', async () => {
  const folder = temporaryFolder();
  const { signal, address, stop } = await startRelay({ RELAY_DATA_DIR: folder.path });
  onTestFinished(async () => {
    await stop('SIGKILL');
    folder.remove();
  });
  signal('SIGSTOP');
  const { port } = new URL(address);
  const length = Math.min(700, mostWaiting());
  const sockets = Array.from({ length }, () => connect(Number(port), '127.0.0.1'));
  try {
    const connected = await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    expect(connected).toHaveLength(sockets.length);
  } finally {
    // When this fails, the service ends before all of them are closed.
    for (const socket of sockets) socket.on('error', () => {});
    signal('SIGCONT');
    for (const socket of sockets) socket.destroy();
  }
});

describe('a start that cannot be', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  const start = (env: Record<string, string>) =>
    command(['start'], { env: { PORT: '0', RELAY_DATA_DIR: folder.path, ...env } });

  it('ends with one line and a code for a bad setting', async () => {
    const { code, stdout, stderr } = await runRelay(['start'], { env: { PORT: 'eighty' } });
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toBe(
      'bot-relay: PORT: must be a whole number from 0 to 65535 (got "eighty"). Example: PORT=8080\n',
    );
  });

  it('says which port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    const { code, stderr } = await start({ PORT: String(port) });
    expect(code, 'a process manager tries again').toBe(1);
    expect(stderr).toMatch(new RegExp(`^bot-relay: PORT: 127\\.0\\.0\\.1:${port} is in use.*\\n$`));
    expect(stderr).toContain(` Example: PORT=${port + 1}\n`);
    const flag = ['--port', String(port)];
    const env = { RELAY_DATA_DIR: folder.path };
    const asFlag = (await command(['start', ...flag], { env })).stderr;
    expect(asFlag).toMatch(new RegExp(`^bot-relay: --port: .* Example: --port ${port + 1}\\n$`));
    const byNpm = { env: { ...env, npm_lifecycle_event: 'demo' } };
    const demo = (await command(['demo', ...flag], byNpm)).stderr;
    expect(demo).toContain(` Example: npm run demo -- --port ${port + 1}\n`);
    const metrics = (await start({ RELAY_METRICS_PORT: String(port) })).stderr;
    expect(metrics).toContain(`bot-relay: RELAY_METRICS_PORT: 127.0.0.1:${port} is in use`);
    expect(metrics).toContain(` Example: RELAY_METRICS_PORT=${port + 1}\n`);
    await new Promise((resolve) => other.close(resolve));

    // The secrets of that start were never shown: the next start counts as the first.
    const lines: string[] = [];
    const quiet = { ...env, PORT: '0', RELAY_LOG_LEVEL: 'silent' };
    const config = toConfig(readSettings({ env: quiet, workingDir: folder.path }));
    const running = await startService(config, { announce: (line) => lines.push(line) });
    const key = /Admin key\s+(brs_\S+)/.exec(lines.join('\n'))?.[1] ?? '';
    const headers = { authorization: `Bearer ${key}` };
    const { status } = await fetch(`${running.address}/api/auth/api-keys`, { headers });
    await running.close();
    expect(lines.join('\n')).toMatch(/Setup link\s+http:\S+\/setup#token=\S{43}/);
    expect(status).toBe(200);
  });

  it('says that there is no such host', async () => {
    const { code, stderr } = await start({ HOST: 'no-such-host.invalid' });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^bot-relay: HOST: no-such-host\.invalid is not an address of this .*\n$/,
    );
  });

  it('says that the database cannot be reached, without its password', async () => {
    const { code, stderr } = await start({
      DATABASE_URL: 'postgres://relay:hush@127.0.0.1:1/relay',
      RELAY_SECRET_KEY: secretKey,
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^bot-relay: Cannot reach the database 127\.0\.0\.1:1\/relay .*\n$/);
    expect(stderr).not.toContain('hush');
  });

  it('says that the database refuses the password', async () => {
    const url = new URL(await postgresUrl());
    url.password = 'hush';
    const { code, stderr } = await start({ DATABASE_URL: url.href, RELAY_SECRET_KEY: secretKey });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^bot-relay: DATABASE_URL: .*rejects the password.*\n$/);
    expect(stderr).not.toContain('hush');
  });

  it('keeps a second service and a wrong key off the data dir', async () => {
    const running = await startRelay({ RELAY_DATA_DIR: folder.path });
    try {
      for (const file of ['master.key', 'relay.db', 'service.json']) {
        expect(statSync(path.join(folder.path, file)).mode & 0o077, file).toBe(0);
      }
      const second = await start({});
      expect(second.code).toBe(1);
      expect(second.stderr).toMatch(/^bot-relay: The data directory .* is in use.*\n$/);
    } finally {
      await running.stop();
    }
    const keyFile = path.join(folder.path, 'master.key');
    const wrong = await start({ RELAY_SECRET_KEY: secretKey });
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toMatch(
      /^bot-relay: The database is encrypted with another master key.*\n$/,
    );
    const right = readFileSync(keyFile, 'utf8');
    writeFileSync(keyFile, '');
    expect((await start({})).stderr).toMatch(/^bot-relay: The master key file .* is damaged.*\n$/);
    writeFileSync(keyFile, right);
  });

  it('notices that the database of a data dir is lost', async () => {
    const env = { PORT: '0', RELAY_DATA_DIR: folder.path, RELAY_LOG_LEVEL: 'silent' };
    const startAndStop = async () => {
      const config = toConfig(readSettings({ env, workingDir: folder.path }));
      await (await startService(config)).close();
    };
    await startAndStop();
    const database = path.join(folder.path, 'relay.db');
    const lost = /^bot-relay: The database relay\.db in .* is missing or empty.* Restore .*\n$/;
    writeFileSync(database, '');
    const empty = await start({});
    expect([empty.code, empty.stderr]).toEqual([1, expect.stringMatching(lost)]);
    rmSync(database);
    const missing = await start({});
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringMatching(lost)]);
    // As the message says.
    rmSync(path.join(folder.path, 'node-id'));
    await startAndStop();
  });

  it('refuses a data dir it cannot write to', async () => {
    const { code, stderr } = await start({ RELAY_DATA_DIR: '/dev/null/data' });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^bot-relay: RELAY_DATA_DIR: .*cannot create .*\n$/);
    const asFlag = await command(['start', '--data-dir', '/dev/null/data']);
    expect(asFlag.stderr).toMatch(
      /^bot-relay: --data-dir: cannot .* Example: --data-dir \/var\/lib\/bot-relay\n$/,
    );
  });
});
