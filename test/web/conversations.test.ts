import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { prepareWebUi } from './support/web-ui.ts';

interface Conversation {
  state: string;
  snoozed_until: string;
  assignee?: { name: string };
}

describe('a conversation on the Chats page', () => {
  let service: PageService;
  let page: Page;
  let bot: { id: number; platform_id: number };
  let ann: { id: number };
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ page, service } = await openWebUi());
    bot = await addPracticeBot(service, 'Shop', { manage_enabled: true });
    ann = await service.post('/api/sandbox/users/create', { first_name: 'Ann' });
    await service.post('/api/auth/users/create', {
      username: 'olga',
      password: 'a long enough password',
      role: 'admin',
    });
  });

  const say = (text: string) =>
    service.post('/api/sandbox/say', { user: ann.id, chat: bot.platform_id, text });
  const stored = () =>
    service.get<Conversation>(`/api/chats/get?bot_id=${bot.id}&chat_id=${ann.id}`);
  const becomes = (shown: object) =>
    vi.waitFor(async () => expect(await stored()).toMatchObject(shown), { interval: 50 });
  const pill = () => page.getByTitle('State and assignee');
  async function choose(name: string): Promise<void> {
    await pill().click();
    await page.getByRole('menuitem', { name }).click();
  }

  it('shows who waits, takes an answer with its author, and is assigned, snoozed and done', async () => {
    await say('Where is my order?');
    await becomes({ state: 'waiting' });
    await page.goto(`${service.address}/chats/${bot.id}/${ann.id}`);
    const row = page.getByRole('link', { name: /Ann/ });
    await row.getByRole('img', { name: 'Waiting' }).waitFor();
    await pill().filter({ hasText: 'Waiting' }).waitFor();

    await page.getByRole('textbox', { name: 'Write as the bot' }).fill('It left today');
    await page.keyboard.press('Enter');
    const answer = page.locator('[data-message]').filter({ hasText: 'It left today' });
    await answer.getByTitle(/^Sent by /).waitFor();
    await pill().filter({ hasText: 'Open' }).waitFor();
    const own = (await stored()).assignee?.name ?? '';
    expect(own).not.toBe('');
    await pill().filter({ hasText: own }).waitFor();
    await row.getByRole('img', { name: 'Waiting' }).waitFor({ state: 'detached' });

    await choose('Mark as done');
    await pill().filter({ hasText: 'Done' }).waitFor();
    await say('Thanks! And the invoice?');
    await pill().filter({ hasText: 'Waiting' }).waitFor();
    await choose('Snooze for an hour');
    await pill().filter({ hasText: 'Snoozed' }).waitFor();
    await choose('End snooze');
    await pill().filter({ hasText: 'Waiting' }).waitFor();

    await choose('Assign to olga');
    await pill().filter({ hasText: 'olga' }).waitFor();
    // Olga has it, so taking it back is confirmed.
    await choose('Assign to me');
    await page.getByRole('button', { name: 'Take it' }).click();
    await pill().filter({ hasText: own }).waitFor();
    await choose('Unassign');
    await becomes({ state: 'waiting' });
    await vi.waitFor(async () => expect(await stored()).not.toHaveProperty('assignee'));
  });
});
