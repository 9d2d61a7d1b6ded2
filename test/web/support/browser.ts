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
];

/** The Chromium of the lock file, or the one CHROMIUM_PATH names; never what happens to be installed. */
export function launchBrowser(): Promise<Browser> {
  const env = { ...process.env, TMPDIR: process.env['CHROMIUM_TMPDIR'] ?? os.tmpdir() };
  const override = process.env['CHROMIUM_PATH'];
  if (override) return chromium.launch({ executablePath: override, args: flags, env });
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('Set CHROMIUM_PATH to a Chromium: the packages bring one for Linux x64 only.');
  }
  const folder = unpackedFolder();
  if (!existsSync(folder)) {
    throw new Error('The browser is not unpacked. Run "node scripts/prepare.js test".');
  }
  return chromium.launch({
    executablePath: path.join(folder, 'chromium'),
    args: flags,
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
