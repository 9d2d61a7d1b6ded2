import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { openPostgres } from '../../../src/store/postgres/engine.ts';
import type { Database } from './engines.ts';

/** One message of the protocol; those of the start have no type. */
type Handle = (type: string, frame: Buffer) => void;

/** Cuts a stream into messages. */
function framer(isTyped: () => boolean, handle: Handle): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const offset = isTyped() ? 1 : 0;
      if (rest.length < offset + 4) return;
      const length = offset + rest.readUInt32BE(offset);
      if (rest.length < length) return;
      const frame = rest.subarray(0, length);
      rest = rest.subarray(length);
      handle(offset ? String.fromCharCode(frame[0] ?? 0) : '', frame);
    }
  };
}

interface Server {
  socket: Socket;
  client: Socket | undefined;
}

/**
 * The same database behind a pooler in transaction mode, as PgBouncer before 1.21 does it: whoever
 * begins a transaction gets the server connection that rested longest, so rarely the one it had
 * before, and nothing is known of prepared statements.
 */
export async function behindPooler(database: Database): Promise<Database> {
  const url = new URL(database.databaseUrl);
  const target = { host: url.hostname, port: Number(url.port) };
  const idle: Server[] = [];
  const waiting: (() => void)[] = [];
  const sockets = new Set<Socket>();
  let lastId = 0;

  function track(socket: Socket): Socket {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    return socket;
  }

  function release(server: Server): void {
    server.client = undefined;
    idle.push(server);
    waiting.shift()?.();
  }

  /** Signs the client in over a connection of its own, which then serves all. */
  function open(client: Socket): Server {
    const server: Server = { socket: track(connect(target)), client };
    server.socket.on(
      'data',
      framer(
        () => true,
        (type, frame) => {
          if (type === 'K') frame.writeUInt32BE(++lastId, 5);
          server.client?.write(frame);
          const isBetweenTransactions = type === 'Z' && frame.toString('latin1', 5) === 'I';
          if (isBetweenTransactions && server.client) release(server);
        },
      ),
    );
    return server;
  }

  const listener = createServer((client) => {
    track(client);
    let isStarted = false;
    let own: Server | undefined;
    const held: Buffer[] = [];

    function forward(): void {
      if (own?.client !== client) own = idle.shift();
      if (!own) {
        waiting.push(forward);
        return;
      }
      own.client = client;
      for (const frame of held.splice(0)) own.socket.write(frame);
    }

    client.on(
      'data',
      framer(
        () => isStarted,
        (type, frame) => {
          if (!isStarted) {
            isStarted = true;
            own = open(client);
            own.socket.write(frame);
          } else if (type === 'X') {
            client.end();
          } else {
            held.push(frame);
            if (held.length === 1 || own?.client === client) forward();
          }
        },
      ),
    );
    client.on('close', () => {
      if (own?.client === client) own.socket.destroy();
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        listener.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  );
  url.port = String((listener.address() as AddressInfo).port);
  return {
    ...database,
    databaseUrl: url.href,
    settings: { ...database.settings, DATABASE_URL: url.href },
    open: () => openPostgres(url.href),
  };
}
