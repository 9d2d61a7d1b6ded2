/*
 * Detects whether a pooler such as PgBouncer is between this process and PostgreSQL, and in which
 * mode.
 *
 * A pooler gives its clients its own process IDs, so an ID that differs from the server's reveals
 * it. In session mode a client keeps its server connection and everything works as without a
 * pooler. In transaction mode a connection belongs to a client for one transaction only: LISTEN
 * receives nothing, and a prepared statement may be missing on the next connection.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';

export type Pooling = 'none' | 'session' | 'transaction';

const receiveTimeoutMs = 1_000;
const deadlineMs = 10_000;

export async function detectPooling(url: string): Promise<Pooling> {
  const client = await connect(url);
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const { processID } = client as pg.Client & { processID: number };
    if (rows[0]?.pid === processID) return 'none';
    return (await hears(client, url)) ? 'session' : 'transaction';
  } finally {
    await client.end();
  }
}

/**
 * Another connection sends the notification, because one's own NOTIFY may come back over the server
 * connection in use.
 */
async function hears(client: pg.Client, url: string): Promise<boolean> {
  const channel = `bot_relay_${randomBytes(6).toString('hex')}`;
  let timer: NodeJS.Timeout | undefined;
  const received = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), receiveTimeoutMs);
    client.on('notification', (message) => {
      if (message.channel === channel) resolve(true);
    });
  });
  try {
    await client.query(`listen ${channel}`);
    const other = await connect(url);
    try {
      await other.query('select pg_notify($1, $2)', [channel, '']);
    } finally {
      await other.end();
    }
    return await received;
  } finally {
    clearTimeout(timer);
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'bot-relay start',
    connectionTimeoutMillis: deadlineMs,
    query_timeout: deadlineMs,
  });
  // A lost connection fails the statement in flight; without a listener the process would end.
  client.on('error', () => {});
  await client.connect();
  return client;
}
