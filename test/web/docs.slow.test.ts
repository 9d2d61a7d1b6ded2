import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { axeProblems } from './support/axe.ts';
import type { PageService } from './support/page-service.ts';
import { openPage } from './support/visitor.ts';
import { prepareWebUi, type WebUi } from './support/web-ui.ts';

/** Scrollable elements that the keyboard cannot reach. */
const stuck = `[...document.querySelectorAll('body *')].filter((one) => {
  const { overflowX, overflowY } = getComputedStyle(one);
  const scrolls = (way, size, room) => /auto|scroll/.test(way) && size > room;
  if (!scrolls(overflowX, one.scrollWidth, one.clientWidth) &&
    !scrolls(overflowY, one.scrollHeight, one.clientHeight)) return false;
  return one.tabIndex < 0 && !one.querySelector('a[href], button, input, [tabindex="0"]');
}).map((one) => one.tagName)`;

describe('the documentation at /docs', () => {
  let browser: Browser;
  let service: PageService;
  let ui: WebUi;
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ui = await openWebUi({ isSignedIn: false });
    ({ browser, service } = ui);
    await ui.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  });
  const open = (page: Page, path: string) => page.goto(`${service.address}${path}`);

  it.each([1280, 360])('has nothing at %i px that only a mouse could scroll', async (width) => {
    const { page, context } = await openPage(browser, { width });
    for (const path of ['/docs', '/docs/api', '/docs/configuration']) {
      await open(page, path);
      expect(await page.evaluate(stuck), path).toEqual([]);
      const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect(wider, path).toBeLessThanOrEqual(0);
    }
    await context.close();
  });

  it.each(['light', 'dark'] as const)(
    'reads well to a screen reader, %s',
    async (colorScheme) => {
      const { page, context, complaints } = await openPage(browser, { colorScheme });
      const found: string[] = [];
      for (const path of ['/docs/monitor', '/docs/api']) {
        await open(page, path);
        // All endpoints are made alike, and there are many.
        await page.evaluate(
          "document.querySelectorAll('.group:not(#statistics)').forEach((one) => one.remove())",
        );
        const rules = colorScheme === 'dark' ? { rules: ['color-contrast'] } : {};
        found.push(...(await axeProblems(page, rules)).map((problem) => `${path}: ${problem}`));
      }
      expect(found).toEqual([]);
      expect(complaints).toEqual([]);
      await context.close();
    },
    60_000,
  );

  it('can be read without JavaScript', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await open(page, '/docs/monitor');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'API', exact: true }).click();
    await page.waitForURL('**/docs/api');
    const article = page.locator('#getApiBots');
    expect(await article.locator('.languages pre:visible').count()).toBe(1);
    await article.getByText('Python', { exact: true }).click();
    expect(await article.locator('.languages pre:visible').textContent()).toContain('requests.get');
    expect(await page.getByRole('button', { name: 'Search' }).count()).toBe(0);
    await context.close();
  });

  it.each(['light', 'dark'] as const)('shows %s pictures where that was chosen', async (chosen) => {
    const { page, context } = await openPage(browser, {
      colorScheme: chosen === 'dark' ? 'light' : 'dark',
    });
    await page.addInitScript(`localStorage.setItem('relay-color-scheme', '${chosen}')`);
    await open(page, '/docs/monitor');
    const picture = page.locator('picture img').first();
    await picture.scrollIntoViewIfNeeded();
    await expect
      .poll(() => page.evaluate("document.querySelector('picture img').currentSrc"))
      .toContain(`-${chosen}.png`);
    await context.close();
  });

  it('finds a guide by the keyboard alone', async () => {
    const { page } = ui;
    await open(page, '/docs');
    await page.keyboard.press('/');
    await page.keyboard.type('circuit breaker');
    const hits = page.getByRole('option');
    await hits.first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    const chosen = page.locator('[role=option][aria-selected=true]');
    const url = (await chosen.getAttribute('data-url')) ?? '';
    expect(url).toMatch(/^\/docs\//);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${url}`);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search guides and endpoints' }).fill('zzzzqqqq');
    await page.getByRole('status').getByText('Nothing found').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('copies code', async () => {
    const { page } = ui;
    await open(page, '/docs/api#getApiBots');
    const block = page.locator('#getApiBots .code:visible').first();
    await block.hover();
    await block.getByRole('button', { name: 'Copy' }).click();
    await block.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toBe(
      'curl "$RELAY_URL/api/bots" \\\n  -H "Authorization: Bearer $RELAY_API_KEY"',
    );
  });

  it('shows its own address in samples', async () => {
    const { page } = ui;
    const { host } = new URL(service.address);
    const addresses = async (path: string) => {
      await open(page, path);
      return (await page.locator('main').innerText()).match(/[\w:/]*127\.0\.0\.1:\d+/g);
    };
    const own = `http://${host}`;
    expect(new Set(await addresses('/docs/api'))).toContain(own);
    expect(await addresses('/docs/connect')).not.toContain('http://127.0.0.1:8080');
    const monitored = await addresses('/docs/monitor');
    expect(monitored).toContain(host);
    expect(monitored?.join()).not.toContain('127.0.0.1:8080');
    await open(page, '/docs/quick-start');
    expect(await page.getByRole('link', { name: own }).getAttribute('href')).toBe(`${own}/`);
  });

  it('shows all samples in the language that was chosen once', async () => {
    const { page } = ui;
    await open(page, '/docs/api#getApiBots');
    await page.locator('#getApiBots').getByText('JavaScript', { exact: true }).click();
    await page.reload();
    const sample = page.locator('#postApiMessagesSend .languages pre:visible');
    expect(await sample.textContent()).toContain('await fetch(');
  });

  it('leads old anchors to their endpoint', async () => {
    const { page } = ui;
    await open(page, '/docs#postApiBotsAdd');
    await page.waitForURL('**/docs/api#postApiBotsAdd');
    await page.locator('#postApiBotsAdd').getByRole('heading', { name: 'Add a bot' }).waitFor();
    const current = page.locator('nav a[aria-current=location]');
    await current.waitFor();
    expect(await current.textContent()).toContain('Add a bot');
  });

  it('tries an endpoint with a key, and as the person who is signed in', async () => {
    const { page, context } = await openPage(browser);
    const tried = async (id: string) => {
      await open(page, `/docs/api#${id}`);
      const article = page.locator(`#${id}`);
      await article.getByRole('button', { name: 'Try it' }).click();
      await article.locator('form').waitFor();
      return article;
    };
    const send = async (article: Awaited<ReturnType<typeof tried>>) => {
      await article.getByRole('button', { name: 'Send', exact: true }).click();
      await article
        .locator('.try [role=status]')
        .getByText(/^\d{3} /)
        .waitFor();
      return article.locator('.try').innerText();
    };
    // Without a sign-in.
    let article = await tried('getApiVersion');
    expect(await send(article)).toContain('401');
    const { key } = await service.post<{ key: string }>('/api/auth/api-keys/create', {
      name: 'docs',
      scope: 'read',
    });
    await article.getByLabel('API key').fill(key);
    expect(await send(article)).toContain('"bot-relay"');
    // A key that may only read.
    article = await tried('postApiTagsRemove');
    await article.getByLabel('API key').fill(key);
    expect(await send(article)).toContain('insufficient_scope');

    const [, token] = /token=(.+)$/.exec(service.setupLink) ?? [];
    const data = { token, username: 'anna', password: 'correct horse' };
    await page.request.post(`${service.address}/api/auth/setup`, { data });
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    article = await tried('postApiSandboxUsersCreate');
    await article.getByText('Signed in as anna (admin).').waitFor();
    await article.getByLabel('API key').fill('');
    await article.getByLabel('Body').fill('{ "first_name": "Zoe", "username": "zoe" }');
    const answer = await send(article);
    expect(answer).toContain('200');
    expect(answer).toContain('"Zoe"');
    article = await tried('getApiSandboxUsersChats');
    await article.getByLabel('user *').fill('zoe');
    expect(await send(article)).toContain('200');
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('logs no error and no violation of its content security policy', () => {
    expect(ui.complaints).toEqual([]);
  });
});
