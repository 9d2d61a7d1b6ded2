import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type LocalServer, serve } from '../support/local-server.ts';
import { axeProblems } from './support/axe.ts';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { visit } from './support/visit.ts';
import { openPage, signIn } from './support/visitor.ts';
import { prepareWebUi } from './support/web-ui.ts';

describe('where a message went on the Chats page', () => {
  let service: PageService;
  let browser: Browser;
  let page: Page;
  let backend: LocalServer;
  let isUp = false;
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ browser, page, service } = await openWebUi());
    backend = await serve(async (request, reply) => {
      for await (const _ of request);
      reply.writeHead(isUp ? 200 : 500).end();
    });
  });
  afterAll(() => backend.close());

  it('is one click away: the backend fails, a retry delivers', async () => {
    const bot = await addPracticeBot(service, 'Shop', {
      manage_enabled: true,
      proxy_enabled: true,
      backend_url: backend.url,
    });
    const ann = await service.post<{ id: number }>('/api/sandbox/users/create', {
      first_name: 'Ann',
    });
    const say = (text: string) =>
      service.post<{ message_id: number }>('/api/sandbox/say', {
        user: ann.id,
        chat: bot.platform_id,
        text,
      });
    const { message_id } = await say('Where is my order?');
    await vi.waitFor(
      async () => {
        const attempts = await service.get<unknown[]>(`/api/deliveries?bot_id=${bot.id}`);
        expect(attempts.length).toBeGreaterThan(1);
      },
      { interval: 50 },
    );
    await visit(page, `${service.address}/chats/${bot.id}/${ann.id}`);
    const bubble = page.locator(`[data-message="${message_id}"]`);
    await bubble.getByRole('button', { name: 'Waiting. Where did it go?' }).click();
    const panel = page.getByRole('complementary', { name: 'Where did it go?' });
    await panel.getByText('Delivery to the backend failed.').first().waitFor();
    await panel.getByText('Waits for the backend.').waitFor();
    expect(page.url()).toContain(`timeline=${message_id}`);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
      expect(await axeProblems(page, { within: '[data-side-panel]' })).toEqual([]);
      expect(await axeProblems(page, { within: '[role=log]' })).toEqual([]);
    }

    // The alert about it leads to the same view.
    await visit(page, `${service.address}/alerts`);
    await page.getByRole('link', { name: 'Show message: Shop' }).click();
    await panel.getByText('Waits for the backend.').waitFor();
    expect(page.url()).toContain(`timeline=${message_id}`);

    isUp = true;
    await panel.getByRole('button', { name: 'Retry now' }).click();
    await panel.getByText(/^Delivered to the backend: 200 in/).waitFor();
    await bubble.getByRole('button', { name: 'Delivered. Where did it go?' }).waitFor();

    // The address shows the same, also on a narrow screen.
    await page.setViewportSize({ width: 360, height: 740 });
    await page.reload();
    await panel.getByText('It reached everybody it was for.').waitFor();
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(wide).toBeLessThanOrEqual(360);
    await page.setViewportSize({ width: 1280, height: 800 });

    // A later message gets its mark as it arrives, and searches and an attempt lead to the same view.
    const later = await say('Thank you');
    const mark = page.locator(`[data-message="${later.message_id}"]`);
    await mark.getByRole('button', { name: 'Delivered. Where did it go?' }).waitFor();
    await page.getByRole('button', { name: 'Search this chat' }).click();
    await page.getByRole('searchbox', { name: 'Search this chat' }).fill('Thank');
    await page.getByRole('link', { name: 'Delivered. Where did it go?' }).click();
    await panel.getByText('It reached everybody it was for.').waitFor();
    expect(page.url()).toContain(`timeline=${later.message_id}`);
    await visit(page, `${service.address}/chats?q=Thank`);
    const hits = page.getByRole('region', { name: 'In messages' });
    await hits.getByRole('link', { name: 'Delivered. Where did it go?' }).click();
    await panel.getByText('It reached everybody it was for.').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Command palette' }).fill('Thank');
    const option = page.getByRole('option', { name: /Thank you/ });
    await option.getByRole('img', { name: 'Delivered' }).waitFor();
    await page.keyboard.press('Escape');
    await visit(page, `${service.address}/bots/${bot.id}?tab=deliveries`);
    await page.getByRole('button', { name: /200/ }).first().click();
    await page.getByRole('link', { name: 'Where did it go?' }).click();
    await panel.getByText(/^Stored in the log at position/).waitFor();
  });

  it('is told by the deliveries of a bot whose messages are not stored', async () => {
    isUp = false;
    const settings = { proxy_enabled: true, backend_url: backend.url };
    const till = await addPracticeBot(service, 'Till', settings);
    const ben = await service.post<{ id: number }>('/api/sandbox/users/create', {
      first_name: 'Ben',
    });
    const said = { user: ben.id, chat: till.platform_id, text: 'One tea, please' };
    await service.post('/api/sandbox/say', said);
    await visit(page, `${service.address}/alerts`);
    await page.getByRole('link', { name: 'Show update: Till' }).click();
    const heading = page.getByRole('heading', { name: 'Update 1', exact: true });
    const panel = page.locator('section').filter({ has: heading });
    await panel.getByText('One tea, please').first().waitFor();
    await panel.getByText('Attempts', { exact: true }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    isUp = true;
    await service.post(`/api/deliveries/retry-now?bot_id=${till.id}`);
    await panel.getByText('Delivered', { exact: true }).waitFor();
    await panel.getByRole('link', { name: 'Close' }).click();
    await heading.waitFor({ state: 'detached' });
  });

  it('is explained by a line in the chat while the backend is down, and ends with it', async () => {
    const down = await serve((request) => request.socket.destroy());
    const settings = { manage_enabled: true, proxy_enabled: true, backend_url: down.url };
    const kiosk = await addPracticeBot(service, 'Kiosk', settings);
    const eve = await service.post<{ id: number }>('/api/sandbox/users/create', {
      first_name: 'Eve',
    });
    const said = { user: eve.id, chat: kiosk.platform_id, text: 'A newspaper, please' };
    await service.post('/api/sandbox/say', said);
    const agent = { username: 'al', password: 'correct horse', role: 'agent', bot_ids: [kiosk.id] };
    await service.post('/api/auth/users/create', agent);
    const other = await openPage(browser);
    await signIn(other.context, service, agent);
    await other.page.goto(service.address);
    await other.page.getByRole('link', { name: /Eve/ }).click();
    await visit(page, `${service.address}/chats/${kiosk.id}/${eve.id}`);
    const line = page.getByRole('status').filter({ hasText: 'is down' });
    const ofAgent = other.page.getByRole('status').filter({ hasText: 'is down, so messages wait' });
    await line.waitFor();
    await ofAgent.waitFor();
    expect(await axeProblems(page)).toEqual([]);
    isUp = true;
    await service.post('/api/bots/update', { id: kiosk.id, backend_url: backend.url });
    await line.waitFor({ state: 'detached' });
    await ofAgent.waitFor({ state: 'detached' });
    expect(other.complaints).toEqual([]);
    await other.context.close();
    await down.close();
  });
});

describe('the marks of messages', () => {
  let service: PageService;
  let page: Page;
  let backend: LocalServer;
  let isUp = false;
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ page, service } = await openWebUi({ env: { RELAY_PUSH_GIVE_UP: '1s' } }));
    backend = await serve(async (request, reply) => {
      for await (const _ of request);
      reply.writeHead(isUp ? 200 : 500).end();
    });
  });
  afterAll(() => backend.close());

  const marks = (mark: string) =>
    page.getByRole('region', { name: 'In messages' }).locator(`[data-mark=${mark}]`);

  it('follow a replay, which makes no event, in the chat, its timeline and a search', async () => {
    const settings = { manage_enabled: true, proxy_enabled: true, backend_url: backend.url };
    const bot = await addPracticeBot(service, 'Shop', settings);
    const ann = await service.post<{ id: number }>('/api/sandbox/users/create', {
      first_name: 'Ann',
    });
    const said = { user: ann.id, chat: bot.platform_id, text: 'Where is my parcel?' };
    const { message_id } = await service.post<{ message_id: number }>('/api/sandbox/say', said);
    const dead = () => service.get<unknown[]>(`/api/deliveries/dead?bot_id=${bot.id}`);
    await vi.waitFor(async () => expect(await dead()).toHaveLength(1), { interval: 100 });
    await page.clock.install();
    await page.goto(`${service.address}/chats/${bot.id}/${ann.id}?q=parcel&timeline=${message_id}`);
    const bubble = page.locator(`[data-message="${message_id}"] [data-mark]`);
    const panel = page.getByRole('complementary', { name: 'Where did it go?' });
    await bubble.and(page.locator('[data-mark=failed]')).waitFor();
    await marks('failed').waitFor();
    await panel.getByRole('status').filter({ hasNotText: 'It reached everybody' }).waitFor();

    isUp = true;
    await service.post('/api/deliveries/replay', { bot_id: bot.id, all_dead: true });
    await vi.waitFor(async () => expect(await dead()).toHaveLength(0), { interval: 100 });
    await page.clock.runFor(21_000);
    await bubble.and(page.locator('[data-mark=delivered]')).waitFor();
    await marks('delivered').waitFor();
    await panel.getByText('It reached everybody it was for.').waitFor();
  });

  it('are shown for all that a search finds, however many that are', async () => {
    const each = 34;
    for (const name of ['One', 'Two', 'Three']) {
      const bot = await addPracticeBot(service, name, { manage_enabled: true });
      const user = await service.post<{ id: number }>('/api/sandbox/users/create', {
        first_name: name,
      });
      for (let at = 0; at < each; at++) {
        const said = { user: user.id, chat: bot.platform_id, text: `The teapot number ${at}` };
        await service.post('/api/sandbox/say', said);
      }
      await vi.waitFor(async () => {
        const query = `bot_id=${bot.id}&q=teapot&limit=50`;
        const { messages } = await service.get<{ messages: unknown[] }>(
          `/api/messages/search?${query}`,
        );
        expect(messages).toHaveLength(each);
      });
    }
    await visit(page, `${service.address}/chats?q=teapot`);
    await vi.waitFor(async () => expect(await marks('nobody').count()).toBe(3 * each));
  });
});
