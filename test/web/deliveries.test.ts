import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type LocalServer, serve } from '../support/local-server.ts';
import { axeProblems } from './support/axe.ts';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { prepareWebUi } from './support/web-ui.ts';

describe('the deliveries of a bot', () => {
  let service: PageService;
  let page: Page;
  let backend: LocalServer;
  let other: LocalServer;
  let isUp = true;
  const got: string[] = [];
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ page, service } = await openWebUi());
    backend = await serve(async (request, reply) => {
      for await (const _ of request);
      if (isUp) reply.writeHead(200).end('taken');
      else reply.writeHead(500).end('no room left\nat line 7');
    });
    other = await serve(async (request, reply) => {
      let body = '';
      for await (const part of request) body += String(part);
      got.push(body);
      reply.writeHead(204).end();
    });
  });
  afterAll(() => Promise.all([backend.close(), other.close()]));

  it('are one row for each update, which is found, opened, copied and replayed', async () => {
    const bot = await addPracticeBot(service, 'Shop', {
      manage_enabled: true,
      proxy_enabled: true,
      backend_url: backend.url,
      secret_token: 'hush',
    });
    const people = await Promise.all(
      ['Ann', 'Ben'].map((first_name) =>
        service.post<{ id: number }>('/api/sandbox/users/create', { first_name }),
      ),
    );
    const say = (index: number, text: string) =>
      service.post('/api/sandbox/say', { user: people[index]?.id, chat: bot.platform_id, text });
    const states = async () =>
      (
        await service.get<{ updates: { state: string }[] }>(
          `/api/deliveries/updates?bot_id=${bot.id}`,
        )
      ).updates.map(({ state }) => state);
    await say(0, 'Where is my order?');
    await vi.waitFor(async () => expect(await states()).toEqual(['delivered']), { interval: 50 });
    isUp = false;
    await say(1, 'Refund, please');
    await vi.waitFor(async () => expect(await states()).toEqual(['retrying', 'delivered']), {
      interval: 50,
    });

    await page.goto(`${service.address}/bots/${bot.id}?tab=deliveries`);
    const heading = page.getByRole('heading', { name: 'Deliveries', exact: true });
    const list = page.locator('section').filter({ has: heading });
    const rowOf = (name: string) => list.getByRole('button', { name: new RegExp(name) });
    await rowOf('Ann').getByText('200 taken').waitFor();
    await rowOf('Ben').getByText('500 no room left').waitFor();
    await rowOf('Ben').getByText('Retrying').waitFor();

    // The search finds by a word, and leads to what was sent.
    await list.getByRole('searchbox').fill('REFUND');
    await rowOf('Ann').waitFor({ state: 'detached' });
    await rowOf('Ben').click();
    const failure = list.getByRole('listitem').filter({ hasText: 'Request headers' }).last();
    await failure.getByText('Request headers').click();
    await failure.getByText('x-telegram-bot-api-secret-token').waitFor();
    expect(await list.textContent()).not.toContain('hush');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
      expect(await axeProblems(page)).toEqual([]);
    }
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await failure.getByRole('button', { name: 'Copy as curl' }).click();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toContain(`curl -X POST '${backend.url}`);
    expect(copied).toContain('webhook-signature: ***');
    expect(copied).toContain('Refund, please');

    // Another configured app gets it when a person says so.
    await service.post('/api/bots/apps/add', {
      bot_id: bot.id,
      name: 'archive',
      mode: 'webhook',
      backend_url: other.url,
    });
    isUp = true;
    await list.getByRole('button', { name: 'Replay', exact: true }).click();
    await rowOf('Ben').getByText('Delivered').waitFor();
    await page.reload();
    await rowOf('Ben').click();
    await list.getByRole('button', { name: 'Replay to: archive' }).click();
    await vi.waitFor(() => expect(got.some((body) => body.includes('Refund'))).toBe(true));

    // A filter is replayed as a whole.
    await list.getByRole('searchbox').fill('order');
    await list.getByRole('button', { name: 'Replay all that match' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
    await page.getByText('Queued 1 update for another delivery').waitFor();
    await rowOf('Ann').getByText('2 attempts').waitFor();
    await list.getByRole('searchbox').fill('nothing like this');
    await list.getByText('No updates match').waitFor();

    await page.setViewportSize({ width: 390, height: 800 });
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(wide).toBeLessThanOrEqual(390);
  });
});
