import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Backend, startBackend } from './support/backend.ts';
import { hold } from './support/hold.ts';
import { keepNotices } from './support/keep-notices.ts';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { openPage } from './support/visitor.ts';
import { prepareWebUi } from './support/web-ui.ts';

interface LiveMetrics {
  slices: { received: number; delivered: number; delivery_failures: number }[];
}

describe('the overview', () => {
  let browser: Browser;
  let service: PageService;
  let backend: Backend;
  let page: Page;
  let complaints: string[];
  let bot: { id: number; platform_id: number };
  let person: { id: number };
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    [{ browser, complaints, page, service }, backend] = await Promise.all([
      openWebUi(),
      startBackend(),
    ]);
    await keepNotices(page);
    const settings = { proxy_enabled: true, backend_url: backend.url };
    bot = await addPracticeBot(service, 'Parcels', settings);
    person = await service.post('/api/sandbox/users/create', { first_name: 'Boris' });
  });
  afterEach(() => expect(complaints.splice(0)).toEqual([]));
  afterAll(() => backend?.close());

  const say = (text: string) =>
    service.post('/api/sandbox/say', { user: person.id, chat: bot.platform_id, text });
  const metrics = async () => (await service.get<LiveMetrics>('/api/live-metrics')).slices;
  const smallerSide = async (button: Locator) => {
    const { width = 0, height = 0 } = (await button.boundingBox()) ?? {};
    return Math.min(width, height);
  };
  const alert = (words: string | RegExp) => page.getByRole('listitem').filter({ hasText: words });

  it('tells what comes in, how it is answered and what fails, as it happens, and one click mends it', async () => {
    // A slow answer misses the bucket that ends while it is pending; the page gets that one as an event.
    onTestFinished(() => page.unrouteAll({ behavior: 'ignoreErrors' }));
    const answer = await hold(page, /\/api\/live-metrics$/);
    await page.goto(service.address);
    await answer.isHeld;
    await page.getByText('All is well').waitFor();
    await say('One');
    const isCounted = async () =>
      (await metrics()).slice(0, -1).some(({ received }) => received > 0);
    await vi.waitUntil(isCounted);
    answer.release();
    await page.getByRole('img', { name: /^Delivery time: median \d+ ms/ }).waitFor();
    let said = 1;
    // The rate is of the last ten seconds only.
    await vi.waitFor(async () => {
      said += 1;
      await say('One');
      const rate = page.getByRole('img', { name: /^Messages per second: in 0\.[1-9]/ });
      await rate.waitFor({ timeout: 5_000 });
    });
    await vi.waitFor(async () => {
      const buckets = await metrics();
      const sum = (part: (slice: LiveMetrics['slices'][number]) => number) =>
        buckets.reduce((total, slice) => total + part(slice), 0);
      expect(sum(({ received }) => received)).toBe(said);
      expect(sum(({ delivered }) => delivered)).toBe(said);
      expect(sum((slice) => slice.delivery_failures)).toBe(0);
    });

    backend.broken = true;
    await say('Two');
    await alert(
      /does not accept updates from 1 chat: answered 500\. Retrying\. Last attempt /,
    ).waitFor();
    await page.getByText(/^Began (now|\d+ seconds? ago)$/).waitFor();
    await page.getByRole('img', { name: /^Errors per minute: deliveries [1-9]/ }).waitFor();
    const again = page.getByRole('button', { name: 'Try now: Parcels' });
    await again.click();
    const notice = page.getByRole('status');
    await notice.getByText('Parcels · Not delivered').waitFor();
    // The click itself mends it: after an automatic retry there would be nothing to click.
    await page.route(/\/api\/deliveries\/retry-now/, async (route) => {
      backend.broken = false;
      await route.continue();
    });
    await again.click();
    await vi.waitFor(() => expect(backend.taken.map(({ text }) => text)).toContain('Two'));
    await page.getByText('All is well').waitFor();

    const other = await addPracticeBot(service, 'Stray', {
      proxy_enabled: true,
      backend_url: 'http://127.0.0.1:9/none',
    });
    await service.post(`/api/bots/check-backend?id=${other.id}`);
    await page.getByRole('button', { name: 'Try now: Stray' }).click();
    await notice.getByText('Stray · connection refused by 127.0.0.1:9').waitFor();
    await service.post(`/api/bots/delete?id=${other.id}`);
    await page.getByText('All is well').waitFor();
  });

  it.each([
    ['en-GB', 1280],
    ['ru-RU', 1110],
    ['ru-RU', 360],
  ])('keeps every chart in its place, whatever the figures: %s, %i px', async (locale, width) => {
    const calm = { p50_ms: 2, p95_ms: 3, received: 0, sent: 0, delivered: 0, backlog: 0 };
    const busy = { p50_ms: 54_321, p95_ms: 59_999, received: 24_690, sent: 13_578, delivered: 0 };
    const start = Math.floor(Date.now() / 1_000) - 300;
    const buckets = Array.from({ length: 90 }, (_, index) => ({
      at: start + index * 2,
      ...calm,
      ...(index < 60 ? busy : {}),
      send_failures: index < 60 ? 123 : 0,
      delivery_failures: index < 60 ? 456 : 0,
    }));
    const { context, page: seen } = await openPage(browser, { locale, width });
    onTestFinished(() => context.close());
    await context.addCookies(await page.context().cookies());
    await seen.route('**/api/live-metrics', (route) =>
      route.fulfill({ json: { slice_seconds: 2, slices: buckets } }),
    );
    // Events say nothing new, so nothing changes by itself; without any, the page would say so.
    await seen.addInitScript(`globalThis.EventSource = class extends EventTarget {
      #old = () => this.dispatchEvent(new MessageEvent('live_metrics', { data: '{"at":0}' }));
      #timer = setInterval(this.#old, 1_000);
      close() {
        clearInterval(this.#timer);
      }
    }`);
    await seen.goto(service.address);
    await seen.locator('main canvas').nth(3).waitFor();
    // The last of what is above the charts on a narrow screen.
    await seen.locator('main a[href*="/alerts?"]').waitFor();
    // Within the charts: a notice above them may still come and move all of the page.
    const places = () =>
      seen.evaluate(`[...document.querySelectorAll('main [role=img]')].map((chart) => {
        const { top, left, width, height } = chart.getBoundingClientRect();
        const all = chart.closest('section').parentElement.getBoundingClientRect();
        return JSON.stringify({ top: top - all.top, left, width, height });
      })`);
    await seen.locator('main [role=img] .u-over').first().scrollIntoViewIfNeeded();
    const before = await places();
    await seen.locator('main [role=img] .u-over').first().hover();
    await seen
      .locator('main')
      .getByText(/^\d\d:\d\d:\d\d$/)
      .first()
      .waitFor();
    await seen.locator('main b').first().filter({ hasText: /[1-9]/ }).waitFor();
    expect(await places()).toEqual(before);
    expect(before).toHaveLength(4);
  });

  it('reads what it missed before it goes on, when it hears again after a while', async () => {
    const buckets = (first: number, count: number, received: number) =>
      Array.from({ length: count }, (_, index) => ({
        at: first + index * 2,
        received,
        sent: 0,
        send_failures: 0,
        delivered: 0,
        delivery_failures: 0,
        backlog: 0,
      }));
    const start = Math.floor(Date.now() / 1_000) - 300;
    const quiet = buckets(start, 10, 0);
    const missed = buckets(start + 20, 20, 8);
    const streamed = buckets(start + 60, 1, 8);
    let answer = quiet;
    const gap = await page.context().newPage();
    await gap.route('**/api/live-metrics', (route) =>
      route.fulfill({ json: { slice_seconds: 2, slices: answer } }),
    );
    const eventDue = Promise.withResolvers<void>();
    await gap.route('**/api/events?*', async (route) => {
      await eventDue.promise;
      // Once; later connections wait. After a long silence, the page gave up the first one.
      if (answer !== quiet || route.request().failure()) return;
      answer = [...quiet, ...missed];
      const body = `event: live_metrics\ndata: ${JSON.stringify(streamed[0])}\n\n`;
      await route.fulfill({ contentType: 'text/event-stream', body });
    });
    await gap.goto(service.address);
    await gap.getByRole('img', { name: /^Messages per second: in 0,/ }).waitFor();
    // On another page, buckets are missed as well.
    await gap.getByRole('link', { name: 'Bots', exact: true }).click();
    await gap.getByRole('heading', { name: 'Bots', level: 1 }).waitFor();
    const heard = gap.waitForEvent('requestfinished', (request) =>
      request.url().includes('/api/events'),
    );
    eventDue.resolve();
    await heard;
    await gap.getByRole('link', { name: 'Overview', exact: true }).click();
    const traffic = gap.getByRole('img', { name: /^Messages per second: in 4,/ });
    await traffic.waitFor();
    expect(await traffic.count()).toBe(1);
    await gap.close();
  });

  it('leaves a gap where the service was paused', async () => {
    const start = Math.floor(Date.now() / 1_000) - 200;
    const buckets = Array.from({ length: 100 }, (_, index) => ({
      at: start + index * 2,
      received: 8,
      sent: 4,
      send_failures: 0,
      delivered: 8,
      delivery_failures: 1,
      backlog: 7,
      p50_ms: 8,
      p95_ms: 20,
    })).filter((_, index) => index < 30 || index > 70);
    const paused = await page.context().newPage();
    await paused.route('**/api/live-metrics', (route) =>
      route.fulfill({ json: { slice_seconds: 2, slices: buckets } }),
    );
    await paused.route('**/api/events?*', () => {});
    await paused.goto(service.address);
    await paused.locator('main canvas').nth(3).waitFor();
    /** Of each chart: is a line drawn at this part of its width? */
    const isDrawn = (part: number) =>
      paused.evaluate(`[...document.querySelectorAll('main canvas')].map((canvas) => {
        const x = Math.round(canvas.width * ${part});
        const { data } = canvas.getContext('2d').getImageData(x, 0, 1, canvas.height * 0.85);
        for (let at = 0; at < data.length; at += 4) {
          const colour = data.slice(at, at + 3);
          if (data[at + 3] > 99 && Math.max(...colour) - Math.min(...colour) > 60) return true;
        }
        return false;
      })`);
    await vi.waitFor(async () => expect(await isDrawn(0.25)).toEqual([true, true, true, true]));
    expect(await isDrawn(0.5)).toEqual([false, false, false, false]);
    await paused.close();
  });

  it('offers to start a bot that someone stopped, or to take note of it', async () => {
    await page.goto(service.address);
    await page.getByText('All is well').waitFor();
    const other = await addPracticeBot(service, 'Night desk');
    await service.post('/api/routes/add', {
      source_bot_id: bot.id,
      target_bot_id: other.id,
      action: 'copy',
      condition_type: 'keyword',
      condition_value: 'night',
    });
    await service.post(`/api/bots/toggle-disabled?id=${other.id}`);
    await alert('1 route to or from it is inactive').waitFor();
    const dismiss = page.getByRole('button', { name: 'Dismiss: Night desk' });
    expect(await smallerSide(dismiss)).toBeGreaterThanOrEqual(24);
    const touch = await browser.newContext({
      storageState: await page.context().storageState(),
      locale: 'en-US',
      hasTouch: true,
      isMobile: true,
    });
    onTestFinished(() => touch.close());
    const phone = await touch.newPage();
    await phone.goto(service.address);
    const onTouch = phone.getByRole('button', { name: 'Dismiss: Night desk' });
    await onTouch.waitFor();
    expect(await smallerSide(onTouch)).toBeGreaterThanOrEqual(44);
    await dismiss.click();
    await page.getByText('All is well').waitFor();
    await page.getByRole('button', { name: 'Show 1 dismissed' }).click();
    await page.getByRole('button', { name: 'Enable: Night desk' }).click();
    await page.getByText('All is well').waitFor();
    const bots = await service.get<{ id: number; disabled: boolean }[]>('/api/bots');
    expect(bots.find(({ id }) => id === other.id)?.disabled).toBe(false);
  });

  it('shows the health of the service to those who run it', async () => {
    await page.goto(`${service.address}/settings`);
    await page.getByText('SQLite (embedded)').waitFor();
    await page.getByText('free of').waitFor();
    await page.getByText('Updates are kept for 7 days').waitFor();
    const row = page.getByRole('row').filter({ hasText: 'this node' });
    const bots = await service.get<object[]>('/api/bots');
    await row.getByRole('cell', { name: String(bots.length), exact: true }).waitFor();
    expect(await row.count()).toBe(1);
  });
});
