import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../support/relay-process.ts';
import { axeProblems } from './support/axe.ts';
import { inView } from './support/elements.ts';
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

  /** What was chosen is marked and in view. */
  const shows = (text: string) =>
    vi.waitFor(async () => {
      const marked = page.locator('[data-asked]').filter({ hasText: text });
      expect(await inView(marked)).toBe(true);
    });

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
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
      expect(await axeProblems(page, { within: '[role=dialog]' })).toEqual([]);
    }
    await field().fill('zzqqxx');
    await page.getByText('Nothing found.').waitFor();
    await page.keyboard.press('Escape');
  });

  it('adds routes, channels, keys and users', async () => {
    const dialogs = [
      ['add route', 'New route', '/routes'],
      ['add channel', 'Add channel', '/alerts'],
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

  it('leads to tabs of bots and settings of the service', async () => {
    await open('dead letters');
    await option('Till: Deliveries').click();
    await page.waitForURL(`${service.address}/bots/${bot.id}?tab=deliveries`);
    await open('backups');
    await option('Backups').first().click();
    await page.waitForURL(`${service.address}/settings?part=backups`);
    await shows('Backups');
    expect(await axeProblems(page)).toEqual([]);
    // On the page that is open already.
    await open('nodes');
    await option('Nodes').first().click();
    await page.waitForURL(`${service.address}/settings?part=nodes`);
    await vi.waitFor(async () => {
      expect(await inView(page.getByRole('heading', { name: 'Nodes' }))).toBe(true);
    });
  });

  it('leads to a desk, a route and an alert', async () => {
    const forum = await service.post<{ id: number }>('/api/sandbox/chats/create', {
      title: 'Tea team',
      owner: anna.id,
      is_forum: true,
    });
    await service.post('/api/sandbox/chats/promote', {
      chat: forum.id,
      user: bot.platform_id,
      by: anna.id,
    });
    await service.post('/api/desks/add', {
      name: 'Evening tea',
      desk_bot_id: bot.id,
      chat_id: forum.id,
      bot_ids: [bot.id],
    });
    await service.post('/api/routes/add', {
      source_bot_id: bot.id,
      target_bot_id: bot.id,
      target_chat_id: anna.id,
      action: 'copy',
      condition_type: 'keyword',
      condition_value: 'samovar',
    });
    const { id: lostId } = await addPracticeBot(service, 'Lost', {
      proxy_enabled: true,
      backend_url: 'http://127.0.0.1:9/none',
    });
    onTestFinished(async () => void (await service.post(`/api/bots/delete?id=${lostId}`)));
    await service.post(`/api/bots/check-backend?id=${lostId}`);
    await open('evening');
    await option('Evening tea').click();
    await page.waitForURL(/\/desks\?desk=\d+$/);
    await shows('Evening tea');
    await open('samovar');
    await page.getByRole('group', { name: 'Routes' }).getByRole('option').click();
    await page.waitForURL(/\/routes\?route=\d+$/);
    await shows('samovar');
    await open('connection refused');
    await page.getByRole('group', { name: 'Alerts' }).getByRole('option').click();
    await page.waitForURL(/\/alerts\?alert=/);
    await shows('Lost');
  });

  it('bans a person from a group, once that is confirmed', async () => {
    const olga = await service.post<{ id: number }>('/api/sandbox/users/create', {
      first_name: 'Olga',
    });
    const group = await service.post<{ id: number }>('/api/sandbox/chats/create', {
      title: 'Neighbors',
      owner: anna.id,
      type: 'supergroup',
      members: [bot.platform_id, olga.id],
    });
    const promoted = { chat: group.id, user: bot.platform_id, by: anna.id };
    await service.post('/api/sandbox/chats/promote', promoted);
    await service.post('/api/sandbox/say', { user: olga.id, chat: group.id, text: 'Spam, /start' });
    const known = `/api/users/list?bot_id=${bot.id}&chat_id=${group.id}&q=olga`;
    await vi.waitFor(async () => expect(await service.get(known)).toHaveLength(1));
    await open('ban olg');
    await option('Ban Olga in Neighbors…').click();
    const confirm = page.getByRole('dialog', { name: 'Ban Olga' });
    await confirm.getByRole('button', { name: 'Cancel' }).click();
    await confirm.waitFor({ state: 'detached' });
    await page.waitForURL(`${service.address}/chats/${bot.id}/${group.id}?about=${olga.id}`);
    await open('ban olg');
    await option('Ban Olga in Neighbors…').click();
    await confirm.getByRole('button', { name: 'Ban', exact: true }).click();
    await confirm.waitFor({ state: 'detached' });
    const member = `/api/users/profile?bot_id=${bot.id}&user_id=${olga.id}&chat_id=${group.id}`;
    expect(await service.get(member)).toMatchObject({ member: { status: 'kicked' } });
  });

  it('says in how many bots it searched for messages and people', async () => {
    const addresses = /\/api\/bots$/;
    const bots = await service.get<object[]>('/api/bots');
    const many = Array.from({ length: 21 }, (_, at) => ({ ...bots[0], id: at + 1 }));
    await page.route(addresses, (route) => route.fulfill({ json: many }));
    await page.goto(`${service.address}/`);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await open('charged');
    await page.getByText('Searched messages and people of the first 20 bots only.').waitFor();
    await page.unroute(addresses);
    await page.goto(`${service.address}/`);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await open('charged');
    await option(/I was charged twice/).waitFor();
    expect(await page.getByText('of the first 20 bots').count()).toBe(0);
    await page.keyboard.press('Escape');
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
