import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { prepareWebUi } from './support/web-ui.ts';

describe('in any browser', () => {
  let service: PageService;
  let context: BrowserContext;
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ context, service } = await openWebUi());
    const bot = await addPracticeBot(service, 'Front desk', { manage_enabled: true });
    const person = await service.post<{ id: number }>('/api/sandbox/users/create', {
      first_name: 'Boris',
    });
    const message = { user: person.id, chat: bot.platform_id, text: 'Hello' };
    await service.post('/api/sandbox/say', message);
  });

  it('draws charts where the language of the browser is not a valid tag', async () => {
    const page = await context.newPage();
    // What Chromium reports under LANG=C.
    await page.addInitScript(`
      const language = { get: () => 'en-US@posix', configurable: true };
      const languages = { get: () => ['en-US@posix'], configurable: true };
      Object.defineProperties(Navigator.prototype, { language, languages });
    `);
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    for (const path of ['/', '/statistics']) {
      await page.goto(`${service.address}${path}`);
      await page.locator('main canvas').first().waitFor();
    }
    await page.close();
    expect(errors).toEqual([]);
  });

  it('keeps the rest of the page where charts cannot be loaded', async () => {
    const page = await context.newPage();
    await page.route(/\/assets\/(trend|time)-chart-.*\.js$/, (route) => route.abort());
    await page.goto(service.address);
    await page.getByText('Chart not available').waitFor();
    await page.getByText('All is well').waitFor();
    await page.goto(`${service.address}/statistics`);
    await page.getByText('Chart not available').waitFor();
    await page.getByRole('heading', { name: 'Most active people' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Statistics', level: 1 }).count()).toBe(1);
    await page.close();
  });

  it('keeps the figures of a chart that cannot be drawn', async () => {
    const page = await context.newPage();
    await page.addInitScript(`HTMLCanvasElement.prototype.getContext = () => {
      throw new Error('no canvas');
    };`);
    await page.goto(service.address);
    await page.getByText('Chart not available').first().waitFor();
    await page.getByRole('heading', { name: 'Messages per second' }).waitFor();
    expect(await page.getByText('All is well').count()).toBe(1);
    await page.close();
  });

  it.each(['no-preference', 'reduce'] as const)(
    'animates nothing in an idle tab where motion is: %s',
    async (reducedMotion) => {
      const page = await context.newPage();
      await page.emulateMedia({ reducedMotion });
      const endless: Record<string, string[]> = {};
      for (const path of ['/', '/settings', '/bots', '/chats', '/routes', '/phones']) {
        await page.goto(`${service.address}${path}`);
        await page.getByRole('status').getByText('Live').first().waitFor();
        // Skeletons are animated until everything is loaded.
        await vi
          .waitUntil(async () => (endless[path] = await endlessAnimations(page)).length === 0)
          .catch(() => undefined);
      }
      await page.close();
      expect(Object.entries(endless).filter(([, names]) => names.length > 0)).toEqual([]);
    },
  );
});

function endlessAnimations(page: Page): Promise<string[]> {
  return page.evaluate(`document.getAnimations()
    .filter(({ effect }) => effect.getTiming().iterations === Infinity)
    .map(({ animationName }) => animationName)`);
}
