import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { holdRequests } from './support/hold.ts';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { openPage, signIn } from './support/visitor.ts';
import { prepareWebUi } from './support/web-ui.ts';

const password = 'battery staple';

describe('a page that stays open', () => {
  let browser: Browser;
  let service: PageService;
  let page: Page;
  let bots: { id: number; platform_id: number }[];
  let carl: { id: number };
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ browser, page, service } = await openWebUi());
    bots = [await addPracticeBot(service, 'Keeper'), await addPracticeBot(service, 'Parcels')];
    carl = await service.post('/api/auth/users/create', {
      username: 'carl',
      password,
      role: 'user',
      bot_ids: bots.map(({ id }) => id),
    });
  });

  const row = (name: string) => page.getByRole('link').filter({ hasText: name });

  it('shows nothing of somebody else once another person is signed in', async () => {
    await page.goto(`${service.address}/access`);
    await page.getByRole('button', { name: 'Actions: carl' }).waitFor();
    await page.getByRole('link', { name: 'Bots', exact: true }).click();
    await row('Parcels').waitFor();
    // What is asked for from now on goes out later: a list that is read again by itself has no Parcels.
    const requests = await holdRequests(page, /\/api\//);
    await row('Parcels').click();
    await page.waitForURL(`${service.address}/bots/${bots[1]?.id}`);
    const other = await page.context().newPage();
    await other.goto(`${service.address}/sign-in`);
    await other.getByLabel('Username').fill('carl');
    await other.getByLabel('Password', { exact: true }).fill(password);
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.waitForURL(({ pathname }) => pathname === '/');
    await service.post('/api/auth/users/update', { id: carl.id, bot_ids: [bots[0]?.id] });
    // The first rejected request shows that another user is signed in.
    requests.letThrough();
    await page.getByText('carl', { exact: true }).waitFor();
    await page.getByText('Bot not found').waitFor();
    await page.getByRole('link', { name: 'Bots', exact: true }).click();
    await row('Keeper').waitFor();
    expect(await row('Parcels').count()).toBe(0);
    await other.close();
  });

  it('tells the day of what is no longer of today', async () => {
    const desk = await addPracticeBot(service, 'Desk', { manage_enabled: true });
    const dana = await service.post<{ id: number }>('/api/sandbox/users/create', {
      first_name: 'Dana',
    });
    await service.post('/api/auth/users/create', {
      username: 'dora',
      password,
      role: 'user',
      bot_ids: [desk.id],
    });
    await service.post('/api/sandbox/say', { user: dana.id, chat: desk.platform_id, text: 'Hi' });
    const messages = `/api/messages?bot_id=${desk.id}&chat_id=${dana.id}`;
    const date = await vi.waitFor(async () => {
      const [said] = await service.get<{ date: number }[]>(messages);
      if (!said) throw new Error('It is not stored yet.');
      return said.date;
    });
    const { context, page: long } = await openPage(browser);
    // Also when midnight comes right after the message.
    await long.clock.setFixedTime(date * 1_000);
    await signIn(context, service, { username: 'dora', password });
    await long.goto(`${service.address}/chats`);
    const chat = long.getByRole('link').filter({ hasText: 'Dana' });
    await chat.getByText(/^\d\d?:\d\d/).waitFor();
    await long.clock.setFixedTime((date + 48 * 3_600) * 1_000);
    await chat.getByText(/^[A-Z][a-z]+ \d+$/).waitFor();
    expect(await chat.getByText(/^\d\d?:\d\d/).count()).toBe(0);
    await context.close();
  });

  it('shows no bot any more that one may not see by now', async () => {
    const emma = await service.post<{ id: number }>('/api/auth/users/create', {
      username: 'emma',
      password,
      role: 'user',
      bot_ids: [bots[0]?.id],
    });
    const { context, page: own } = await openPage(browser);
    await signIn(context, service, { username: 'emma', password });
    await own.goto(`${service.address}/bots/${bots[0]?.id}`);
    await own.getByRole('heading', { name: 'Keeper' }).waitFor();
    // The page may notice the change by itself, so the button is pressed before it.
    const requests = await holdRequests(own, /\/api\/bots\/toggle-disabled/);
    await own.getByRole('button', { name: 'Disable' }).click();
    await service.post('/api/auth/users/update', { id: emma.id, bot_ids: [bots[1]?.id] });
    requests.letThrough();
    await own.getByText('Bot not found').waitFor();
    expect(await own.getByRole('heading', { name: 'Keeper' }).count()).toBe(0);
    await context.close();
  });
});
