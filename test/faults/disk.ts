/* Fault 3: the disk of the data directory is full, read-only or slow. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { databaseFileName } from '../../src/store/sqlite/database-file.ts';
import { openSqlite } from '../../src/store/sqlite/engine.ts';
import type { Database } from '../support/database/engines.ts';
import { startRelay } from '../support/relay-process.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { counted, type FaultOptions, type FaultResult, isSo, NotRun } from './result.ts';
import { databaseAt, initServer, type OwnServer, stopServer } from './support/own-postgres.ts';
import { heldAgain, underLoad } from './under-load.ts';

const diskMb = 64;
const serverDiskMb = 200;
const fullMs = 10_000;
const heldAgainMs = 30_000;
const slowFsyncMs = 200;
/** So long a slow machine may take to notice. */
const noticedMs = 30_000;

/** A small disk, in memory. */
async function withSmallDisk<T>(megabytes: number, work: (folder: string) => Promise<T>) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'relay-disk-'));
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'relay-faults', folder);
  } catch {
    rmSync(folder, { recursive: true });
    throw new NotRun('mounting a disk is not allowed here');
  }
  try {
    return await work(folder);
  } finally {
    run('umount', folder);
    rmSync(folder, { recursive: true });
  }
}

/** The embedded database on such a disk. */
const onSmallDisk = <T>(
  { dataDir, ...database }: Database,
  work: (small: Database) => Promise<T>,
): Promise<T> =>
  withSmallDisk(diskMb, (folder) => {
    copyFileSync(path.join(dataDir, databaseFileName), path.join(folder, databaseFileName));
    return work({
      ...database,
      dataDir: folder,
      settings: { ...database.settings, RELAY_DATA_DIR: folder },
      open: () => openSqlite(folder),
    });
  });

const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });

function fill(file: string): void {
  const handle = openSync(file, 'w');
  try {
    for (let size = 2 ** 20; size >= 1; size = Math.floor(size / 2)) {
      try {
        for (;;) writeSync(handle, Buffer.alloc(size));
      } catch {
        // No room for this much: the rest is filled in smaller pieces.
      }
    }
  } finally {
    closeSync(handle);
  }
}

/** Its answer, once it noticed, which is at the next write. */
async function notReady(node: ServiceProcess): Promise<Response> {
  for (const giveUpAt = performance.now() + noticedMs; ; await pause(50)) {
    const answer = await node.request('/readyz');
    if (answer.status === 503 || performance.now() > giveUpAt) return answer;
  }
}

export function runDiskFull(options: FaultOptions): Promise<FaultResult> {
  if (options.database.dialect === 'postgres') return runServerDiskFull(options);
  return onSmallDisk(options.database, (database) =>
    underLoad(options, {
      fault: '3: disk full',
      database,
      maxDelayMs: fullMs + heldAgainMs,
      async during({ node, recover }) {
        const ballast = path.join(database.dataDir, 'ballast');
        fill(ballast);
        await pause(fullMs * options.pace);
        const ready = await notReady(node());
        const { reasons = [] } = (await ready.json()) as { reasons?: string[] };
        const read = await node().request('/api/bots');
        rmSync(ballast);
        return [
          isSo('not ready meanwhile', ready.status === 503),
          isSo('the reason names the disk', reasons.join().includes('disk is full')),
          isSo('the API can be read meanwhile', read.status === 200),
          heldAgain(await recover(heldAgainMs), heldAgainMs),
        ];
      },
    }),
  );
}

/** A PostgreSQL that cannot write its log ends; somebody makes room and starts it again. */
async function runServerDiskFull(options: FaultOptions): Promise<FaultResult> {
  const { postgresBinaries: binaries } = options;
  if (!binaries) throw new NotRun('needs a PostgreSQL server of its own');
  return withSmallDisk(serverDiskMb, async (folder) => {
    const server = await initServer({ binaries, folder, name: 'server' }, ['--wal-segsize=1']);
    try {
      return await underLoad(options, {
        fault: '3: disk full',
        database: databaseAt(options.database, server.port),
        maxDelayMs: fullMs + heldAgainMs,
        begunAgain: () => 2,
        async during({ node, recover }) {
          const ballast = path.join(folder, 'ballast');
          fill(ballast);
          await pause(fullMs * options.pace);
          const ready = await node().request('/readyz');
          rmSync(ballast);
          // It may be about to end.
          await pause(1_000);
          const hasEnded = !server.isRunning();
          if (hasEnded) server.control('start');
          return [
            isSo('not ready meanwhile', ready.status === 503),
            counted('PostgreSQL ended by itself', hasEnded ? 'yes' : 'no'),
            heldAgain(await recover(heldAgainMs), heldAgainMs),
          ];
        },
      });
    } finally {
      stopServer(server);
    }
  });
}

export function runReadOnlyDisk(options: FaultOptions): Promise<FaultResult> {
  return onSmallDisk(options.database, (database) =>
    underLoad(options, {
      fault: '3: data directory read-only at the start',
      database,
      maxDelayMs: 2 * heldAgainMs,
      async during({ restart, recover, say }) {
        let said = '';
        await restart(async () => {
          run('mount', '-o', 'remount,ro', database.dataDir);
          try {
            const service = await startRelay({ ...database.settings });
            await service.stop('SIGKILL');
          } catch (error) {
            said = (error as Error).message;
          }
          say(said.trim());
          run('mount', '-o', 'remount,rw', database.dataDir);
        });
        return [
          isSo('it does not start', said !== ''),
          isSo('the message names the directory', said.includes(database.dataDir)),
          heldAgain(await recover(heldAgainMs), heldAgainMs),
        ];
      },
    }),
  );
}

const slowFsync = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>
static int slow(const char *name, int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  usleep(${slowFsyncMs * 1_000});
  return real(fd);
}
int fsync(int fd) { return slow("fsync", fd); }
int fdatasync(int fd) { return slow("fdatasync", fd); }
`;

/** While the file READ_ONLY_FILE exists, the file system takes no writes. */
const noWrites = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
static ssize_t checked(const char *name, int fd, const void *from, size_t size, off_t at) {
  ssize_t (*real)(int, const void *, size_t, off_t) =
    (ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, name);
  const char *flag = getenv("READ_ONLY_FILE");
  if (flag && access(flag, F_OK) == 0) {
    errno = EROFS;
    return -1;
  }
  return real(fd, from, size, at);
}
ssize_t pwrite(int fd, const void *from, size_t size, off_t at) {
  return checked("pwrite", fd, from, size, at);
}
ssize_t pwrite64(int fd, const void *from, size_t size, off_t at) {
  return checked("pwrite64", fd, from, size, at);
}
`;

/** A library to load before others, in a folder that anybody may read. */
async function withLibrary<T>(source: string, work: (file: string, folder: string) => Promise<T>) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'relay-library-'));
  chmodSync(folder, 0o755);
  const library = path.join(folder, 'library.so');
  try {
    writeFileSync(path.join(folder, 'library.c'), source);
    try {
      run('cc', '-shared', '-fPIC', '-o', library, path.join(folder, 'library.c'), '-ldl');
    } catch {
      throw new NotRun('there is no C compiler to change system calls with');
    }
    return await work(library, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A library that cannot be loaded is only worth a warning to the loader. */
const isLoaded = (library: string, pid: number) =>
  readFileSync(`/proc/${pid}/maps`, 'utf8').includes(library);

/** As when the system stops writing to a disk that has errors. */
export function runNoWrites(options: FaultOptions): Promise<FaultResult> {
  return withLibrary(noWrites, (library, folder) => {
    const flag = path.join(folder, 'read-only');
    return underLoad(options, {
      fault: '3: disk becomes read-only',
      env: { LD_PRELOAD: library, READ_ONLY_FILE: flag },
      maxDelayMs: fullMs + heldAgainMs,
      async during({ node, recover }) {
        writeFileSync(flag, '');
        await pause(fullMs * options.pace);
        const ready = await node().request('/readyz');
        const read = await node().request('/api/bots');
        rmSync(flag);
        return [
          isSo('the library that refuses writes is loaded', isLoaded(library, node().pid)),
          isSo('not ready meanwhile', ready.status === 503),
          isSo('the API can be read meanwhile', read.status === 200),
          heldAgain(await recover(heldAgainMs), heldAgainMs),
        ];
      },
    });
  });
}

export function runSlowFsync(options: FaultOptions): Promise<FaultResult> {
  const { database, postgresBinaries: binaries } = options;
  return withLibrary(slowFsync, async (library, folder) => {
    const env = { LD_PRELOAD: library };
    let server: OwnServer | undefined;
    if (database.dialect === 'postgres') {
      if (!binaries) throw new NotRun('needs a PostgreSQL server of its own');
      server = await initServer({ binaries, folder, name: 'server', env });
    }
    try {
      return await underLoad(options, {
        fault: `3: every fsync takes ${slowFsyncMs} ms longer`,
        ...(server ? { database: databaseAt(database, server.port) } : { env }),
        maxDelayMs: heldAgainMs,
        async during({ node, recover }) {
          const isSlow = isLoaded(library, server ? server.pid() : node().pid);
          await pause(10_000);
          return [
            isSo('fsync is slow', isSlow),
            heldAgain(await recover(heldAgainMs), heldAgainMs),
          ];
        },
      });
    } finally {
      if (server) stopServer(server);
    }
  });
}
