import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { prepareWebUi } from './support/web-ui.ts';

describe('a page without its service', () => {
  let service: PageService;
  let page: Page;
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ page, service } = await openWebUi());
  });

  it('says that the service is unreachable, and no longer claims that all is well', async () => {
    const bot = await addPracticeBot(service, 'Watched');
    const own = await page.context().newPage();
    const back = Promise.withResolvers<void>();
    await own.route(/\/api\/events\?/, async (route) => {
      await back.promise;
      await route.continue();
    });
    await own.goto(service.address);
    const banner = own.getByRole('alert').getByText('No connection to the service.');
    await banner.waitFor();
    await own.getByText('Status unknown').waitFor();
    expect(await own.getByText('All is well').count()).toBe(0);
    back.resolve();
    await banner.waitFor({ state: 'detached' });
    await own.getByText('Status unknown').waitFor({ state: 'detached' });

    // The service has ended: every connection is refused at once.
    await own.unrouteAll({ behavior: 'ignoreErrors' });
    await own.route(/\/api\/events\?/, (route) => route.abort('connectionrefused'));
    await own.goto(service.address);
    await banner.waitFor();
    await own.close();
    await service.post(`/api/bots/delete?id=${bot.id}`);
  });

  it('says of what was never loaded that there is no data, and why', async () => {
    const own = await page.context().newPage();
    onTestFinished(() => own.close());
    await own.route(/\/api\/events\?/, () => {});
    await own.goto(service.address);
    await own.getByRole('alert').getByText('No connection to the service.').waitFor();
    await own.route(/./, () => {});
    await own.getByRole('link', { name: 'Statistics' }).click();
    await own.getByText('No data yet').waitFor();
    expect(await own.locator('[aria-busy=true]').count()).toBe(0);
    await own.getByText(/Last update at /).waitFor();
  });

  it('shows what changed after its first reads and before it hears of changes', async () => {
    const own = await page.context().newPage();
    onTestFinished(() => own.close());
    const answered = own.waitForResponse((response) => response.url().endsWith('/api/bots'));
    // The bots are asked for before the code of the page is there.
    await own.route(/assets\/first-.*\.js$/, async (route) => {
      await answered;
      const bot = await addPracticeBot(service, 'Latecomer');
      onTestFinished(async () => void (await service.post(`/api/bots/delete?id=${bot.id}`)));
      await route.continue();
    });
    await own.goto(service.address);
    await own.getByRole('navigation').getByRole('link', { name: 'Bots', exact: true }).click();
    const row = own.getByRole('link').filter({ hasText: 'Latecomer' });
    await row.waitFor();
    expect(await row.count()).toBe(1);
  });

  it('says that the service does not answer before anything could be loaded', async () => {
    const own = await page.context().newPage();
    const back = Promise.withResolvers<void>();
    await own.route(/\/api\/auth\/session/, async (route) => {
      await back.promise;
      await route.continue().catch(() => undefined);
    });
    await own.goto(service.address);
    const words = own.getByRole('alert').getByText('The service does not answer.');
    await words.waitFor();
    back.resolve();
    await own.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    expect(await words.count()).toBe(0);
    await own.close();
  });

  it('says that the service cannot be reached before anything could be loaded', async () => {
    const own = await page.context().newPage();
    onTestFinished(() => own.close());
    await own.route(/\/api\/auth\/session/, (route) => route.abort());
    await own.goto(service.address);
    // Until then, it may say that there is no answer yet.
    const failure = own.getByRole('alert').filter({ hasText: 'The service is unreachable.' });
    await failure.waitFor();
    expect(await failure.count()).toBe(1);
  });

  it('keeps a message that could not be sent, and does not claim to send it by itself', async () => {
    const bot = await addPracticeBot(service, 'Clerk', { manage_enabled: true });
    const bea = await service.post<{ id: number }>('/api/sandbox/users/create', {
      first_name: 'Bea',
    });
    await service.post('/api/sandbox/say', { user: bea.id, chat: bot.platform_id, text: 'Hi' });
    await page.goto(`${service.address}/chats/${bot.id}/${bea.id}`);
    await page.getByText('Hi', { exact: true }).first().waitFor();
    const field = page.getByRole('textbox', { name: 'Write as the bot' });
    await field.fill('Hello Bea');
    await page.route(/\/api\/messages\/send/, (route) => route.abort());
    await field.press('Enter');
    const failure = page.getByRole('alert').filter({ hasText: 'unreachable' });
    await failure.getByText('Your draft is kept; send it when the service is back').waitFor();
    expect(await failure.textContent()).not.toContain('by itself');
    expect(await field.inputValue()).toBe('Hello Bea');
    await page.unrouteAll();
    await field.press('Enter');
    await failure.waitFor({ state: 'detached' });
    await service.post(`/api/bots/delete?id=${bot.id}`);
  });
});
