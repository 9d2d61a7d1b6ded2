#!/usr/bin/env node
// Plain JavaScript on purpose: it must run under whatever Node the machine has, and hands over to
// the pinned one (which runs TypeScript and has node:sqlite) when that one is too old. It also gives the
// service its V8 flags, however it is started.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import v8 from 'node:v8';

const minimum = '24.10';
/*
 * All are read once, when the process begins: `v8.setFlagsFromString` is too late. The first makes a
 * young generation of three times 16 MB where V8 takes three times 32: without it a thousand idle bots
 * take 20 MB more. Without the second V8 puts updates that wait for their commit among the old objects,
 * and a flood of them takes a quarter more processor time and 350 MB instead of 220. The third is Node's: its
 * default of four threads for background work takes turns from the service on two cores. With two threads the 99th
 * percentile at half the load was 37 ms instead of 43.
 */
const serviceFlags = [
  '--max-semi-space-size=16',
  '--no-allocation-site-pretenuring',
  '--v8-pool-size=2',
];
/*
 * Up to a limit of 2 GB, V8 lets garbage double the heap before it collects; above it, four times as much
 * may pile up. 300 busy bots took 590 MB with the limit of 4 GB that a large machine has, and 400 MB with this one,
 * of which 90 were in use. A flood takes about a tenth more processor time. A small machine has a lower limit
 * anyway; `NODE_OPTIONS=--max-old-space-size=…` sets another one.
 */
const heapLimitMb = 2_000;
const heapFlag = `--max-old-space-size=${heapLimitMb}`;
const isHeapSet = /--max[-_](?:old[-_]space|heap)[-_]size/.test(
  [process.env.NODE_OPTIONS, ...process.execArgv].join(' '),
);
/*
 * The C library reads these when a process begins. With one pool for all threads an idle service takes 6 MB less.
 * Large blocks that are freed go back to the system, where the library would keep up to 32 MB each: 3 MB less.
 */
const allocation = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};
const passOnMs = 100;
/** Set for a process that a launcher under an older Node started. */
const launched = 'BOT_RELAY_LAUNCHED';
const pinned = fileURLToPath(
  new URL(
    process.platform === 'win32'
      ? '../node_modules/node/bin/node.exe'
      : '../node_modules/node/bin/node',
    import.meta.url,
  ),
);

const program = fileURLToPath(import.meta.url);
const root = path.resolve(path.dirname(program), '..');
const isClone = existsSync(new URL('../src/cli.ts', import.meta.url));
const args = process.argv.slice(2);
// Without a command, the service is started with the options there are.
const starts =
  !args[0] || args[0].startsWith('-') || args.includes('start') || args.includes('demo');
const hasLargeHeap = v8.getHeapStatistics().heap_size_limit > 1.2 * heapLimitMb * 2 ** 20;
const ownFlags = hasLargeHeap && !isHeapSet ? [...serviceFlags, heapFlag] : serviceFlags;
const flags = starts ? ownFlags : [];

if (isNewEnough(process.versions.node)) {
  // The same process with the flags: its id, its signals and its exit code stay. Windows cannot do that
  // and goes without, as does a process that somebody talks to over a channel, which would be cut.
  if (flags.some((one) => !process.execArgv.includes(one)) && canReplaceItself()) {
    const command = [process.execPath, ...flags, ...process.execArgv, program, ...args];
    process.execve(process.execPath, command, { ...allocation, ...process.env });
  }
  // Halves the time to start from the second time on; where it cannot be written, it is left.
  module.enableCompileCache(fileURLToPath(new URL('../.cache/compile', import.meta.url)));
  if (process.env[launched]) stopWithLauncher();
  const { runCommand } = await import(await moduleOfCommands()).catch(explainMissing);
  process.exitCode = await runCommand(args);
} else if (existsSync(pinned)) {
  const child = spawn(pinned, [...flags, program, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...allocation, ...process.env, [launched]: '1' },
  });
  let toldAt = 0;
  child.on('message', () => {
    toldAt = performance.now();
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    // A terminal signals both, and the other says so. Signalled once more at its very end, it would
    // not end in order.
    process.on(signal, () => {
      const since = performance.now() - passOnMs;
      const passOn = () => toldAt > since || child.kill(signal);
      setTimeout(() => setImmediate(passOn), passOnMs).unref();
    });
  }
  child.on('exit', (code, signal) => {
    process.exitCode = signal ? 1 : (code ?? 1);
  });
} else {
  console.error(
    `bot-relay needs Node ${minimum} or newer; this is ${process.version}. ${
      isClone
        ? 'Run "npm start" once: it installs that version here.'
        : 'Install it from nodejs.org, or clone the repository and run "npm start", which brings its own.'
    }`,
  );
  process.exitCode = 1;
}

/** A clone runs its sources, or the bundle that `npm start` and `npm run demo` have just built of them. */
async function moduleOfCommands() {
  if (!isClone) return '../dist/src/cli.js';
  if (['start', 'demo'].includes(process.env.npm_lifecycle_event)) {
    const { bundleFolder } = await import('../scripts/service-sources.js');
    const bundled = pathToFileURL(path.join(bundleFolder(root), 'src', 'cli.js'));
    if (existsSync(bundled)) return bundled;
  }
  return '../src/cli.ts';
}

/** Nobody could stop a service whose launcher was killed through the process that they started. */
function stopWithLauncher() {
  delete process.env[launched];
  process.once('disconnect', () => {
    if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(1);
  });
  // The listener alone would keep the process alive.
  process.channel?.unref();
}

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  const [leastMajor, leastMinor] = minimum.split('.').map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

function canReplaceItself() {
  return process.platform !== 'win32' && process.send === undefined;
}

/** A fresh clone has no packages yet. */
function explainMissing(error) {
  if (!error.message.startsWith('Cannot find package ')) throw error;
  console.error(
    'bot-relay is not installed completely: run "npm start" once, which installs what is missing.',
  );
  process.exit(1);
}
