import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Backend, startBackend } from './support/backend.ts';
import { launchBrowser } from './support/browser.ts';
import { addPracticeBot, type PageService, startPageService } from './support/page-service.ts';
import { createFirstAccount, openPage } from './support/visitor.ts';

describe('states on the page', () => {
  let browser: Browser;
  let service: PageService;
  let backend: Backend;
  let page: Page;
  beforeAll(async () => {
    [browser, service, backend] = await Promise.all([
      launchBrowser(),
      startPageService(),
      startBackend(),
    ]);
    ({ page } = await openPage(browser));
    await createFirstAccount(page, service);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
    await backend?.close();
  });

  const tone = (words: string) =>
    page.locator('[data-tone]').filter({ hasText: words }).first().getAttribute('data-tone');

  it('calls a backend well only after it was reached', async () => {
    const bot = await addPracticeBot(service, 'Courier', {
      proxy_enabled: true,
      backend_url: 'http://127.0.0.1:9/none',
    });
    await page.goto(`${service.address}/`);
    await page.getByText('1 backend is not checked yet.').waitFor();
    expect(await tone('Backends that answer')).toBe('idle');
    await page.goto(`${service.address}/bots`);
    const row = page.getByRole('link').filter({ hasText: 'Courier' });
    await row.getByText('backend not checked yet').waitFor();
    await row.click();
    await page.getByText('backend not checked yet').waitFor();
    expect(await tone('backend not checked yet')).toBe('idle');

    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByText('connection refused by 127.0.0.1:9').waitFor();
    expect(await tone('connection refused')).toBe('bad');
    await page.goto(`${service.address}/`);
    await page.getByText('Its backend 127.0.0.1:9 does not answer.').waitFor();

    await page.goto(`${service.address}/bots/${bot.id}`);
    await page.getByLabel('Backend address').fill(backend.url);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').getByText('The backend answered in').waitFor();
    await page.getByText('backend answers').waitFor();
    expect(await tone('backend answers')).toBe('ok');

    await page.getByLabel('Backend address').fill('http://127.0.0.1:9/none');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').getByText('The backend cannot be reached').waitFor();
    await page.locator('dd').getByText('connection refused by 127.0.0.1:9').waitFor();
    await service.post(`/api/bots/delete?id=${bot.id}`);
  });
});
