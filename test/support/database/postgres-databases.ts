import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { templateName } from './template-name.ts';

interface PostgresDatabases {
  create(clause: string): Promise<string>;
  /** A copy of the template. The next one is made while this one is used. */
  takeCopy(): Promise<string>;
  /** Returns at once: nobody waits until it is deleted. */
  drop(name: string): void;
}

/** Its types leave these out. */
type Client = pg.Client & { ref(): void; unref(): void };

const servers = new Map<string, PostgresDatabases>();

/** Connecting takes longer than most statements, so the connections stay open. */
export function serverAt(url: string): PostgresDatabases {
  const known = servers.get(url);
  if (known) return known;
  const creating = connection(url);
  const dropping = connection(url);
  let next: Promise<string> | undefined;

  async function create(clause: string): Promise<string> {
    const name = `t${randomBytes(8).toString('hex')}`;
    await creating(`create database ${name} ${clause}`);
    return name;
  }
  const copy = () => create(`template ${templateName} strategy file_copy`);

  const server: PostgresDatabases = {
    create,
    takeCopy() {
      const taken = next ?? copy();
      // Set before anything is awaited: two tests that ask at once get two databases.
      next = copy();
      // A failure reaches the test that takes it, if any.
      next.catch(() => {});
      return taken;
    },
    drop(name) {
      // The rest is deleted with the server.
      dropping(`drop database if exists ${name} with (force)`).catch(() => {});
    },
  };
  servers.set(url, server);
  return server;
}

/** Keeps the process running only while a statement is under way. */
function connection(url: string): (sql: string) => Promise<void> {
  let connected: Promise<Client> | undefined;
  let pending = 0;
  /** A client runs one statement at a time. */
  let last: Promise<unknown> = Promise.resolve();

  async function connect(): Promise<Client> {
    const client = new pg.Client({ connectionString: url }) as Client;
    // The server may stop before this process does.
    client.on('error', () => {});
    client.on('end', () => {
      connected = undefined;
    });
    await client.connect();
    return client;
  }

  return async (sql) => {
    connected ??= connect().catch((error: unknown) => {
      connected = undefined;
      throw error;
    });
    const client = await connected;
    if (pending++ === 0) client.ref();
    try {
      last = last.catch(() => {}).then(() => client.query(sql));
      await last;
    } finally {
      if (--pending === 0) client.unref();
    }
  };
}
