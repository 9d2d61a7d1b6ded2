import type { Browser, Locator, Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { commandName } from '../../src/command-name.ts';
import { axeProblems } from './support/axe.ts';
import { ask, askAll } from './support/elements.ts';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { openPage } from './support/visitor.ts';
import { prepareWebUi } from './support/web-ui.ts';

const longName = 'Keeper of the allotments';

describe('small screens', () => {
  let browser: Browser;
  let service: PageService;
  let page: Page;
  let desk: { id: number; platform_id: number };
  let keeper: { id: number; platform_id: number };
  let ann: { id: number };
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ browser, page, service } = await openWebUi({ width: 360 }));
    desk = await addPracticeBot(service, 'Front desk', { manage_enabled: true });
    keeper = await addPracticeBot(service, longName);
    ann = await service.post('/api/sandbox/users/create', { first_name: 'Ann' });
    await service.post('/api/routes/add', {
      source_bot_id: desk.id,
      target_bot_id: keeper.id,
      action: 'copy',
      condition_type: 'keyword',
      condition_value: 'roses',
      description: 'Whatever is about roses goes to the keeper of the allotments',
    });
    const target = { user: ann.id, chat: desk.platform_id };
    await service.post('/api/sandbox/say', { ...target, text: 'Hello' });
    await service.post('/api/sandbox/send-media', { ...target, kind: 'photo' });
    await vi.waitFor(async () => {
      const stored = await service.get<unknown[]>(
        `/api/messages?bot_id=${desk.id}&chat_id=${ann.id}`,
      );
      expect(stored).toHaveLength(2);
    });
  });
  beforeEach(() => page.setViewportSize({ width: 360, height: 740 }));

  const isTooWide = (one: Locator) =>
    ask(one, ({ clientWidth, scrollWidth }) => scrollWidth > clientWidth + 1);
  const edges = async (one: Locator) => {
    const box = await one.boundingBox();
    return { left: box?.x ?? -1, right: (box?.x ?? 0) + (box?.width ?? 1_000) };
  };

  it('shows routing decisions with long route names within the page', async () => {
    await page.goto(`${service.address}/routes`);
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    await page.getByText(/^Route “Whatever is about roses/).waitFor();
    expect(await isTooWide(page.locator('html'))).toBe(false);
  });

  it('draws who passes to whom from one side of the page to the other', async () => {
    await page.goto(`${service.address}/routes`);
    const drawing = page.getByLabel('Map of 1 route between');
    await drawing.getByText(longName).waitFor();
    for (const name of ['Front desk', longName, 'roses']) {
      const { left, right } = await edges(drawing.getByText(name));
      expect(left, name).toBeGreaterThanOrEqual(0);
      expect(right, name).toBeLessThanOrEqual(360);
    }
    await page.setViewportSize({ width: 1_280, height: 740 });
    await page.getByRole('img', { name: 'Map of 1 route between' }).waitFor();
  });

  it('shows a new key together with the button that copies it', async () => {
    await page.goto(`${service.address}/access`);
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('a script');
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog', { name: 'New key' });
    for (const name of ['Copy', 'Done']) {
      const button = dialog.getByRole('button', { name, exact: true });
      await button.waitFor();
      expect((await edges(button)).right, name).toBeLessThan(360);
    }
    await dialog.getByRole('button', { name: 'Done' }).click();
  });

  it('fits a whole day, and names beside their states', async () => {
    await page.goto(`${service.address}/statistics?bot=${desk.id}`);
    const hours = page.getByRole('region', { name: 'Busy hours' });
    await hours.waitFor();
    expect(await isTooWide(hours)).toBe(false);
    await page.goto(`${service.address}/bots`);
    const name = page.getByRole('link', { name: longName }).getByText(longName, { exact: true });
    await name.waitFor();
    expect(await isTooWide(name)).toBe(false);
  });

  it('draws the line under all tabs of a bot, and shows that more follow', async () => {
    await page.goto(`${service.address}/bots/${desk.id}?tab=log`);
    await page.getByRole('tab', { name: 'Update log', selected: true }).waitFor();
    const tabs = page.getByRole('tablist');
    const line = await ask(tabs, ({ scrollWidth }) => scrollWidth);
    expect((await tabs.boundingBox())?.width).toBe(line);
    expect(line).toBeGreaterThan(360);
    // Shades at the ends that give way where the strip ends.
    const shades = await page.evaluate(
      `getComputedStyle(document.querySelector('[role=tablist]').parentElement).backgroundAttachment`,
    );
    expect(shades).toBe('local, local, scroll, scroll');
    expect(await isTooWide(page.locator('html'))).toBe(false);
  });

  it('has buttons for fingers on a touch screen, and names no keys there', async () => {
    const touch = await browser.newContext({
      viewport: { width: 360, height: 740 },
      storageState: await page.context().storageState(),
      locale: 'en-US',
      hasTouch: true,
      isMobile: true,
    });
    const phone = await touch.newPage();
    await phone.goto(`${service.address}/chats/${desk.id}/${ann.id}`);
    const more = phone.getByRole('button', { name: 'More: Hello' });
    const box = await more.boundingBox();
    expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
    // The menu has it: two buttons of this size would leave little room for the words.
    expect(await phone.getByRole('button', { name: 'Reply: Hello' }).isVisible()).toBe(false);
    await more.tap();
    await phone.getByRole('menuitem', { name: 'Pin' }).waitFor();
    await phone.getByRole('menuitem', { name: 'Reply', exact: true }).tap();
    const cross = phone.getByRole('button', { name: 'Cancel' });
    const cancel = await cross.boundingBox();
    expect(Math.min(cancel?.width ?? 0, cancel?.height ?? 0)).toBeGreaterThanOrEqual(44);
    expect((await cross.locator('svg').boundingBox())?.width).toBe(20);
    await phone.getByRole('button', { name: 'Open menu' }).tap();
    const side = phone.getByRole('complementary', { name: 'Sidebar' });
    await side.getByRole('button', { name: 'Search' }).waitFor();
    expect(await phone.getByText('Ctrl K').isVisible()).toBe(false);
    await touch.close();
  });

  it('keeps badges in their column and buttons beside the title in Russian', async () => {
    const { context, page: russian } = await openPage(browser, { locale: 'ru-RU' });
    await context.addCookies(await page.context().cookies());
    await service.post('/api/auth/api-keys', { name: 'reader', scope: 'read' });
    await russian.goto(`${service.address}/access`);
    const starts: number[] = [];
    for (const name of ['first admin key', 'reader']) {
      starts.push((await edges(russian.getByText(name, { exact: true }))).left);
    }
    expect(starts[1]).toBe(starts[0]);
    await service.post('/api/sandbox/faults/add', { kind: 'slow', times: 1, delayMs: 1 });
    await russian.goto(`${service.address}/phones`);
    await russian.getByRole('button', { name: '1 активный сбой' }).waitFor();
    const take = russian.getByRole('button', { name: 'Добавить телефон' }).first();
    const top = (await take.boundingBox())?.y ?? 0;
    const lead = await russian.getByText(/^Телефоны тестовых пользователей/).boundingBox();
    expect(top).toBeLessThan((lead?.y ?? 0) + (lead?.height ?? 0));
    await service.post('/api/sandbox/faults/clear', {});
    await context.close();
  });

  it('cuts no filter, button, header or command', async () => {
    const { context, page: russian } = await openPage(browser, { locale: 'ru-RU', width: 390 });
    await context.addCookies(await page.context().cookies());
    await russian.goto(`${service.address}/routes`);
    const filter = russian.getByRole('combobox', { name: 'Решения маршрутизации' });
    await filter.waitFor();
    expect((await edges(filter)).right).toBeLessThan(390);
    await russian.goto(`${service.address}/bots/${desk.id}?tab=apps`);
    const button = russian.getByRole('button', { name: 'Разрешить' });
    await button.waitFor();
    const box = russian.locator('.mantine-Alert-root', { has: button });
    expect((await edges(button)).right).toBeLessThan((await edges(box)).right);
    await russian.goto(`${service.address}/chats/${desk.id}/${ann.id}`);
    const under = russian.locator('main header').getByText('личный чат');
    await under.waitFor();
    expect(await isTooWide(under)).toBe(false);
    expect(await ask(under, (one) => one.scrollHeight > one.clientHeight)).toBe(false);
    await russian.goto(`${service.address}/settings`);
    for (const command of [`${commandName} start --help`, `${commandName} doctor`]) {
      const line = russian.getByText(command, { exact: true });
      await line.waitFor();
      expect(await ask(line, (one) => one.clientHeight), command).toBeLessThan(30);
      expect((await edges(line)).right).toBeLessThan(390);
    }
    await context.close();
  });

  it('draws a bubble around its picture, no wider and no smaller', async () => {
    const looks: [width: number, search: string][] = [
      [360, ''],
      [1_280, ''],
      [1_280, `?about=${ann.id}`],
    ];
    for (const [width, search] of looks) {
      await page.setViewportSize({ width, height: 740 });
      await page.goto(`${service.address}/chats/${desk.id}/${ann.id}${search}`);
      const picture = page.getByRole('log').getByRole('img');
      await vi.waitFor(async () =>
        expect(await ask(picture, ({ naturalWidth }) => naturalWidth)).toBeGreaterThan(0),
      );
      const [bubble, inside] = await Promise.all([
        edges(page.locator('[class*=bubble]', { has: page.getByRole('img') }).last()),
        edges(picture),
      ]);
      expect(inside.right, `at ${width}${search}`).toBeLessThan(bubble.right);
      expect(bubble.right - inside.right, `at ${width}${search}`).toBeLessThan(20);
    }
  });

  it('puts the secret of a backend and what it is about over the whole width', async () => {
    await service.post('/api/bots/update', {
      id: desk.id,
      backend_url: 'http://127.0.0.1:9/updates',
      proxy_enabled: true,
    });
    await page.goto(`${service.address}/bots/${desk.id}`);
    const address = await edges(page.getByRole('textbox', { name: 'Backend URL' }));
    const hint = await edges(page.getByText(/^Sent as X-Telegram-Bot-Api-Secret-Token/));
    expect(hint.right - hint.left).toBeCloseTo(address.right - address.left, 0);
  });

  it('keeps its name on one line while the service is away, and says what did not load', async () => {
    const visitor = await openPage(browser, { width: 360 });
    await visitor.context.addCookies(await page.context().cookies());
    const away = visitor.page;
    await away.goto(`${service.address}/bots`);
    await away.getByRole('banner').getByText('Live', { exact: true }).waitFor();
    await away.route(/\/api\/events/, (route) => route.abort());
    await away.route(/\/assets\/audit-page/, (route) => route.abort());
    await away.reload();
    await away
      .getByRole('banner')
      .getByText(/^Offline/)
      .waitFor();
    const brand = await away.getByRole('banner').getByText('Bot Relay').boundingBox();
    expect(brand?.height).toBeLessThan(40);
    await away.getByRole('button', { name: 'Open menu' }).click();
    await away.getByRole('link', { name: 'Audit log' }).click();
    await away.getByText('Part of the page did not load').waitFor();
    expect(await away.getByText('Something went wrong').count()).toBe(0);
    await visitor.context.close();
  });

  it('begins to add a bot at its token, and tells readably what is wrong with one', async () => {
    await page.goto(`${service.address}/bots?add=true`);
    const token = page.getByRole('textbox', { name: 'Token' });
    await token.and(page.locator(':focus')).waitFor();
    await token.fill('123:abc');
    await page.getByText(/^Invalid token/).waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
      const found = await axeProblems(page, { within: '[role=dialog]', rules: ['color-contrast'] });
      expect(found).toEqual([]);
    }
    await page.emulateMedia({ colorScheme: 'light' });
  });

  it("offers to start only the user's own bots", async () => {
    await service.post(`/api/bots/toggle-disabled?id=${keeper.id}`);
    const account = { username: 'helper', password: 'helper of the desk' };
    await service.post('/api/auth/users/create', { ...account, role: 'user', bot_ids: [desk.id] });
    const helper = await openPage(browser);
    await helper.page.goto(`${service.address}/sign-in`);
    await helper.page.getByLabel('Username').fill(account.username);
    await helper.page.getByLabel('Password', { exact: true }).fill(account.password);
    await helper.page.getByRole('button', { name: 'Sign in' }).click();
    const found = helper.page.locator('[data-kind=route_to_disabled]');
    await found.getByRole('link', { name: /^View/ }).waitFor();
    expect(await found.getByRole('button').count()).toBe(0);
    const words = await askAll(found, (rows) => rows.map(({ textContent }) => textContent));
    expect(words.join()).not.toContain(longName);
    await helper.context.close();
  });
});
