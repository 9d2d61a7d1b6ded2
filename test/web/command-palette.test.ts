import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../support/relay-process.ts';
import { axeProblems } from './support/axe.ts';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { prepareWebUi } from './support/web-ui.ts';

describe('the command palette', () => {
  let service: PageService;
  let page: Page;
  let bot: { id: number; platform_id: number };
  let anna: { id: number };
  const openWebUi = prepareWebUi();
  const folder = temporaryFolder();
  const backups = path.join(folder.path, 'backups');
  afterAll(folder.remove);
  beforeAll(async () => {
    ({ page, service } = await openWebUi({ env: { RELAY_BACKUP_DIR: backups } }));
    bot = await addPracticeBot(service, 'Till', { manage_enabled: true });
    anna = await service.post('/api/sandbox/users/create', { first_name: 'Anna' });
    const texts = ['I was charged twice', 'Hello, charged twice again', 'Thanks'];
    for (const text of texts) {
      await service.post('/api/sandbox/say', { user: anna.id, chat: bot.platform_id, text });
    }
    await vi.waitFor(async () => {
      const query = `bot_id=${bot.id}&q=${encodeURIComponent('charged twice')}`;
      const { messages } = await service.get<{ messages: unknown[] }>(
        `/api/messages/search?${query}`,
      );
      expect(messages).toHaveLength(2);
    });
    await page.goto(`${service.address}/`);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  const field = () => page.getByRole('combobox', { name: 'Command palette' });
  const option = (name: RegExp | string) => page.getByRole('option', { name });
  const open = async (text: string) => {
    await page.keyboard.press('Control+k');
    await field().fill(text);
  };

  it('finds messages and shows one where it stands', async () => {
    await open('charged twice');
    await option(/I was charged twice/).click();
    await page.getByRole('log').getByText('I was charged twice').waitFor();
    const { pathname, searchParams } = new URL(page.url());
    expect(pathname).toBe(`/chats/${bot.id}/${anna.id}`);
    expect(searchParams.get('message')).not.toBeNull();
  });

  it('carries the words over to Chats', async () => {
    await open('charged twice');
    await option('All 2 in Chats').click();
    const search = page.getByRole('searchbox', { name: 'Search chats and messages' });
    await vi.waitFor(async () => expect(await search.inputValue()).toBe('charged twice'));
    const hits = page.getByRole('region', { name: 'In messages' }).getByRole('listitem');
    await vi.waitFor(async () => expect(await hits.count()).toBe(2));
  });

  it('finds people and chats of all bots, guides and alerts', async () => {
    await open('anna');
    const chats = page.getByRole('group', { name: 'Chats' });
    await chats.getByRole('option', { name: /Anna/ }).waitFor();
    const people = page.getByRole('group', { name: 'People' });
    await people.getByRole('option', { name: /Anna/ }).waitFor();
    await field().fill('webhook');
    await page.getByRole('group', { name: 'Guides' }).getByRole('option').first().waitFor();
    expect(await axeProblems(page, { within: '[role=dialog]' })).toEqual([]);
    await field().fill('zzqqxx');
    await page.getByText('Nothing found.').waitFor();
    await page.keyboard.press('Escape');
  });

  it('adds routes, keys and users', async () => {
    const dialogs = [
      ['add route', 'New route', '/routes'],
      ['new key', 'New key', '/access'],
      ['new user', 'New user', '/access'],
    ] as const;
    for (const [words, title, pathname] of dialogs) {
      await open(words);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: title }).waitFor();
      expect(new URL(page.url()).pathname).toBe(pathname);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name: title }).waitFor({ state: 'hidden' });
    }
  });

  it('finds desks, settings and tabs of bots, and bans a person', async () => {
    await service.post('/api/sandbox/say', {
      user: anna.id,
      chat: bot.platform_id,
      text: 'Good morning',
    });
    await open('dead letters');
    await option('Till: Deliveries').click();
    await page.waitForURL(`${service.address}/bots/${bot.id}?tab=deliveries`);
    await open('backups');
    await option('Backups').first().click();
    await page.waitForURL(`${service.address}/settings`);
    await open('ban ann');
    await option('Ban Anna…').click();
    await page.waitForURL(`${service.address}/chats/${bot.id}/${anna.id}?about=${anna.id}`);
    expect(await page.getByRole('complementary').count()).toBeGreaterThan(0);
  });

  it('changes theme and language, and opens what the browser tells', async () => {
    await open('dark');
    await option('Theme: Dark').click();
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
    await open('русский');
    await option('Language: Русский').click();
    await page.getByRole('link', { name: 'Оповещения' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('english');
    await page.getByRole('option', { name: /English/ }).click();
    await page.getByRole('link', { name: 'Overview' }).waitFor();
    await open('notifications');
    await option('Notifications').first().click();
    const dialog = page.getByRole('dialog', { name: 'Notifications' });
    await dialog.waitFor();
    expect(await dialog.getByRole('switch').count()).toBe(4);
    await page.keyboard.press('Escape');
  });

  it('retries all backends that have an alert', async () => {
    await service.post('/api/bots/update', {
      id: bot.id,
      proxy_enabled: true,
      backend_url: 'http://127.0.0.1:9/none',
    });
    await service.post(`/api/bots/check-backend?id=${bot.id}`);
    await open('retry all');
    await option('Retry all backends (1)').click();
    await page.getByText('Retrying 1 backend.').waitFor();
    expect(await field().count(), 'the palette is closed').toBe(0);
  });

  it('backs up at once', async () => {
    await open('back up');
    await option('Back up now').click();
    await page.getByText(/^Backup written \(.+\)\.$/).waitFor();
    expect(readdirSync(backups).length).toBeGreaterThan(0);
    const entries = await service.get<{ action: string }[]>('/api/adminlog?action=service.backup');
    expect(entries).toMatchObject([{ action: 'service.backup', after: { error: '' } }]);
  });

  it('lists first what was opened last', async () => {
    await open('till');
    await option(/^Till/).first().click();
    await page.getByRole('heading', { name: 'Till', level: 1 }).waitFor();
    await open('');
    const recent = page.getByRole('group', { name: 'Recent' });
    expect(await recent.getByRole('option').first().innerText()).toContain('Till');
    await page.keyboard.press('Escape');
  });
});
