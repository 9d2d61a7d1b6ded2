import { beforeAll, describe, expect, it, vi } from 'vitest';
import { addPracticeBot } from '../support/page-service.ts';
import { prepareWebUi, type WebUi } from '../support/web-ui.ts';

describe('a support desk in the web UI', () => {
  let ui: WebUi;
  let forum: { id: number };
  let bot: { id: number; platform_id: number };
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ui = await openWebUi();
    const { service } = ui;
    bot = await addPracticeBot(service, 'Tea shop', { manage_enabled: true });
    const lead = await service.post<{ id: number }>('/api/sandbox/users/create', {
      first_name: 'Lead',
    });
    forum = await service.post<{ id: number }>('/api/sandbox/chats/create', {
      title: 'Tea team',
      owner: lead.id,
      is_forum: true,
    });
    const promoted = { chat: forum.id, user: bot.platform_id, by: lead.id };
    await service.post('/api/sandbox/chats/promote', promoted);
    await vi.waitFor(
      async () => expect(await service.get(`/api/chats?bot_id=${bot.id}`)).toHaveLength(1),
      { interval: 20 },
    );
  });

  it('is added with two clicks, checked, changed, and deleted', async () => {
    const { page, service } = ui;
    await page.goto(`${service.address}/desks`);
    await page.getByRole('button', { name: 'Add desk' }).click();
    const dialog = page.getByRole('dialog');
    // The only forum is filled in.
    const chosen = dialog.getByRole('combobox', { name: 'Forum of the team' });
    await expect.poll(() => chosen.inputValue()).toBe('Tea team');
    await dialog.getByRole('button', { name: 'Add desk' }).click();
    await page.getByText('Desk added.').waitFor();
    await page.getByText('Customers of Tea shop · Forum Tea team, desk bot Tea shop').waitFor();
    expect(await service.get('/api/desks')).toMatchObject([{ name: 'Support', problem: '' }]);
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('The desk bot has all its rights.').waitFor();
    await changeSettings();
    await rate();
    await page.goto(`${service.address}/desks`);
    await page.getByText('4 of 5 (1 rating in 30 days)').waitFor();
    // A bot has one desk, so the next one is offered without it.
    await page.getByRole('button', { name: 'Add desk' }).click();
    const next = page.getByRole('dialog', { name: 'Add desk' });
    await next.getByRole('combobox', { name: 'Forum of the team' }).waitFor();
    expect(await next.getByText('Tea shop', { exact: true }).count()).toBe(0);
    await next.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete desk' }).click();
    await page.getByText('No desks yet.').waitFor();
    // The browser logs the one refused text.
    expect(ui.complaints).toEqual([expect.stringContaining('400 (Bad Request)')]);
  });

  /** A customer is asked once the conversation is done, and the statistics show the rating. */
  async function rate(): Promise<void> {
    const { page, service } = ui;
    interface Shown {
      message: { message_id: number; text?: string };
    }
    const anna = await service.post<{ id: number }>('/api/sandbox/users/create', {
      first_name: 'Anna',
    });
    const chat = bot.platform_id;
    const soon = <T>(check: () => Promise<T>) => vi.waitFor(check, { interval: 20 });
    await service.post('/api/sandbox/say', { user: anna.id, chat, text: 'Where is my tea?' });
    const topics = () =>
      service.get(`/api/chats/topics?bot_id=${bot.id}&chat_id=${forum.id}&q=Anna`);
    await soon(async () => expect(await topics()).toHaveLength(1));
    await service.post('/api/chats/state', { bot_id: bot.id, chat_id: anna.id, state: 'done' });
    const history = `/api/sandbox/history?user=${anna.id}&chat=${chat}&limit=1`;
    const question = await soon(async () => {
      const [last] = await service.get<Shown[]>(history);
      expect(last?.message.text).toBe('How did we do?');
      return last as Shown;
    });
    const { message_id } = question.message;
    await service.post('/api/sandbox/press', { user: anna.id, chat, message_id, button: '4 ⭐' });
    await soon(async () =>
      expect(await service.get(`/api/stats?bot_id=${bot.id}`)).toMatchObject({
        ratings: { count: 1 },
      }),
    );
    await page.goto(`${service.address}/statistics?bot=${bot.id}`);
    const ratings = page.locator('section', { hasText: 'Ratings' });
    await ratings.getByText('4 · 1 rating').first().waitFor();
    await ratings.getByText('No assignee').waitFor();
    await ratings.getByRole('img', { name: '4 of 5' }).waitFor();
  }

  async function changeSettings(): Promise<void> {
    const { page, service } = ui;
    const desk = page.getByRole('dialog', { name: 'Change desk' });
    const open = () => page.getByRole('button', { name: 'Edit', exact: true }).first().click();
    await open();
    await desk.getByRole('combobox', { name: 'Language of the desk' }).click();
    await page.getByRole('option', { name: 'Русский' }).click();
    const rating = desk.getByRole('group', { name: 'Question with five buttons' });
    await rating.getByRole('button', { name: 'Add text' }).click();
    await rating.getByLabel('Text').fill('How did we do?');
    await desk.getByLabel('Alert after minutes').fill('15');
    await desk.getByRole('switch', { name: 'Working hours' }).click();
    await desk.getByLabel('To', { exact: true }).fill('17:30');
    const away = desk.getByRole('group', { name: 'Reply outside the working hours' });
    const addText = away.getByRole('button', { name: 'Add text' });
    await addText.click();
    await addText.click();
    await away.getByLabel('Text').first().fill('Tomorrow');
    await away.getByLabel('Text').last().fill('Also tomorrow');
    await desk.getByRole('button', { name: 'Save' }).click();
    await away.getByText('has two texts for all other languages').waitFor();
    await away.getByLabel('Text').last().fill('Завтра');
    await away.getByLabel('Language').last().fill('ru');
    await desk.getByRole('combobox', { name: 'Persons' }).fill('4242');
    await desk.getByRole('combobox', { name: 'Persons' }).blur();
    await desk.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Desk changed.').waitFor();
    const days = ['mon', 'tue', 'wed', 'thu', 'fri'];
    const changed = {
      name: 'Support',
      person_ids: [4242],
      unanswered_minutes: 15,
      working_hours: { times: [{ days, start: '09:00', end: '17:30' }] },
      away_replies: [
        { language: '', text: 'Tomorrow' },
        { language: 'ru', text: 'Завтра' },
      ],
      ban_replies: [],
      language: 'ru',
      rating_questions: [{ language: '', text: 'How did we do?' }],
    };
    expect(await service.get('/api/desks')).toMatchObject([changed]);
    // What was stored is shown, and can be taken back.
    await open();
    await desk.getByRole('switch', { name: 'Working hours' }).click();
    await desk.getByRole('button', { name: 'Save' }).click();
    await desk.waitFor({ state: 'hidden' });
    expect(await service.get('/api/desks')).toMatchObject([{ ...changed, working_hours: null }]);
  }
});
