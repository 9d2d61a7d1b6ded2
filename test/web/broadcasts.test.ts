import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { paintPicture } from '../../sandbox/src/index.ts';
import { axeProblems } from './support/axe.ts';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { prepareWebUi } from './support/web-ui.ts';

describe('the Broadcasts page', () => {
  let service: PageService;
  let page: Page;
  let bot: { id: number; platform_id: number };
  const people: { id: number }[] = [];
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ page, service } = await openWebUi());
    bot = await addPracticeBot(service, 'Herald', { manage_enabled: true });
    for (const first_name of ['Anna', 'Ben']) {
      const person = await service.post<{ id: number }>('/api/sandbox/users/create', {
        first_name,
      });
      await service.post('/api/sandbox/say', {
        user: person.id,
        chat: bot.platform_id,
        text: 'Hello',
      });
      people.push(person);
    }
    await vi.waitFor(async () =>
      expect(await service.get<unknown[]>(`/api/chats?bot_id=${bot.id}`)).toHaveLength(2),
    );
  });

  const received = async ({ id }: { id: number }) =>
    (
      await service.get<{ message: { text?: string } }[]>(
        `/api/sandbox/history?user=${id}&chat=${bot.platform_id}&limit=10`,
      )
    ).map(({ message }) => message.text);

  const captions = async ({ id }: { id: number }) =>
    (
      await service.get<{ message: { caption?: string } }[]>(
        `/api/sandbox/history?user=${id}&chat=${bot.platform_id}&limit=10`,
      )
    ).flatMap(({ message }) => message.caption ?? []);

  it('makes a draft, shows how many get it, and follows it to its end', async () => {
    await page.goto(`${service.address}/broadcasts`);
    await page.getByText('No broadcasts yet').waitFor();
    await page.getByRole('button', { name: 'New broadcast' }).click();
    const dialog = page.getByRole('dialog', { name: 'New broadcast' });
    await dialog.getByRole('combobox', { name: 'Bot' }).click();
    await page.getByRole('option', { name: 'Herald' }).click();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Summer sale');
    await dialog.getByRole('textbox', { name: 'Text', exact: true }).fill('**20 % off** today');
    await dialog.getByText('2 chats will get it.').waitFor();
    expect(await axeProblems(page, { within: '[role=dialog]' })).toEqual([]);
    await dialog.getByRole('button', { name: 'Add draft' }).click();
    const card = page.getByRole('region', { name: 'Summer sale' });
    await card.getByText('Draft').waitFor();
    await card.getByRole('button', { name: 'Start' }).click();
    const start = page.getByRole('dialog', { name: 'Start “Summer sale”?' });
    await start.getByText('2 chats will get it.').waitFor();
    await start.getByRole('button', { name: 'Start' }).click();
    await card.getByText('2 of 2 chats done').waitFor();
    await card.getByRole('button', { name: 'Sent: 2' }).click();
    await card.getByText('Anna').waitFor();
    for (const person of people) expect(await received(person)).toContain('20 % off today');
    expect(await axeProblems(page, { within: 'main' })).toEqual([]);
  });

  it('edits and deletes what was sent', async () => {
    const card = page.getByRole('region', { name: 'Summer sale' });
    await card.getByRole('button', { name: 'Edit messages' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit messages' });
    await dialog.getByRole('textbox', { name: 'Text' }).fill('**30 % off** today');
    await dialog.getByRole('button', { name: 'Edit messages' }).click();
    await card.getByText('2 of 2 messages edited').waitFor();
    for (const person of people) expect(await received(person)).toContain('30 % off today');
    await card.getByRole('button', { name: 'Delete messages' }).click();
    await page
      .getByRole('dialog', { name: 'Delete what was sent?' })
      .getByRole('button', { name: 'Delete messages' })
      .click();
    await card.getByText('2 of 2 messages deleted').waitFor();
    for (const person of people) expect(await received(person)).not.toContain('30 % off today');
  });

  it('uploads a photo once, tests it in a chat, and shows what paying costs', async () => {
    const [anna, ben] = people as [{ id: number }, { id: number }];
    await service.post('/api/sandbox/bots/give-stars', { bot: bot.platform_id, stars: 10_001 });
    await page.getByRole('button', { name: 'New broadcast' }).click();
    const dialog = page.getByRole('dialog', { name: 'New broadcast' });
    await dialog.getByRole('combobox', { name: 'Bot' }).click();
    await page.getByRole('option', { name: 'Herald' }).click();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Menu');
    await dialog.getByRole('textbox', { name: 'Text', exact: true }).fill('**New** menu');
    await dialog.locator('input[type=file]').setInputFiles({
      name: 'menu.png',
      mimeType: 'image/png',
      buffer: paintPicture(64, 64, 200),
    });
    await dialog.getByRole('textbox', { name: 'Send a test to (chat ID)' }).fill(String(anna.id));
    await dialog.getByRole('switch', { name: 'Pay to send faster' }).click();
    expect(await axeProblems(page, { within: '[role=dialog]' })).toEqual([]);
    await dialog.getByRole('button', { name: 'Add draft' }).click();
    const card = page.getByRole('region', { name: 'Menu' });
    await card.getByText('Draft').waitFor();
    expect(await captions(anna)).toEqual(['New menu']);
    await card.getByRole('button', { name: 'Start' }).click();
    const start = page.getByRole('dialog', { name: 'Start “Menu”?' });
    await start.getByText('The bot pays up to 1 Star.').waitFor();
    await start.getByRole('button', { name: 'Start' }).click();
    await card.getByText('2 of 2 chats done').waitFor();
    expect(await captions(anna)).toEqual(['New menu', 'New menu']);
    expect(await captions(ben)).toEqual(['New menu']);
  });

  it('fits a small dark screen', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
    expect(await axeProblems(page, { within: 'main', rules: ['color-contrast'] })).toEqual([]);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(360);
  });
});
