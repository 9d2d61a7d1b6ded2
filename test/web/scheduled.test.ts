import { beforeAll, describe, expect, it } from 'vitest';
import { axeProblems } from './support/axe.ts';
import { openPracticeChat, type PracticeChat } from './support/practice-chat.ts';
import { prepareWebUi } from './support/web-ui.ts';

interface Scheduled {
  text: string;
  send_at: number;
}

describe('scheduled messages in a chat', () => {
  let page: PracticeChat['page'];
  let service: PracticeChat['service'];
  let bot: PracticeChat['bot'];
  let anna: PracticeChat['anna'];
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ page, service, bot, anna } = await openPracticeChat(openWebUi()));
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const list = () => page.getByRole('region', { name: 'Scheduled messages' });
  const stored = () => service.get<Scheduled[]>(`/api/messages/scheduled?bot_id=${bot.id}`);
  /** The time of a field, in the time zone of the browser. */
  const inZone = (text: string) =>
    page.evaluate<number>(`new Date(${JSON.stringify(text)}).getTime() / 1000`);
  const nextYear = new Date().getFullYear() + 1;
  const [first, second] = [`${nextYear}-01-02T09:00`, `${nextYear}-01-03T10:30`];

  it('are written in the composer with a date and time', async () => {
    await button('Send later').click();
    await page.getByLabel('Date and time').fill(first);
    await page.getByRole('textbox', { name: 'Write as the bot' }).fill('We open at nine.');
    expect(await axeProblems(page, { within: 'form' })).toEqual([]);
    await button('Schedule').click();
    await page.getByText('1 scheduled message').click();
    await list().getByText('We open at nine.').waitFor();
    expect(await stored()).toMatchObject([
      { text: 'We open at nine.', send_at: await inZone(first) },
    ]);
    expect(await axeProblems(page, { within: 'main' })).toEqual([]);
  });

  it('are changed and canceled in the list', async () => {
    await list().getByRole('button', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change' });
    await dialog.getByLabel('Date and time').fill(second);
    await dialog.getByRole('textbox', { name: 'Text' }).fill('We open at ten.');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await list().getByText('We open at ten.').waitFor();
    expect(await stored()).toMatchObject([
      { text: 'We open at ten.', send_at: await inZone(second) },
    ]);
    await list().getByRole('button', { name: 'Cancel message' }).click();
    await list().waitFor({ state: 'detached' });
    expect(await stored()).toEqual([]);
  });

  it('appear when somebody else schedules one, and leave the list when they are sent', async () => {
    const to = { bot_id: bot.id, chat_id: anna.id };
    const added = await service.post<{ scheduled_id: number }>('/api/messages/send', {
      ...to,
      text: 'In a moment',
      send_at: await inZone(first),
    });
    await page.getByText('1 scheduled message').waitFor();
    await service.post('/api/messages/scheduled/update', {
      scheduled_id: added.scheduled_id,
      send_at: Math.floor(Date.now() / 1_000) + 2,
    });
    await page.getByRole('log').getByText('In a moment').waitFor();
    await list().waitFor({ state: 'detached' });
    await page.setViewportSize({ width: 360, height: 740 });
    await button('Send later').click();
    await page.getByLabel('Date and time').waitFor();
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(360);
  });
});
