import { existsSync } from 'node:fs';
import sparticuz from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';

const systemBrowsers = [
  process.env['CHROMIUM_PATH'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

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

/** A real Chromium: the system's, or the one that comes with the packages. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath =
    systemBrowsers.find((path) => path !== '' && existsSync(path)) ??
    (await sparticuz.executablePath());
  try {
    return await chromium.launch({ executablePath, args: flags });
  } catch (error) {
    throw new Error(
      `No Chromium could be started (tried ${executablePath}): install one or set CHROMIUM_PATH.`,
      { cause: error },
    );
  }
}
