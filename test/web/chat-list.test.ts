import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { prepareWebUi } from './support/web-ui.ts';

interface Named {
  id: number;
}

describe('the list of chats', () => {
  let service: PageService;
  let page: Page;
  let bot: { id: number; platform_id: number };
  const openWebUi = prepareWebUi();
  const many = 25;
  const people: Named[] = [];
  const say = (person: Named | undefined, text: string) =>
    service.post('/api/sandbox/say', { user: person?.id, chat: bot.platform_id, text });
  const rows = () => page.locator('[data-chat-list] [data-row]');
  const focused = () =>
    page.evaluate('document.activeElement?.dataset.row ?? ""') as Promise<string>;
  const rowOf = (person: Named | undefined) => `${bot.id}:${person?.id}`;
  beforeAll(async () => {
    ({ page, service } = await openWebUi());
    bot = await addPracticeBot(service, 'Keeper', { manage_enabled: true });
    const boris = await service.post<Named>('/api/sandbox/users/create', { first_name: 'Boris' });
    const group = await service.post<Named>('/api/sandbox/chats/create', {
      title: 'Allotments',
      owner: boris.id,
      members: [bot.platform_id],
    });
    const hello = { user: boris.id, chat: group.id, text: '/lovely_weather' };
    await service.post('/api/sandbox/say', hello);
    for (let count = 0; count < many; count += 1) {
      const person = await service.post<Named>('/api/sandbox/users/create', {
        first_name: `Guest ${count}`,
      });
      people.push(person);
      await say(person, `Good morning from ${count}`);
    }
    await vi.waitFor(async () => {
      const chats = await service.get<unknown[]>(`/api/chats?bot_id=${bot.id}&limit=100`);
      expect(chats.length).toBeGreaterThan(many);
    });
  });

  it('moves the focus by arrow keys, Home and End, and never loses it', async () => {
    await page.goto(`${service.address}/chats`);
    await rows().first().focus();
    const seen = new Set([await focused()]);
    for (let count = 1; count < many; count += 1) {
      await page.keyboard.press('ArrowDown');
      seen.add(await focused());
    }
    expect(seen.size).toBe(many);
    expect(seen).not.toContain('');
    await page.keyboard.press('Home');
    const first = await focused();
    expect(seen).toContain(first);
    await page.locator('[data-chat-list]').hover();
    await vi.waitFor(async () => {
      // The list grows when its end comes near.
      await page.mouse.wheel(0, 5_000);
      expect(await rows().last().innerText()).toMatch(/weather/);
    });
    expect(await focused()).toBe(first);
    await page.keyboard.press('End');
    const last = await focused();
    expect(last).not.toBe('');
    await page.keyboard.press('ArrowUp');
    expect(await focused()).not.toBe(last);
    await page.mouse.move(900, 300);
  });

  it('keeps its order under the pointer, and tells how many newer ones wait', async () => {
    await page.goto(`${service.address}/chats`);
    const top = () => rows().first().getAttribute('data-row');
    await rows().first().hover();
    const before = await top();
    await vi.waitFor(async () => {
      // A message of the same second does not move a chat.
      await say(people[1], 'Anybody there?');
      await page.getByText(/newer chat/).waitFor({ timeout: 1_500 });
    });
    expect(await top()).toBe(before);
    await page.mouse.move(900, 300);
    await vi.waitFor(async () => expect(await top()).toBe(rowOf(people[1])));
    expect(await page.getByText(/newer chat/).count()).toBe(0);
  });

  it('names the chat of a message that is found', async () => {
    await addPracticeBot(service, 'Old desk');
    await page.goto(`${service.address}/chats`);
    const list = page.getByRole('region', { name: 'Chats' });
    const unmanaged = list.locator('strong', { hasText: 'Old desk' });
    await unmanaged.waitFor();
    await page.getByRole('searchbox', { name: 'Search chats and messages' }).fill('weather');
    const hits = page.getByRole('region', { name: 'In messages' });
    const hit = hits.getByRole('link');
    await hit.first().waitFor();
    expect(await hit.first().innerText()).toMatch(/Allotments[^]*Boris: [^]*Keeper/);
    expect(await page.getByText(/match\./).count()).toBe(0);
    expect(await unmanaged.count()).toBe(0);
    // What a route copied is listed once, as the message that came in.
    const group = (await hit.first().getAttribute('href'))?.match(/-\d+/)?.[0];
    const copy = { source_bot_id: bot.id, target_bot_id: bot.id, action: 'copy' };
    const to = { condition_type: 'keyword', condition_value: 'invoice' };
    await service.post('/api/routes/add', { ...copy, ...to, target_chat_id: Number(group) });
    await say(people[2], 'Where is my invoice?');
    await vi.waitFor(async () => {
      const { messages } = await service.get<{ messages: { origin: string }[] }>(
        `/api/messages/search?bot_id=${bot.id}&q=invoice`,
      );
      expect(messages.map(({ origin }) => origin).toSorted()).toEqual(['received', 'routed']);
    });
    await page.getByRole('searchbox').fill('invoice');
    await hit.filter({ hasText: 'Guest 2' }).waitFor();
    // Each has a second link to its timeline, once the page knows where it went.
    expect(await hits.getByRole('listitem').count()).toBe(1);
    await page.getByRole('searchbox').fill('zzzz');
    await page.getByText('No chats or messages match.').waitFor();
  });
});
