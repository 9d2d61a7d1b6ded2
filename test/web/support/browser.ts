import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';

// For a closed network and for root in a container.
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Pages of one context share a process, and none is kept ready for the next page.
  '--renderer-process-limit=1',
];

let shared: Promise<Browser> | undefined;

/**
 * One browser for all test files that a worker runs: starting it takes more processor time than most
 * tests. It ends with the worker. If it has crashed, the next file gets a new one.
 */
export async function sharedBrowser(): Promise<Browser> {
  const running = await shared?.catch(() => undefined);
  if (!running?.isConnected()) shared = launchOutside(process.env['CHROMIUM_TMPDIR']);
  return shared as Promise<Browser>;
}

/** Its files are not in the temporary directory of the test file that happens to be the first. */
async function launchOutside(folder: string | undefined): Promise<Browser> {
  const own = process.env['TMPDIR'];
  if (folder !== undefined) process.env['TMPDIR'] = folder;
  try {
    return await launchBrowser();
  } finally {
    if (own === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = own;
  }
}

/** The Chromium of the lock file, or the one CHROMIUM_PATH names; never what happens to be installed. */
export function launchBrowser(): Promise<Browser> {
  const env = { ...process.env, TMPDIR: process.env['CHROMIUM_TMPDIR'] ?? os.tmpdir() };
  // A worker is ended by this signal, and Chromium ends with it, as their pipe is closed.
  const common = { args: flags, handleSIGTERM: false };
  const override = process.env['CHROMIUM_PATH'];
  if (override) return chromium.launch({ ...common, executablePath: override, env });
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('Set CHROMIUM_PATH to a Chromium: the packages bring one for Linux x64 only.');
  }
  const folder = unpackedFolder();
  if (!existsSync(folder)) {
    throw new Error('The browser is not unpacked. Run "node scripts/prepare.js test".');
  }
  return chromium.launch({
    ...common,
    executablePath: path.join(folder, 'chromium'),
    env: {
      ...env,
      LD_LIBRARY_PATH: path.join(folder, 'al2023', 'lib'),
      FONTCONFIG_PATH: path.join(folder, 'fonts'),
    },
  });
}

/** Where scripts/prepare.js unpacks it. */
function unpackedFolder(): string {
  const root = path.resolve(import.meta.dirname, '../../..');
  const require = createRequire(import.meta.url);
  const built = path.dirname(require.resolve('@sparticuz/chromium'));
  const { version } = require(path.join(built, '..', 'package.json')) as { version: string };
  return path.join(root, 'node_modules', '.cache', `chromium-${version}`);
}
