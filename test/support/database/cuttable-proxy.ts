import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { openPostgres, type PostgresOptions } from '../../../src/store/postgres/engine.ts';
import type { Database } from './engines.ts';

/** A way to a server that can be cut and mended, as a network can. */
export interface CuttableProxy {
  port: number;
  cut(): void;
  /** Silently drops all data, until it is mended or cut. */
  freeze(): void;
  /** As when a server is lost and another takes its address: old connections go silent, new ones work. */
  strand(): void;
  /** Holds back what the server says on open connections that named themselves so. */
  mute(applicationName: string): void;
  mend(): void;
  close(): Promise<void>;
}

/** The same PostgreSQL database, reached through a proxy that ends with the test. */
export async function behindProxy(
  database: Database,
  options: PostgresOptions = {},
): Promise<{ proxy: CuttableProxy; behind: Database }> {
  const url = new URL(database.databaseUrl);
  const proxy = await startProxy({ host: url.hostname, port: Number(url.port) });
  onTestFinished(() => proxy.close());
  url.port = String(proxy.port);
  const behind: Database = {
    ...database,
    databaseUrl: url.href,
    settings: { ...database.settings, DATABASE_URL: url.href },
    open: () => openPostgres(url.href, options),
  };
  return { proxy, behind };
}

export async function startProxy(target: { host: string; port: number }): Promise<CuttableProxy> {
  const sockets = new Set<Socket>();
  /** Sockets of the server, by the first words of their client. */
  const greetings = new Map<Socket, string>();
  let isCut = false;
  let isFrozen = false;
  const server = createServer((incoming) => {
    if (isCut) {
      incoming.destroy();
      return;
    }
    if (isFrozen) {
      incoming.on('error', () => {});
      sockets.add(incoming);
      return;
    }
    const outgoing = connect(target);
    incoming.once('data', (words: Buffer) => greetings.set(outgoing, words.toString('latin1')));
    outgoing.on('close', () => greetings.delete(outgoing));
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      destroyAll();
    },
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    strand() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    mute(applicationName) {
      for (const [server, words] of greetings) {
        if (words.includes(applicationName)) server.unpipe().pause();
      }
    },
    mend() {
      if (isFrozen) destroyAll();
      isFrozen = false;
      isCut = false;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        destroyAll();
      }),
  };
}
