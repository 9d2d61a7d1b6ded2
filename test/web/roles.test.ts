import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { openPage, signIn, type Visitor } from './support/visitor.ts';
import { prepareWebUi } from './support/web-ui.ts';

const password = 'battery staple';

describe('the page of each role', () => {
  let browser: Browser;
  let service: PageService;
  let admin: Page;
  let bot: { id: number; platform_id: number };
  let ann: { id: number };
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ browser, page: admin, service } = await openWebUi());
    bot = await addPracticeBot(service, 'Keeper', { manage_enabled: true });
    await addPracticeBot(service, 'Parcels', { manage_enabled: true });
    ann = await service.post('/api/sandbox/users/create', { first_name: 'Ann' });
    await service.post('/api/sandbox/say', {
      user: ann.id,
      chat: bot.platform_id,
      text: 'Where is it?',
    });
    await vi.waitFor(() => service.get(`/api/chats/get?bot_id=${bot.id}&chat_id=${ann.id}`));
  });

  /** Adds a user and opens a page; requests that are refused are among the complaints. */
  async function newUser(role: string): Promise<Visitor & { id: number; username: string }> {
    const user = { username: `a-${role}`, password };
    const { id } = await service.post<{ id: number }>('/api/auth/users/create', {
      ...user,
      role,
      bot_ids: [bot.id],
    });
    return { ...(await openPage(browser)), id, username: user.username };
  }
  const isLive = (page: Page) =>
    page.getByRole('status').getByText('Live', { exact: true }).first().waitFor();
  async function visit(role: string): Promise<Visitor & { id: number }> {
    const visitor = await newUser(role);
    await signIn(visitor.context, service, { username: visitor.username, password });
    await visitor.page.goto(service.address);
    await isLive(visitor.page);
    return visitor;
  }

  const pagesOf = (page: Page) => page.getByRole('navigation').getByRole('link').allTextContents();
  const textBox = (page: Page) => page.getByRole('textbox', { name: 'Write as the bot' });

  it('is for an agent the chats, without a request that is refused', async () => {
    const { complaints, context, page, username } = await newUser('agent');
    await page.goto(`${service.address}/sign-in`);
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password', { exact: true }).fill(password);
    // Signed out, the session is asked for and refused.
    complaints.length = 0;
    await page.getByRole('button', { name: 'Sign in' }).click();
    await isLive(page);
    await page.waitForURL(({ pathname }) => pathname === '/chats');
    expect(await pagesOf(page)).toEqual(['Chats', 'Settings and health']);
    await page.getByRole('link', { name: /Ann/ }).click();
    await textBox(page).fill('It left today');
    await page.keyboard.press('Enter');
    const answer = page.locator('[data-message]').filter({ hasText: 'It left today' });
    await answer.getByTitle(/^Sent by a-agent/).waitFor();
    await page.getByTitle('State and assignee').click();
    await page.getByRole('menuitem', { name: 'Mark as done' }).click();
    await page.getByTitle('State and assignee').filter({ hasText: 'Done' }).waitFor();
    // Nothing that is not for agents is offered.
    await page.getByRole('button', { name: 'Export and statistics' }).click();
    await page.getByRole('menuitem', { name: 'Export as CSV' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Statistics' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Chats' }).waitFor();
    expect(await page.getByRole('option', { name: /Keeper|Add|New|Alerts/ }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Settings and health' }).click();
    await page.getByRole('heading', { name: 'Settings and health', level: 1 }).waitFor();
    await page.goto(`${service.address}/bots/${bot.id}`);
    await page.getByText('No access to this page').waitFor();
    await page.goto(service.address);
    await page.waitForURL(({ pathname }) => pathname === '/chats');
    await page.getByRole('link', { name: /Ann/ }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('shows a viewer everything and offers no change', async () => {
    const { complaints, context, page } = await visit('viewer');
    expect(await pagesOf(page)).toEqual([
      'Overview',
      'Alerts',
      'Chats',
      'Statistics',
      'Bots',
      'Routes',
      'Desks',
      'Broadcasts',
      'Settings and health',
    ]);
    await page.getByRole('link', { name: 'Chats', exact: true }).click();
    await page.getByRole('link', { name: /Ann/ }).click();
    await page.getByText('Your account can read this chat but not send.').waitFor();
    expect(await page.getByTitle('State and assignee').count()).toBe(0);
    await page.goto(`${service.address}/bots/${bot.id}?tab=settings`);
    const switches = page.getByRole('switch');
    await switches.first().waitFor();
    for (const one of await switches.all()) expect(await one.isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: /Disable|Delete|Save/ }).count()).toBe(0);
    for (const name of ['Routes', 'Desks', 'Broadcasts', 'Alerts', 'Statistics']) {
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      expect(await page.getByRole('button', { name: /^(Add|New)/ }).count(), name).toBe(0);
    }
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('follows a role that changes while it is open', async () => {
    const { context, id, page } = await visit('manager');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await service.post('/api/auth/users/update', { id, role: 'agent' });
    await page.getByText('No access to this page').waitFor();
    await vi.waitFor(async () =>
      expect(await pagesOf(page)).toEqual(['Chats', 'Settings and health']),
    );
    await page.getByRole('main').getByRole('link').click();
    await page.waitForURL(({ pathname }) => pathname === '/chats');
    await page.getByRole('link', { name: /Ann/ }).waitFor();
    await context.close();
  });

  it('is set on Users and keys, which name the bots', async () => {
    await service.post('/api/auth/api-keys', { name: 'shop', scope: 'send', bot_ids: [bot.id] });
    await service.post('/api/auth/users/create', { username: 'old', password, bot_ids: [bot.id] });
    await admin.goto(`${service.address}/access`);
    const row = (name: string) => admin.getByRole('listitem').filter({ hasText: name });
    await row('shop').getByText('Keeper').waitFor();
    await row('old').getByText('Manager · Keeper').waitFor();
    await admin.getByRole('button', { name: 'New user' }).click();
    const dialog = admin.getByRole('dialog');
    await dialog.getByLabel('Username').fill('nina');
    await dialog.getByLabel('Password', { exact: true }).fill(password);
    await dialog.getByLabel('Viewer').check();
    await dialog.getByLabel('Telegram user ID').fill('777');
    await dialog.getByRole('button', { name: 'Add user' }).click();
    await row('nina').getByText('Viewer · no bots').waitFor();

    const change = async (name: string) => {
      await admin.getByRole('button', { name: `Actions: ${name}` }).click();
      await admin.getByRole('menuitem', { name: 'Role and bots' }).click();
    };
    const users = () =>
      service.get<{ username: string; role: string; telegram_user_id: number }[]>(
        '/api/auth/users',
      );
    const stored = async (name: string) =>
      (await users()).find(({ username }) => username === name);
    await change('old');
    // Another user has this Telegram account.
    await dialog.getByLabel('Telegram user ID').fill('777');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(/nina/).waitFor();
    await dialog.getByLabel('Telegram user ID').fill('778');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await stored('old')).toMatchObject({ role: 'user', telegram_user_id: 778 });
    await change('old');
    await dialog.getByLabel('Agent').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row('old').getByText('Agent · Keeper').waitFor();
    await admin.getByRole('button', { name: 'Undo' }).last().click();
    await row('old').getByText('Manager · Keeper').waitFor();
    expect(await stored('old')).toMatchObject({ role: 'user', bot_ids: [bot.id] });
  });
});
