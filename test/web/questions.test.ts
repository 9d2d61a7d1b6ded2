import { beforeAll, describe, expect, it, vi } from 'vitest';
import { axeProblems } from './support/axe.ts';
import { openPracticeChat, type PracticeChat } from './support/practice-chat.ts';
import { prepareWebUi } from './support/web-ui.ts';

describe('questions in a chat', () => {
  let page: PracticeChat['page'];
  let service: PracticeChat['service'];
  let bot: PracticeChat['bot'];
  let anna: PracticeChat['anna'];
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ page, service, bot, anna } = await openPracticeChat(openWebUi()));
  });

  const open = () => page.getByRole('region', { name: 'Open questions' });
  async function ask(text: string, options: string) {
    await page.getByRole('button', { name: 'Export and statistics', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Ask a question' }).click();
    const dialog = page.getByRole('dialog', { name: 'Ask a question' });
    await dialog.getByRole('textbox', { name: 'Question' }).fill(text);
    await dialog.getByRole('textbox', { name: 'Answers' }).fill(options);
    expect(await axeProblems(page, { within: '[role=dialog]' })).toEqual([]);
    await dialog.getByRole('button', { name: 'Ask', exact: true }).click();
    await open().getByText('1 open question').waitFor();
  }
  const asked = async () => {
    const [question] = await service.get<{ message_id: number; state: string }[]>(
      `/api/ask/list?bot_id=${bot.id}`,
    );
    return question;
  };

  it('are asked there, and go when a phone answers', async () => {
    await ask('Tea or coffee?', 'Tea\nCoffee');
    await open().getByRole('button', { name: '1 open question' }).click();
    await open().getByText('Tea · Coffee').waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(360);
    await page.setViewportSize({ width: 1280, height: 800 });
    const message_id = await vi.waitFor(async () => {
      const question = await asked();
      expect(question?.message_id).toBeGreaterThan(0);
      return question?.message_id;
    });
    const pressed = { user: anna.id, chat: bot.platform_id, message_id, button: 'Tea' };
    await service.post('/api/sandbox/press', pressed);
    await open().waitFor({ state: 'detached' });
    await page.getByText('✅ Tea (Anna)').first().waitFor();
  });

  it('are cancelled there', async () => {
    await ask('Sure?', '');
    await open().getByRole('button', { name: 'Cancel question' }).click();
    await open().waitFor({ state: 'detached' });
    expect(await asked()).toMatchObject({ state: 'cancelled' });
  });
});
