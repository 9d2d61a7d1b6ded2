import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Backend, startBackend } from './support/backend.ts';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { prepareWebUi } from './support/web-ui.ts';

/** Counts presses of the pointer, and keys that act; letters that are typed do not count. */
const countPresses = `
  globalThis.presses = 0;
  const count = () => { globalThis.presses += 1; };
  addEventListener('pointerdown', count, true);
  addEventListener('keydown', ({ key, ctrlKey }) => {
    if (key === 'Enter' || (ctrlKey && key === 'k')) count();
  }, true);
`;

describe('the way to what people look for', () => {
  let service: PageService;
  let page: Page;
  let backend: Backend;
  let bot: { id: number; platform_id: number };
  let ann: { id: number };
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    [{ page, service }, backend] = await Promise.all([openWebUi(), startBackend()]);
    backend.broken = true;
    backend.retryAfterSeconds = 86_400;
    await page.addInitScript(countPresses);
    const settings = { manage_enabled: true, proxy_enabled: true, backend_url: backend.url };
    bot = await addPracticeBot(service, 'Shop', settings);
    ann = await service.post('/api/sandbox/users/create', { first_name: 'Ann' });
    const said = { user: ann.id, chat: bot.platform_id, text: 'I was charged twice' };
    await service.post('/api/sandbox/say', said);
    const search = `/api/messages/search?bot_id=${bot.id}&q=charged`;
    await vi.waitFor(async () => {
      const { messages } = await service.get<{ messages: unknown[] }>(search);
      expect(messages).toHaveLength(1);
      expect(await service.get('/api/attention')).toHaveLength(1);
    });
  });
  afterAll(() => backend?.close());

  const presses = () => page.evaluate<number>('globalThis.presses');

  it('takes one press from a message to where it went', async () => {
    await page.goto(`${service.address}/chats/${bot.id}/${ann.id}`);
    await page.getByRole('button', { name: 'Waiting. Where did it go?' }).click();
    await page.getByText('Delivery to the backend failed.').first().waitFor();
    expect(await presses()).toBe(1);
  });

  it('takes one press from the chats to those who wait', async () => {
    await page.goto(`${service.address}/chats`);
    await page.getByRole('radiogroup', { name: 'Conversations' }).getByText('Waiting').click();
    await page.getByRole('link', { name: /Ann/ }).waitFor();
    expect(new URL(page.url()).searchParams.get('inbox')).toBe('waiting');
    expect(await presses()).toBe(1);
  });

  it('takes two presses from anywhere to a message', async () => {
    await page.goto(`${service.address}/statistics`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Command palette' }).fill('charged twice');
    await page.getByRole('option', { name: /I was charged twice/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText('I was charged twice').waitFor();
    expect(await presses()).toBe(2);
  });

  it('takes one press from an alert to a retry', async () => {
    backend.broken = false;
    await page.goto(`${service.address}/alerts`);
    await page.getByRole('button', { name: 'Retry now: Shop' }).click();
    await vi.waitFor(() => expect(backend.taken).toHaveLength(1));
    expect(await presses()).toBe(1);
  });
});
