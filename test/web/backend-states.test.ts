import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Backend, startBackend } from './support/backend.ts';
import { askAll } from './support/elements.ts';
import { keepNotices } from './support/keep-notices.ts';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { visit } from './support/visit.ts';
import { openPage } from './support/visitor.ts';
import { prepareWebUi } from './support/web-ui.ts';

describe('backends on the page', () => {
  let browser: Browser;
  let service: PageService;
  let backend: Backend;
  let page: Page;
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    [{ browser, page, service }, backend] = await Promise.all([openWebUi(), startBackend()]);
    await keepNotices(page);
  });
  afterAll(() => backend?.close());

  const tone = (words: string) =>
    page.locator('[data-tone]').filter({ hasText: words }).first().getAttribute('data-tone');

  it('shows a backend as healthy only after it was reached', async () => {
    const bot = await addPracticeBot(service, 'Parcels', {
      proxy_enabled: true,
      backend_url: 'http://127.0.0.1:9/none',
    });
    await visit(page, `${service.address}/`);
    await page.getByText('1 backend is not checked yet.').waitFor();
    await page.getByText('1 without a recent answer').waitFor();
    expect(await tone('1 without a recent answer')).toBe('idle');
    await visit(page, `${service.address}/bots`);
    const row = page.getByRole('link').filter({ hasText: 'Parcels' });
    await row.getByText('backend not checked').waitFor();
    // The check-up asks the backend when it is opened.
    await row.click();
    await page.locator('dd').getByText('Backend down').waitFor();
    await page.locator('header').getByText('Backend down').waitFor();
    await page.locator('header').getByText('polls Telegram').waitFor();
    expect(await tone('Backend down')).toBe('bad');
    await page.getByRole('tab', { name: 'Apps' }).click();
    const app = page.getByRole('listitem').filter({ hasText: 'Webhook to 127.0.0.1:9' });
    await app.getByText('Backend down').waitFor();
    const paused = { backend_status: 'paused', queues: 1, dead_letters: 0, pending_updates: 1 };
    const retry_queues = [
      {
        ...{ queue: 'c1', waiting: 1, first_position: 1, attempts: 9, due: true },
        ...{ reason: 'connection refused', next_attempt_at: new Date().toISOString() },
      },
    ];
    await page.route(/\/api\/deliveries\/queues\?/, (route) =>
      route.fulfill({ json: { bot_id: bot.id, ...paused, retry_queues } }),
    );
    await page.getByRole('tab', { name: 'Deliveries' }).click();
    const deliveries = page.getByRole('main');
    await deliveries.getByText('Backend down: all chats wait while the relay tries').waitFor();
    await deliveries.getByText('waiting for the backend').waitFor();
    expect(await deliveries.innerText()).not.toMatch(/circuit breaker|unreachable/i);
    await page.unrouteAll();
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByText('connection refused by 127.0.0.1:9').waitFor();
    await visit(page, `${service.address}/`);
    await page
      .getByText(
        /^Backend 127\.0\.0\.1:9 is down: connection refused\. (.* )?Last attempt (now|\d+ (second|minute)s? ago)\./,
      )
      .waitFor();
    const count = page.locator('p').filter({ hasText: 'Healthy backends' });
    await count.getByText('1 down').waitFor();
    expect(await count.locator('[data-tone]').getAttribute('data-tone')).toBe('bad');
    // Nothing is forwarded to it, so its state is not known.
    await service.post(`/api/bots/toggle-disabled?id=${bot.id}`);
    await count.waitFor({ state: 'detached' });
    await service.post(`/api/bots/toggle-disabled?id=${bot.id}`);

    await visit(page, `${service.address}/bots/${bot.id}`);
    await page.getByLabel('Backend URL').fill(backend.url);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').getByText('The backend answered in').waitFor();
    await page
      .locator('dd')
      .getByText(/^answered (now|\d+ (second|minute)s? ago)/)
      .waitFor();
    expect(await tone('answered')).toBe('ok');

    await page.getByLabel('Backend URL').fill('http://127.0.0.1:9/none');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').getByText('Backend down').waitFor();
    await page.locator('dd').getByText('Backend down').waitFor();
    await service.post(`/api/bots/delete?id=${bot.id}`);
  });

  it.each([
    [
      'en-US',
      'Healthy backends',
      '0 of 1',
      '1 without a recent answer',
      'backend answered 12 minutes ago',
      'answered 12',
    ],
    [
      'ru-RU',
      'Исправные бэкенды',
      '0 из 1',
      'давно не отвечали: 1',
      'бэкенд ответил 12 минут назад',
      'ответил 12',
    ],
  ])(
    'does not show a backend as healthy that answered long ago: %s',
    async (locale, backends, some, why, inList, onPage) => {
      const bot = await addPracticeBot(service, 'Quiet', {
        proxy_enabled: true,
        backend_url: backend.url,
      });
      onTestFinished(async () => void (await service.post(`/api/bots/delete?id=${bot.id}`)));
      const { context, page: own } = await openPage(browser, { locale });
      onTestFinished(() => context.close());
      await context.addCookies(await page.context().cookies());
      const now = Date.now();
      await own.clock.setFixedTime(now);
      const backend_seen_at = new Date(now - 12 * 60_000).toISOString();
      await own.route(/\/api\/(bots|backends)$/, async (route) => {
        const json = (await (await route.fetch()).json()) as object[];
        const aged = json.map((one) => ({ ...one, backend_status: 'ok', backend_seen_at }));
        await route.fulfill({ json: aged });
      });
      await own.route(/\/api\/bots\/check-backend/, (route) => route.abort());
      await visit(own, service.address);
      const count = own.locator('p').filter({ hasText: backends });
      await count.getByText(some).waitFor();
      await count.getByText(why).waitFor();
      expect(await count.locator('[data-tone]').getAttribute('data-tone')).toBe('idle');
      await visit(own, `${service.address}/bots`);
      await own.getByRole('link').filter({ hasText: 'Quiet' }).getByText(inList).waitFor();
      await visit(own, `${service.address}/bots/${bot.id}`);
      const state = own.locator('dd [data-tone]').filter({ hasText: onPage });
      await state.waitFor();
      expect(await state.getAttribute('data-tone')).toBe('idle');
    },
  );

  it.each([
    ['en-US', 405, /reachable, answered 405 in .* \(test request without an update\)/],
    ['ru-RU', 405, /доступен, ответ 405 за .* \(проверочный запрос без обновления\)/],
    ['en-US', 503, /^(Backend: )?answered 503 in .* \(test request without an update\)/],
  ])('shows an inconclusive answer in a neutral colour: %s %i', async (locale, status, words) => {
    backend.headStatus = status;
    onTestFinished(() => void (backend.headStatus = 200));
    const bot = await addPracticeBot(service, 'Strict', {
      proxy_enabled: true,
      backend_url: backend.url,
    });
    onTestFinished(async () => void (await service.post(`/api/bots/delete?id=${bot.id}`)));
    const { context, page: own } = await openPage(browser, { locale });
    onTestFinished(() => context.close());
    await context.addCookies(await page.context().cookies());
    await keepNotices(own);
    await visit(own, `${service.address}/bots/${bot.id}`);
    const state = own.locator('dd [data-tone]').filter({ hasText: words });
    await state.waitFor();
    expect(await state.getAttribute('data-tone')).toBe('idle');
    await visit(own, `${service.address}/bots/${bot.id}?tab=deliveries`);
    await own.getByRole('button', { name: /^(Check backend|Проверить бэкенд)$/ }).click();
    const notice = own.getByRole('status').locator('[data-tone]').filter({ hasText: words });
    await notice.waitFor();
    expect(await notice.getAttribute('data-tone')).toBe('idle');
  });

  it('shows the address of a backend that nothing is forwarded to', async () => {
    const bot = await addPracticeBot(service, 'Retrying', { backend_url: backend.url });
    await visit(page, `${service.address}/bots`);
    const row = page.getByRole('link').filter({ hasText: 'Retrying' });
    await row.getByText('forwarding off').waitFor();
    expect(await row.textContent()).not.toContain('no backend');
    await row.click();
    const fact = page.locator('dd').filter({ hasText: '(forwarding off)' });
    await fact.waitFor();
    expect(await fact.textContent()).toContain(new URL(backend.url).host);
    await page.getByText('Forwarding is off. Turn it on').waitFor();
    await service.post(`/api/bots/delete?id=${bot.id}`);
  });

  it('tells what came of trying again and of a replay', async () => {
    backend.broken = true;
    backend.retryAfterSeconds = 86_400;
    const bot = await addPracticeBot(service, 'Billing', {
      proxy_enabled: true,
      backend_url: backend.url,
    });
    const cat = await service.post<{ id: number }>('/api/sandbox/users/create', {
      first_name: 'Cat',
    });
    await service.post('/api/sandbox/say', { user: cat.id, chat: bot.platform_id, text: 'Bill' });
    await visit(page, `${service.address}/bots/${bot.id}?tab=deliveries`);
    const again = page.getByRole('button', { name: 'Retry all now' });
    await again.click();
    const notice = page.getByRole('status');
    await notice.getByText('Not delivered').waitFor();
    await notice.getByText('answered 500').waitFor();
    await page.getByText('0 unread, 1 in retry queues').waitFor();
    const row = page.getByRole('button', { name: /Bill/ });
    await row.getByText('· 500').waitFor();
    expect(await row.textContent()).not.toContain('answered');
    backend.broken = false;
    await again.click();
    await notice.getByText('Delivered 1 update').waitFor();

    expect(backend.taken.map(({ text }) => text)).toContain('Bill');

    backend.broken = true;
    await askAll(notice.getByRole('button', { name: 'Close' }), (buttons) => {
      for (const button of buttons) button.click();
    });
    await notice.getByText('Not delivered').waitFor({ state: 'detached' });
    await row.getByText('Delivered').waitFor();
    await row.click();
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await notice.getByText('Not delivered').waitFor();
    await row.getByText('· 500').waitFor();
    backend.broken = false;

    // A dead letter being replayed is in the queues, and no longer among the dead letters.
    const letter = (id: number, replayed_at: string) => ({
      ...{ id, bot_id: bot.id, position: id, update_id: id, kind: 'message', queue: `c${id}` },
      ...{ reason: 'answered 500', attempts: 9, received_at: '', replayed_at, raw: '{}' },
      died_at: new Date().toISOString(),
    });
    const letters = [letter(1, new Date().toISOString()), letter(2, '')];
    await page.route(/\/api\/deliveries\/dead\?/, (route) => route.fulfill({ json: letters }));
    await page.reload();
    const given = page.getByRole('button', { name: 'Replay', exact: true });
    await given.waitFor();
    expect(await given.count()).toBe(1);
    letters.pop();
    await page.reload();
    await page.getByText('Replaying 1 update').waitFor();
    await page.unrouteAll();
    await service.post(`/api/bots/delete?id=${bot.id}`);
  });

  it('counts down to the next attempt on the same clock as the times past', async () => {
    const bot = await addPracticeBot(service, 'Clockwork');
    // The clock is one for all pages of a context.
    const { context, page: own } = await openPage(browser);
    onTestFinished(() => context.close());
    await context.addCookies(await page.context().cookies());
    const start = Date.now();
    const at = (seconds: number) => new Date(start + seconds * 1_000).toISOString();
    const queue = { queue: 'c1', waiting: 1, first_position: 1, attempts: 1, due: false };
    const retry_queues = [{ ...queue, reason: 'answered 500', next_attempt_at: at(34) }];
    await own.route(/\/api\/deliveries\/queues\?/, (route) =>
      route.fulfill({
        json: { bot_id: bot.id, backend_status: 'failing', queues: 240, retry_queues },
      }),
    );
    const reader = { reader: 'push', kind: 'push', name: '', position: 1, behind: 0, in_retry: 0 };
    const moved = { dropped: 0, active: true, waiting: false, last_moved_at: at(0) };
    await own.route(/\/api\/bots\/readers\?/, (route) =>
      route.fulfill({ json: { log_end: 1, readers: [{ ...reader, ...moved }] } }),
    );
    await own.clock.setFixedTime(start);
    await visit(own, `${service.address}/bots/${bot.id}?tab=deliveries`);
    await own.getByText('next attempt in 34 seconds').waitFor();
    await own.getByText('moved now').waitFor();
    await own.getByText('Showing the first 1 of 240 retry queues.').waitFor();
    await own.clock.setFixedTime(start + 3_000);
    await own.getByText('next attempt in 31 seconds').waitFor();
    await own.getByText('moved 3 seconds ago').waitFor();
    await own.clock.setFixedTime(start + 29_000);
    await own.getByText('next attempt in 5 seconds').waitFor();
    expect(await own.getByText('moved 29 seconds ago').count()).toBe(1);
    await service.post(`/api/bots/delete?id=${bot.id}`);
  });
});
