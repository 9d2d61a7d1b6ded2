#!/usr/bin/env node
// Plain JavaScript on purpose: it must run under whatever Node the machine has, and hands over to
// the pinned one (which runs TypeScript and has node:sqlite) when that one is too old.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const minimumMajor = 24;
const passOnMs = 100;
const pinned = fileURLToPath(
  new URL(
    process.platform === 'win32'
      ? '../node_modules/node/bin/node.exe'
      : '../node_modules/node/bin/node',
    import.meta.url,
  ),
);

if (Number(process.versions.node.split('.')[0]) >= minimumMajor) {
  // Halves the time to start from the second time on; where it cannot be written, it is left.
  module.enableCompileCache(fileURLToPath(new URL('../.cache/compile', import.meta.url)));
  const { runCommand } = await import('../src/cli.ts').catch(explainMissing);
  process.exitCode = await runCommand(process.argv.slice(2));
} else if (existsSync(pinned)) {
  const child = spawn(pinned, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
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
    `bot-relay needs Node ${minimumMajor} or newer and this is ${process.version}: run "npm start" once, which installs it beside the program.`,
  );
  process.exitCode = 1;
}

/** A fresh clone has no packages yet. */
function explainMissing(error) {
  if (!error.message.startsWith('Cannot find package ')) throw error;
  console.error(
    'bot-relay is not installed completely: run "npm start" once, which installs what is missing.',
  );
  process.exit(1);
}
