import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ask } from './support/elements.ts';
import { keepNotices } from './support/keep-notices.ts';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { prepareWebUi } from './support/web-ui.ts';

interface Named {
  id: number;
}

const fileBytes = 6_000_000;

describe('what takes a while in a chat', () => {
  let service: PageService;
  let page: Page;
  let bot: { id: number; platform_id: number };
  let boris: Named;
  let group: Named;
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ page, service } = await openWebUi());
    await keepNotices(page);
    bot = await addPracticeBot(service, 'Keeper', { manage_enabled: true });
    boris = await service.post('/api/sandbox/users/create', { first_name: 'Boris' });
    group = await service.post<Named>('/api/sandbox/chats/create', {
      title: 'Allotments',
      owner: boris.id,
      type: 'supergroup',
      members: [bot.platform_id],
    });
    const hello = { user: boris.id, chat: group.id, text: '/lovely_weather' };
    await service.post('/api/sandbox/say', hello);
    await vi.waitFor(async () => expect(await stored()).toBeGreaterThanOrEqual(1));
  });

  const stored = async () => {
    const query = `bot_id=${bot.id}&chat_id=${group.id}`;
    return (await service.get<unknown[]>(`/api/messages?${query}`)).length;
  };
  const log = () => page.getByRole('log');
  const message = (text: string) => log().locator('[data-message]').filter({ hasText: text });
  async function openChat(): Promise<void> {
    await page.goto(`${service.address}/chats/${bot.id}/${group.id}`);
    await message('/lovely_weather').waitFor();
  }

  it('keeps what is searched for over a reload and in an opened chat', async () => {
    await page.goto(`${service.address}/chats`);
    const search = page.getByRole('searchbox', { name: 'Search chats and messages' });
    await search.fill('2024');
    await page.waitForURL(/\?q=/);
    await page.reload();
    expect(await search.inputValue()).toBe('2024');
    await search.fill('weather');
    await page.getByRole('link', { name: /lovely_weather/ }).click();
    await page.waitForURL(/\/chats\/\d+\/.*q=weather/);
    await message('/lovely_weather').waitFor();
    await page.reload();
    await message('/lovely_weather').waitFor();
    expect(await search.inputValue()).toBe('weather');
    await search.fill('');
    await page.waitForURL((url) => !url.searchParams.has('q'));
    expect(new URL(page.url()).searchParams.has('message')).toBe(true);
  });

  it('goes on where one writes once a chat is opened from the list', async () => {
    await page.goto(`${service.address}/chats`);
    await page.getByRole('link', { name: /Allotments/ }).focus();
    await page.keyboard.press('Enter');
    const field = page.getByRole('textbox', { name: 'Write as the bot' });
    await field.and(page.locator(':focus')).waitFor();
    // An address that is opened leaves the focus alone.
    await openChat();
    await field.waitFor();
    expect(await field.and(page.locator(':focus')).count()).toBe(0);
  });

  it('keeps the newest message in sight, whatever panel is open', async () => {
    const talk = await service.post<Named>('/api/sandbox/chats/create', {
      title: 'Long talk',
      owner: boris.id,
      type: 'supergroup',
      members: [bot.platform_id],
    });
    const add = (text: string) =>
      service.post('/api/sandbox/say', { user: boris.id, chat: talk.id, text });
    await service.post('/api/sandbox/chats/promote', {
      user: bot.platform_id,
      chat: talk.id,
      by: boris.id,
      rights: { can_manage_chat: true },
    });
    const words = 'A long message that needs several lines where there is little room. ';
    for (let count = 0; count < 20; count += 1) await add(words.repeat(1 + (count % 4)));
    await add('The very last one');
    const below = () => ask(log(), (box) => box.scrollHeight - box.clientHeight - box.scrollTop);
    for (const search of ['?about=chat', '']) {
      await page.goto(`${service.address}/chats/${bot.id}/${talk.id}${search}`);
      await message('The very last one').waitFor();
      await vi.waitFor(async () => expect(await below()).toBeLessThan(20));
    }
    await page.getByRole('button', { name: 'About this chat' }).click();
    await page.getByRole('complementary', { name: 'About Long talk' }).waitFor();
    await vi.waitFor(async () => expect(await below()).toBeLessThan(20));
    await log().hover();
    await page.mouse.wheel(0, -600);
    await vi.waitFor(async () => expect(await below()).toBeGreaterThan(300));
    await add('One more');
    await page.getByRole('button', { name: '1 new message' }).click();
    await vi.waitFor(async () => expect(await below()).toBeLessThan(20));

    // One's own words are not news: they are shown.
    await log().hover();
    await page.mouse.wheel(0, -600);
    await vi.waitFor(async () => expect(await below()).toBeGreaterThan(300));
    await page.getByRole('textbox', { name: 'Write as the bot' }).fill('My own words');
    await page.keyboard.press('Enter');
    await message('My own words').waitFor();
    await vi.waitFor(async () => expect(await below()).toBeLessThan(20));
    expect(await page.getByRole('button', { name: 'new message' }).count()).toBe(0);
  });

  it('shows everything that arrived in the background, even more than a page', async () => {
    const talk = await service.post<Named>('/api/sandbox/chats/create', {
      title: 'Busy talk',
      owner: boris.id,
      type: 'supergroup',
      members: [bot.platform_id],
    });
    const add = (text: string) =>
      service.post('/api/sandbox/say', { user: boris.id, chat: talk.id, text: `/say ${text}` });
    await add('before');
    const tab = await page.context().newPage();
    onTestFinished(() => tab.close());
    await tab.clock.install();
    await tab.goto(`${service.address}/chats/${bot.id}/${talk.id}`);
    const bubble = (text: string) =>
      tab.getByRole('log').getByText(`/say ${text}`, { exact: true });
    await bubble('before').waitFor();
    const look = (hidden: boolean) =>
      tab.evaluate(
        `Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} }); document.dispatchEvent(new Event('visibilitychange'))`,
      );
    await look(true);
    await tab.clock.fastForward(61_000);
    await tab.getByRole('status').getByText('Connecting…').first().waitFor();
    for (let count = 1; count <= 70; count += 1) await add(String(count));
    await vi.waitFor(async () => {
      const [last] = await service.get<{ text: string }[]>(
        `/api/messages?bot_id=${bot.id}&chat_id=${talk.id}&limit=1`,
      );
      expect(last?.text).toBe('/say 70');
    });
    // A request from before the pause may have brought the first of them.
    expect(await bubble('70').count()).toBe(0);
    await look(false);
    await bubble('70').waitFor();
    await tab.getByRole('log').hover();
    await tab.mouse.wheel(0, -20_000);
    await bubble('1').waitFor();
    await bubble('before').waitFor();
  });

  it('shows how far an upload is, and stops it', async () => {
    await openChat();
    const network = await page.context().newCDPSession(page);
    await network.send('Network.enable');
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 60_000 };
    await network.send('Network.emulateNetworkConditions', slow);
    const before = await stored();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Attach file' }).click();
    const buffer = Buffer.alloc(fileBytes, 'x');
    await (await chooser).setFiles({ name: 'plan.bin', mimeType: 'application/zip', buffer });
    // The pointer is still on the button, and its tooltip would cover the button that removes the file.
    await page.getByRole('button', { name: 'Remove' }).waitFor();
    await page.getByRole('button', { name: 'Attach file' }).hover();
    expect(await page.getByRole('tooltip').count()).toBe(0);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const bar = page.getByRole('progressbar', { name: 'Sending plan.bin' });
    await vi.waitFor(async () =>
      expect(Number(await bar.getAttribute('aria-valuenow'))).toBeGreaterThan(1),
    );
    expect(Number(await bar.getAttribute('aria-valuenow'))).toBeLessThan(100);
    await page.getByRole('button', { name: 'Cancel sending' }).click();
    await bar.waitFor({ state: 'detached' });
    expect(await page.getByRole('alert').filter({ hasText: /./ }).count()).toBe(0);

    // The file is still there: sending again completes it.
    await network.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await log().getByRole('link', { name: 'File' }).waitFor();
    expect(await stored()).toBe(before + 1);
    await network.detach();
  });

  it('exports the chat as a file', async () => {
    await openChat();
    const arrived = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export and statistics' }).click();
    await page.getByRole('menuitem', { name: 'Export as JSON' }).click();
    const file = await arrived;
    expect(file.suggestedFilename()).toBe('Allotments.jsonl');
    const chunks: Buffer[] = [];
    for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer);
    const lines = Buffer.concat(chunks).toString().trim().split('\n');
    expect(lines).toHaveLength(await stored());
    await page.getByText(/Downloaded Allotments\.jsonl/).waitFor();
  });

  it('lets a running export be cancelled', async () => {
    await openChat();
    const network = await page.context().newCDPSession(page);
    await network.send('Network.enable');
    const slow = { offline: false, latency: 0, downloadThroughput: 1, uploadThroughput: -1 };
    await network.send('Network.emulateNetworkConditions', slow);
    await page.getByRole('button', { name: 'Export and statistics' }).click();
    await page.getByRole('menuitem', { name: 'Export as CSV' }).click();
    await page.getByRole('progressbar', { name: 'Downloading Allotments.csv' }).waitFor();
    await page.getByRole('status').getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Download interrupted: Allotments.csv').waitFor();
    expect(await page.getByRole('progressbar').count()).toBe(0);
    await network.send('Network.emulateNetworkConditions', { ...slow, downloadThroughput: -1 });
    await network.detach();
  });
});
