import type { Browser, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { hold, holdRequests } from './support/hold.ts';
import { keepNotices } from './support/keep-notices.ts';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { openPage, signIn } from './support/visitor.ts';
import { prepareWebUi } from './support/web-ui.ts';

const wrong = 'Internal error.';

describe('failed requests', () => {
  let browser: Browser;
  let service: PageService;
  let page: Page;
  let crashes: string[];
  let bot: { id: number; platform_id: number };
  let boris: { id: number };
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ browser, page, service } = await openWebUi());
    await keepNotices(page);
    crashes = [];
    page.on('pageerror', (error) => crashes.push(error.message));
    bot = await addPracticeBot(service, 'Keeper', { manage_enabled: true });
    await addPracticeBot(service, 'Porter');
    boris = await service.post('/api/sandbox/users/create', { first_name: 'Boris' });
    const hello = { user: boris.id, chat: bot.platform_id, text: 'Lovely weather' };
    await service.post('/api/sandbox/say', hello);
    const query = `bot_id=${bot.id}&chat_id=${boris.id}`;
    await vi.waitFor(async () =>
      expect(await service.get(`/api/messages?${query}`)).toHaveLength(1),
    );
  });
  afterEach(() => page.unrouteAll({ behavior: 'ignoreErrors' }));

  /** Once it hears of changes, the page reads everything again: then nobody would have to ask for it. */
  const hearNothing = () => holdRequests(page, /\/api\/events\?/);
  async function fail(address: RegExp): Promise<() => Promise<void>> {
    await hearNothing();
    await page.route(address, (route) =>
      route.fulfill({ status: 500, json: { error: 'Broken.', code: 'internal' } }),
    );
    return () => page.unroute(address);
  }

  it('says that the tags of a person could not be read, and reads them again', async () => {
    const mend = await fail(/\/api\/tags\?/);
    await page.goto(`${service.address}/chats/${bot.id}/${boris.id}?about=${boris.id}`);
    const panel = page.getByRole('complementary', { name: 'About Boris' });
    await panel.getByText(wrong).waitFor();
    await mend();
    await panel.getByRole('button', { name: 'Try again' }).click();
    await panel.getByText('No tags').waitFor();
    expect(await panel.getByText(wrong).count()).toBe(0);
  });

  it('says that messages could not be searched', async () => {
    const mend = await fail(/\/api\/messages\/search\?/);
    await page.goto(`${service.address}/chats`);
    await page.getByLabel('Search chats and messages').fill('weather');
    const hits = page.getByRole('region', { name: 'In messages' });
    await hits.getByText(wrong).waitFor();
    await mend();
    await hits.getByRole('button', { name: 'Try again' }).click();
    await hits.getByRole('link', { name: /Lovely/ }).waitFor();
    // Of all bots at once.
    await vi.waitFor(async () => expect(await hits.getByText(wrong).count()).toBe(0));
  });

  it('says that somebody could not be shown', async () => {
    await fail(/\/api\/users\/profile\?/);
    await page.goto(`${service.address}/bots`);
    await page.getByRole('link').filter({ hasText: 'Keeper' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('Boris');
    const person = page.getByRole('group', { name: 'People' }).getByRole('option');
    await person.filter({ hasText: 'Boris' }).click();
    await page.getByRole('status').getByText(wrong).waitFor();
    expect(crashes).toEqual([]);
  });

  it('keeps what was written while the settings of the model were being saved', async () => {
    await hearNothing();
    await page.goto(`${service.address}/routes`);
    await page.getByRole('button', { name: 'Edit: Language model' }).click();
    const name = page.getByLabel('Model', { exact: true });
    const prompt = page.getByLabel('Prompt');
    await name.fill('small');
    const saved = await hold(page, /\/api\/llm-config$/, 1, 'POST');
    await name.press('Enter');
    await saved.isHeld;
    await prompt.fill('Choose well.');
    saved.release();
    await page.getByText('Model settings saved').waitFor();
    expect(await prompt.inputValue()).toBe('Choose well.');
    expect(await name.inputValue()).toBe('small');
    await page.getByRole('button', { name: 'Save' }).click();
    await vi.waitFor(async () =>
      expect(await service.get('/api/llm-config')).toMatchObject({
        model: 'small',
        system_prompt: 'Choose well.',
      }),
    );
  });

  it('keeps the saved settings of the model when an older answer comes later', async () => {
    const stream = await hearNothing();
    await page.goto(`${service.address}/routes`);
    await page.getByRole('button', { name: 'Edit: Language model' }).click();
    const name = page.getByLabel('Model', { exact: true });
    await name.waitFor();
    const read = await hold(page, /\/api\/llm-config$/, 1, 'GET');
    stream.letThrough();
    await read.isHeld;
    await name.fill('large');
    await name.press('Enter');
    await page.getByText('Model settings saved').waitFor();
    const answer = page.waitForResponse(/\/api\/llm-config$/);
    read.release();
    await (await answer).finished();
    // The page has drawn it.
    await page.evaluate('new Promise((resolve) => requestIdleCallback(resolve))');
    expect(await name.inputValue()).toBe('large');
  });

  it('finds a first message that arrived before the stream opened', async () => {
    const stream = await hearNothing();
    const text = 'Too early to be heard';
    await page.goto(`${service.address}/welcome`);
    await page.getByRole('button', { name: 'Create practice bot' }).click();
    await page.getByLabel('Send a message').fill(text);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const newest = (await service.get<{ id: number }[]>('/api/bots')).at(-1);
    await vi.waitFor(async () =>
      expect(JSON.stringify(await service.get(`/api/chats?bot_id=${newest?.id}`))).toContain(text),
    );
    expect(await page.getByText('It arrived').count()).toBe(0);
    stream.letThrough();
    await page.getByText('It arrived').waitFor();
  });

  it('stays inside where signing out did not reach the service', async () => {
    const carl = { username: 'carl', password: 'battery staple' };
    await service.post('/api/auth/users/create', { ...carl, role: 'admin', bot_ids: [] });
    const { context, page: own } = await openPage(browser);
    await keepNotices(own);
    await signIn(context, service, carl);
    await own.goto(`${service.address}/bots`);
    const heading = own.getByRole('heading', { name: 'Bots', level: 1 });
    const signOut = async () => {
      await heading.waitFor();
      await own.keyboard.press('Control+k');
      await own.getByRole('combobox').fill('Sign out');
      await own.keyboard.press('Enter');
    };
    await own.route(/\/api\/auth\/sign-out$/, (route) => route.abort());
    await signOut();
    await own.getByRole('status').getByText('The service is unreachable').waitFor();
    await own.waitForURL(({ pathname }) => pathname === '/bots');
    await own.unrouteAll();
    const isOut = own.waitForEvent('requestfinished', (request) =>
      request.url().endsWith('/api/auth/sign-out'),
    );
    await signOut();
    await isOut;
    await own.waitForURL(({ pathname }) => pathname === '/sign-in');
    await own.goBack();
    await own.waitForURL(({ pathname }) => pathname === '/sign-in');
    expect(await heading.count()).toBe(0);
    await context.close();
  });
});
