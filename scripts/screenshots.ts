/*
 * Draws docs/screenshots: starts the demo on a free port, walks through the pages in a real
 * Chromium, light and dark, and writes what a person would see.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { startDemo } from '../src/demo/demo.ts';
import type { DemoSetup } from '../src/demo/setup.ts';
import { launchBrowser } from '../test/web/support/browser.ts';

type Browser = Awaited<ReturnType<typeof launchBrowser>>;
type Page = Awaited<ReturnType<Browser['newPage']>>;

const folder = path.resolve(import.meta.dirname, '../docs/screenshots');
const size = { width: 1280, height: 800 };
const narrowed = new Set(['overview', 'chats', 'statistics']);
const narrow = { width: 360, height: 740 };

interface Shot {
  name: string;
  path: string;
  /** Resolves when the page shows what the picture needs. */
  ready: (page: Page) => Promise<unknown>;
}

const demo = await startDemo({ settings: { port: 0, logLevel: 'silent' }, seed: 7 });
const browser = await launchBrowser();
try {
  const stage = await demo.filled;
  const { front, tech } = stage.bots;
  await connectApps(stage);
  const heading = (name: string) => (page: Page) =>
    page.getByRole('heading', { name, level: 1 }).waitFor();
  const openGroup = async (page: Page) => {
    await page.getByRole('link', { name: /Harbour Street/ }).click();
    await page.getByRole('log').waitFor();
    // Wait for somebody whose name every machine has fonts for.
    const speakers = page.getByRole('log').locator('[class*=speaker]');
    await speakers
      .filter({ hasText: /^[A-Z]/ })
      .last()
      .click();
    await page.getByRole('heading', { name: 'Notes' }).waitFor();
    await page.mouse.move(640, 2);
  };
  const shots: Shot[] = [
    { name: 'bots', path: '/bots', ready: heading('Bots') },
    { name: 'bot', path: `/bots/${front.id}?tab=deliveries`, ready: heading('Reception') },
    { name: 'apps', path: `/bots/${tech.id}?tab=apps`, ready: heading('Tech support') },
    { name: 'chats', path: '/chats', ready: openGroup },
    { name: 'routes', path: '/routes', ready: heading('Routes') },
    { name: 'statistics', path: '/statistics', ready: heading('Statistics') },
    { name: 'audit', path: '/audit', ready: heading('Audit log') },
    { name: 'sandbox', path: '/phones', ready: takePhones },
    { name: 'access', path: '/access', ready: heading('Users and keys') },
    { name: 'settings', path: '/settings', ready: heading('Settings and health') },
    // The overview comes last, so that its curves show something.
    { name: 'overview', path: '/', ready: heading('Overview') },
  ];
  mkdirSync(folder, { recursive: true });
  for (const old of readdirSync(folder)) rmSync(path.join(folder, old));
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ viewport: size, colorScheme, locale: 'en-US' });
    const page = await context.newPage();
    await signIn(page, demo.service.address, demo.signIn);
    for (const shot of shots) {
      await page.goto(`${demo.service.address}${shot.path}`);
      await shot.ready(page);
      await settle(page);
      await page.screenshot({ path: path.join(folder, `${shot.name}-${colorScheme}.png`) });
    }
    if (colorScheme === 'light') {
      await page.setViewportSize(narrow);
      for (const shot of shots.filter(({ name }) => narrowed.has(name))) {
        await page.goto(`${demo.service.address}${shot.path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await settle(page);
        await page.screenshot({ path: path.join(folder, `${shot.name}-narrow.png`) });
      }
    }
    await context.close();
  }
} finally {
  await browser.close();
  await demo.close();
}

/** Adds apps in addition to the one that the demo polls with. */
async function connectApps({ address, api, bots }: DemoSetup): Promise<void> {
  for (const app of [
    { name: 'n8n-invoices', filter: { commands: ['/invoice'] }, exclusive: true },
    { name: 'weekly-report', filter: { kinds: ['message'] } },
  ]) {
    const { token } = await api.post('/api/bots/apps/add', {
      body: { bot_id: bots.tech.id, ...app },
    });
    await fetch(`${address}/bot${token}/getUpdates`);
  }
}

async function signIn(
  page: Page,
  address: string,
  { password, username }: { username: string; password: string },
): Promise<void> {
  await page.goto(`${address}/sign-in`);
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation').waitFor();
}

/** Opens two phones side by side, each with a chat. */
async function takePhones(page: Page): Promise<void> {
  const phones = page.getByRole('region', { name: /^Phone of/ });
  await page.getByRole('heading', { name: 'Sandbox', level: 1 }).waitFor();
  for (const index of [0, 1]) {
    await page.getByRole('button', { name: 'Add phone' }).first().click();
    await page.getByRole('menuitem').nth(index).click();
    const phone = phones.nth(index);
    await phone.getByRole('button', { name: index === 0 ? /Harbour Street/ : /Reception/ }).click();
    await phone.getByRole('log').waitFor();
    await phone.getByRole('button', { name: 'Send photo' }).click();
    await phone.getByRole('img', { name: 'Photo' }).first().waitFor();
  }
  await page.mouse.move(640, 2);
}

/** Waits until nothing loads or moves; live pages never rest completely, so the wait is short. */
async function settle(page: Page): Promise<void> {
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  await page.evaluate('document.fonts.ready');
  await page.waitForTimeout(700);
}
