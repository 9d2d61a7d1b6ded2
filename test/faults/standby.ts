/* Fault 3: the primary of a replicated PostgreSQL is killed, and its standby is promoted. */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startProxy } from '../support/database/cuttable-proxy.ts';
import { type FaultOptions, type FaultResult, NotRun } from './result.ts';
import {
  databaseAt,
  initServer,
  type OwnServer,
  serverIn,
  stopServer,
  user,
} from './support/own-postgres.ts';
import { heldAgain, underLoad } from './under-load.ts';

const promotedAfterMs = 3_000;
const heldAgainMs = 30_000;

interface Pair {
  primary: OwnServer;
  standby: OwnServer;
  close(): void;
}

/** A primary with an empty database `relay`, and a standby that has every commit of it. */
async function startPair(binaries: string): Promise<Pair> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'relay-standby-'));
  chmodSync(folder, 0o755);
  const primary = await initServer({ binaries, folder, name: 'primary' });
  const standby = await serverIn({ binaries, folder, name: 'standby' });
  primary.control('stop');
  cpSync(primary.data, standby.data, { recursive: true });
  standby.set({
    port: standby.port,
    primary_conninfo: `host=127.0.0.1 port=${primary.port} user=relay`,
  });
  writeFileSync(path.join(standby.data, 'standby.signal'), '');
  execFileSync('chown', ['-R', `${user.uid ?? process.getuid?.()}`, standby.data]);
  chmodSync(standby.data, 0o700);
  primary.control('start');
  standby.control('start');
  // From here on a commit is on both.
  await primary.ask(`alter system set synchronous_standby_names = '*'`);
  await primary.ask('select pg_reload_conf()');
  return {
    primary,
    standby,
    close() {
      for (const server of [primary, standby]) stopServer(server);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function runStandby(options: FaultOptions): Promise<FaultResult> {
  const { postgresBinaries } = options;
  if (!postgresBinaries) throw new NotRun('needs PostgreSQL servers of its own');
  const { primary, standby, close } = await startPair(postgresBinaries);
  const target = { host: '127.0.0.1', port: primary.port };
  const proxy = await startProxy(target);
  try {
    return await underLoad(options, {
      fault: '3: primary killed, standby promoted',
      database: databaseAt(options.database, proxy.port),
      maxDelayMs: heldAgainMs,
      begunAgain: () => 1,
      async during({ recover }) {
        primary.control('stop', '--mode=immediate');
        target.port = standby.port;
        await pause(promotedAfterMs);
        standby.control('promote');
        return [heldAgain(await recover(heldAgainMs), heldAgainMs)];
      },
    });
  } finally {
    await proxy.close();
    close();
  }
}
