import type { Browser, Locator } from 'playwright-core';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { complaintsOfAxe, gone, makeWorld, pages, show } from './support/every-page.ts';
import type { PageService } from './support/page-service.ts';
import { goInside } from './support/visit.ts';
import { addFirstAccount, openPage } from './support/visitor.ts';
import { prepareWebUi, type WebUi } from './support/web-ui.ts';

function focused(one: Locator): Promise<void> {
  return one.and(one.page().locator(':focus')).waitFor();
}

describe('every page', () => {
  let browser: Browser;
  let service: PageService;
  let ui: WebUi;
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ui = await openWebUi({ isSignedIn: false });
    ({ browser, service } = ui);
    await makeWorld(service);
    await addFirstAccount(ui.context, service);
    await ui.page.goto(service.address);
  });

  interface Opened {
    path: string;
    /** Of JavaScript, compressed, until nothing loads any longer. */
    bytes: number;
    complaints: string[];
  }
  let opened: Promise<Opened[]> | undefined;
  /** Every page at its address, with nothing in a cache; opened for the first test that asks. */
  const openEach = () => (opened ??= openEachPage());
  async function openEachPage(): Promise<Opened[]> {
    const page = await ui.context.newPage();
    const network = await ui.context.newCDPSession(page);
    await network.send('Network.enable');
    await network.send('Network.setCacheDisabled', { cacheDisabled: true });
    const sizes: Promise<number>[] = [];
    page.on('requestfinished', (request) => {
      if (request.resourceType() !== 'script') return;
      sizes.push(request.sizes().then((size) => size.responseBodySize));
    });
    const seen: Opened[] = [];
    for (const { heading, path } of pages) {
      sizes.length = 0;
      await page.goto(`${service.address}${path}`);
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      await gone(page.locator('[aria-busy=true]'));
      const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
      seen.push({ path, bytes, complaints: await complaintsOfAxe(page, path) });
    }
    await page.close();
    return seen;
  }

  it('opens at its address and reads well to a screen reader', async () => {
    expect((await openEach()).flatMap(({ complaints }) => complaints)).toEqual([]);
  });

  it('reads well with a person beside the chat, and before anyone is signed in', async () => {
    const { page } = ui;
    await show(page, '/chats/1/980000000001', 'Chats');
    await page.getByRole('button', { name: 'About this person' }).click();
    // Away from the button, whose tooltip would be caught half faded in.
    await page.mouse.move(640, 400);
    await page.getByRole('heading', { name: 'Notes' }).waitFor();
    await gone(page.getByRole('tooltip'));
    const found = await complaintsOfAxe(page, 'person');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
    found.push(...(await complaintsOfAxe(page, 'person in the dark', ['color-contrast'])));
    await page.emulateMedia({ colorScheme: 'light' });
    const stranger = await openPage(browser);
    for (const path of ['/sign-in', '/setup#token=used']) {
      await stranger.page.goto(`${service.address}${path}`);
      await stranger.page.getByRole('heading', { level: 1 }).waitFor();
      await gone(stranger.page.locator('[aria-busy=true]'));
      found.push(...(await complaintsOfAxe(stranger.page, path)));
    }
    await stranger.context.close();
    expect(found).toEqual([]);
  });

  it('fits a phone of 360 pixels', async () => {
    const { page } = ui;
    await page.setViewportSize({ width: 360, height: 740 });
    const tooWide: string[] = [];
    for (const { heading, path, tab } of pages) {
      await goInside(page, path);
      // On a narrow screen an open chat replaces the list and its heading.
      if (!path.startsWith('/chats/')) {
        await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      } else await page.getByRole('log').waitFor();
      if (tab) await page.getByRole('tab', { name: tab, selected: true }).waitFor();
      await gone(page.locator('[aria-busy=true]'));
      const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
      if (wide) tooWide.push(path);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(tooWide).toEqual([]);
  });

  it('lets chats change places at once where no motion is wanted', async () => {
    const { page } = ui;
    await show(page, '/chats/1/980000000001', 'Chats');
    await page.locator('a[href="/chats/1/980000000001"]').waitFor();
    const moved = await page.evaluate(`(() => {
      const row = document.querySelector('a[href="/chats/1/980000000001"]').closest('li');
      row.style.top = '0px';
      const { top } = row.getBoundingClientRect();
      row.style.top = '50px';
      return row.getBoundingClientRect().top - top;
    })()`);
    expect(moved).toBe(50);
  });

  it('asks for what it shows first before its code is there, and once', async () => {
    const page = await ui.context.newPage();
    const sessions: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/auth/session')) sessions.push(request.url());
    });
    const first = ['auth/session', 'bots', 'attention', 'live-metrics'];
    const asked = Promise.all(
      first.map((path) => page.waitForRequest(`${service.address}/api/${path}`)),
    );
    await page.route(/assets\/index-.*\.js$/, async (route) => {
      await asked;
      await route.continue();
    });
    await page.goto(`${service.address}/`);
    await page.locator('main canvas').first().waitFor();
    expect(sessions).toHaveLength(1);
    await page.close();
  });

  it('asks for nothing twice, however late the first answer is read', async () => {
    const page = await ui.context.newPage();
    // Only first.js reads a response as JSON.
    await page.addInitScript(`
      const { json } = Response.prototype;
      const read = Promise.withResolvers();
      globalThis.readNow = read.resolve;
      Response.prototype.json = async function () {
        await read.promise;
        return json.call(this);
      };
    `);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    // Once the stream opens, what is shown is read again.
    await page.route('**/api/events?*', () => undefined);
    await page.goto(`${service.address}/`);
    await page.getByRole('link', { name: 'Overview', exact: true }).waitFor();
    await page.evaluate('readNow()');
    await page.locator('main canvas').first().waitFor();
    for (const path of ['bots', 'attention', 'live-metrics']) {
      expect(
        asked.filter((one) => one === `/api/${path}`),
        path,
      ).toHaveLength(1);
    }
    await page.close();
  });

  it('speaks Russian as well', async () => {
    const { page } = ui;
    await page.goto(`${service.address}/access`);
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Русский' }).click();
    await page.getByRole('heading', { name: 'Пользователи и ключи' }).waitFor();
    await vi.waitFor(async () =>
      expect(await page.evaluate('document.documentElement.lang')).toBe('ru'),
    );
    await page.getByRole('button', { name: 'Ваша учётная запись' }).click();
    await page.getByRole('menuitem', { name: 'English' }).click();
    await page.getByRole('heading', { name: 'Users and keys' }).waitFor();
  });

  it('is reached from the keyboard', async () => {
    const { page } = ui;
    await show(page, '/routes', 'Routes');
    // Together, as the second counts only soon after the first.
    await Promise.all([page.keyboard.press('g'), page.keyboard.press('k')]);
    await page.getByRole('heading', { name: 'Users and keys' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/access');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Command palette' }).fill('front');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Front desk', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/bots/1');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Command palette' }).fill('refund');
    await page.getByRole('option', { name: 'Front desk → Till' }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('li[data-asked]').filter({ hasText: 'with the word “refund”' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/routes');
    await show(page, '/bots/1', 'Front desk');
    // After a dialog closes, the focus returns.
    await page.getByRole('tab', { name: 'Deliveries' }).focus();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await focused(page.getByRole('tab', { name: 'Deliveries' }));
    await show(page, '/access', 'Users and keys');
    const more = page.getByRole('button', { name: /^Actions: / }).first();
    await more.focus();
    await page.keyboard.press('Enter');
    // An opened menu takes the focus.
    await page.getByRole('menu').locator(':focus').waitFor({ state: 'attached' });
    await page.getByRole('menuitem', { name: 'Delete' }).focus();
    await page.keyboard.press('Enter');
    const asked = page.getByRole('dialog');
    await focused(asked.getByRole('button', { name: 'Cancel' }));
    await page.keyboard.press('Enter');
    await focused(more);
    await gone(page.getByRole('dialog'));
    expect(await page.evaluate('document.activeElement.ariaLabel')).toMatch(/^Actions: /);
  });

  it('loads at most 260 KB of JavaScript at first', async () => {
    const sizes = (await openEach()).map(({ path, bytes }): [string, number] => [path, bytes]);
    const words = sizes
      .toSorted((left, right) => right[1] - left[1])
      .map(([path, bytes]) => `${path} ${(bytes / 1_000).toFixed(0)} KB`);
    process.stdout.write(`first load of JavaScript, gzipped: ${words.join(', ')}\n`);
    expect(Math.min(...sizes.map(([, bytes]) => bytes))).toBeGreaterThan(50_000);
    expect(sizes.filter(([, bytes]) => bytes > 260_000)).toEqual([]);
  });
});
